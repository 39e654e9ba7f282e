CREATE TABLE customers (
    id uuid PRIMARY KEY,
    email text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE sessions (
    token text PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES customers (id),
    expires_at timestamptz NOT NULL
);
