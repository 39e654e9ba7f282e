"""Varied memories for tests, the same every time: `make_memory(3)`, or all of them with `make_memories()`.

Several sentences are near each other on purpose (numbers, names or a negation differ), several are far from English.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from recollect.records import Lifecycle, Memory

SPACE = "default"
BEGINNING = datetime(2029, 1, 1, 9, tzinfo=UTC)

# kind, title, body
TEXTS: tuple[tuple[str, str, str], ...] = (
    ("thesis", "BTC", "The BTC thesis is that ETF inflows outpace issuance until the summer."),
    ("episode", "SOL trade", "The last SOL trade was closed at 182 dollars with a gain of eleven percent."),
    ("lesson", "", "Never add to a losing position on a Friday afternoon."),
    ("fact", "SOL desk", "The terms and conditions for the SOL desk allow leverage of three."),
    ("signal", "ETH funding", "ETH funding turned negative on two venues this morning."),
    ("signal", "BTC funding", "BTC funding is flat on every venue."),
    ("preference", "", "Ana wants the weekly report as a table, not as prose."),
    ("preference", "", "Ben wants the weekly report as prose, not as a table."),
    ("procedure", "Release", "To release, tag the commit, wait for the build and announce it in the channel."),
    ("procedure", "Rollback", "To roll back, deploy the previous tag and open an incident."),
    ("fact", "Server room", "The server room key hangs behind the reception desk."),
    ("fact", "", "The spare key is with the neighbour on the third floor."),
    ("fact", "Rent", "The rent of the office is 4,200 euros a month."),
    ("fact", "Rent", "The rent of the warehouse is 1,900 euros a month."),
    ("fact", "", "The office cat is called Minka and sleeps on the printer."),
    ("episode", "", "Minka was at the vet on Tuesday and is not ill."),
    ("episode", "Outage", "The outage in May began with a full disk on the database host."),
    ("episode", "Outage", "The outage in June began with an expired certificate."),
    ("lesson", "", "Renew certificates thirty days before they expire."),
    ("fact", "order_book", "The order_book module calls match_orders and writes the trades table."),
    ("fact", "", "getUserName returns the display name, never the login."),
    ("document", "Handbook", "New colleagues get a laptop, a badge and a mentor on their first day."),
    ("document", "Travel", "Trains are booked in second class; flights need approval by the manager."),
    ("message", "", "Could someone water the plants while I am in Lisbon next week?"),
    ("message", "", "The plants on the second floor are plastic."),
    ("fact", "", "Grüße aus Zürich: das Treffen beginnt um neun Uhr am Hauptbahnhof."),
    ("fact", "", "東京の事務所は月曜日に開きます。"),
    ("fact", "", "Встреча перенесена на четверг."),
    ("fact", "", "اجتماع الفريق يوم الأحد صباحا."),
    ("fact", "Wi-Fi", "The guest network is called Lighthouse 🗼 and has no password."),
    ("thesis", "", "Simon and Garfunkel sell better on vinyl than on compact disc."),
    ("thesis", "", "Research and development spending follows revenue with a lag of one year."),
    ("fact", "", "Jane Austen wrote Pride and Prejudice in 1813."),
    ("fact", "Coffee", "The coffee machine is descaled on the first Monday of each month."),
    ("fact", "", "The invoice of the plumber was paid on 3 March."),
    ("fact", "", "The invoice of the electrician was not paid."),
)
PROJECTS = (None, "desk", "office")
TRUSTS = ("user", "agent", "tool", "web")
TAGS = ((), ("money",), ("people", "work"), ("work",))


def make_memory(n: int, **overrides: Any) -> Memory:
    """The n-th memory of an endless row; after the last text they begin again, each with its number in the body.

    >>> make_memory(0).id, make_memory(0) == make_memory(0)
    ('memory-0000', True)
    """
    turn, place = divmod(n, len(TEXTS))
    kind, title, body = TEXTS[place]
    moment = BEGINNING + timedelta(hours=n)
    made = Memory(
        id=f"memory-{n:04}",
        space=SPACE,
        kind=kind,
        title=title,
        body=f"{body} ({turn})" if turn else body,
        created_at=moment,
        updated_at=moment,
        content_hash="",
        event_time=moment - timedelta(days=30) if n % 5 == 0 else None,
        lifecycle=(Lifecycle.ACTIVE, Lifecycle.ACTIVE, Lifecycle.WEAK)[n % 3],
        project=PROJECTS[n % len(PROJECTS)],
        trust=TRUSTS[n % len(TRUSTS)],
        tags=TAGS[n % len(TAGS)],
        clusters=("even",) if n % 2 == 0 else (),
    )
    made = replace(made, **overrides)
    hashed = sha256(f"{made.title}\n{made.body}".encode()).hexdigest()[:32]
    return made if made.content_hash else replace(made, content_hash=hashed)


def make_memories(count: int = len(TEXTS), **overrides: Any) -> list[Memory]:
    """The first so many memories."""
    return [make_memory(n, **overrides) for n in range(count)]
