-- Customers as billing knows them.
CREATE TABLE customers (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz
);

CREATE TABLE invoices (
    id uuid PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES customers (id),
    cents bigint NOT NULL,
    issued_on date NOT NULL
);
