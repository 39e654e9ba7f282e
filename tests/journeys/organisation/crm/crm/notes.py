"""Notes about customers."""

NOTES: dict[str, list[str]] = {}


def add_note(customer: str, text: str) -> None:
    """Write something down about a customer."""
    NOTES.setdefault(customer, []).append(text)
