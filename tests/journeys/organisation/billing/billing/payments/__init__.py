"""What other projects may use of payments."""

from .adapter import PaymentAdapter

__all__ = ["PaymentAdapter"]
