CREATE TABLE customers (
    id bigint PRIMARY KEY,
    external_id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    archived_at timestamptz
);

CREATE TABLE notes (
    id bigint PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES customers (id),
    body text NOT NULL
);
