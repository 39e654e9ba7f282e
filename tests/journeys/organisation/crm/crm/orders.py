"""Orders of customers."""

from billing.payments import PaymentAdapter

from crm.notes import add_note


class OrderError(Exception):
    """An order could not be placed."""


class OrderService:
    """Places orders and has them paid."""

    def __init__(self, payments: PaymentAdapter) -> None:
        self.payments = payments

    def place(self, customer: str, cents: int) -> str:
        """Have the order paid and note it down."""
        try:
            receipt = self.payments.charge(customer, cents)
        except ValueError as error:
            add_note(customer, f"order refused: {error}")
            raise OrderError("the order was refused") from error
        add_note(customer, f"order paid: {receipt}")
        return receipt
