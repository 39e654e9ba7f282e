"""Invoices, written after a payment was captured."""

from billing.payments.adapter import PaymentAdapter


def write_invoice(adapter: PaymentAdapter, customer: str, cents: int) -> dict[str, str | int]:
    """Charge the customer and write down what was paid."""
    receipt = adapter.charge(customer, cents)
    return {"customer": customer, "cents": cents, "receipt": receipt}
