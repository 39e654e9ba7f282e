"""The one way to pay from other projects."""

import time

from .gateway import GatewayTimeout, PaymentGateway

ATTEMPTS = 3


class PaymentAdapter:
    """Charges a customer and waits a little longer after each timeout."""

    def __init__(self, gateway: PaymentGateway) -> None:
        self.gateway = gateway

    def charge(self, customer: str, cents: int) -> str:
        """Charge, trying again while the gateway does not answer in time."""
        pause = 1.0
        for attempt in range(ATTEMPTS):
            try:
                return self.gateway.capture(customer, cents)
            except GatewayTimeout:
                if attempt == ATTEMPTS - 1:
                    raise
                time.sleep(pause)
                pause *= 2
        raise AssertionError("unreachable")
