"""The card processor, as far as we use it."""


class GatewayTimeout(Exception):
    """The processor did not answer in time."""


class PaymentGateway:
    """A connection to the card processor."""

    def __init__(self, address: str) -> None:
        self.address = address

    def capture(self, customer: str, cents: int) -> str:
        """Take the money and give the receipt's number."""
        if cents <= 0:
            raise ValueError("nothing to capture")
        return f"receipt-{customer}-{cents}"
