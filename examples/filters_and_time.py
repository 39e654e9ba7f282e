"""Narrow a search by kind, tag and time, and look at what was true at an earlier moment."""

import tempfile
from datetime import UTC, datetime

from recollect import BlockingRecollect, Filters, TimeAxis, TimeRange

MAY = datetime(2026, 5, 4, tzinfo=UTC)
JUNE = datetime(2026, 6, 9, tzinfo=UTC)

with tempfile.TemporaryDirectory() as folder, BlockingRecollect.open(folder) as memory:
    memory.remember("Interviewed Mara for the harbour story", kind="episode", event_time=MAY, tags=["harbour"])
    memory.remember("Interviewed the harbour master again", kind="episode", event_time=JUNE, tags=["harbour"])

    june = Filters(
        kinds=frozenset({"episode"}), time=TimeRange(start=datetime(2026, 6, 1, tzinfo=UTC), axis=TimeAxis.EVENT)
    )
    for hit in memory.search("harbour interviews", filters=june).hits:
        print("since June:", hit.memory.body)

    rent = memory.remember("The rent is 900 a month", title="Rent")
    memory.supersede(rent.id, "The rent is 950 a month")
    print("now:", [hit.memory.body for hit in memory.search("rent").hits if hit.memory.title == "Rent"])
    both = Filters(superseded=True)
    print(
        "ever:",
        sorted(hit.memory.body for hit in memory.search("rent", filters=both).hits if hit.memory.title == "Rent"),
    )
