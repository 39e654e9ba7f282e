"""Following a folder: it is looked at again and again, and read anew once a change has come to rest.

By size and time of the files, without any part of the operating system that tells of changes: the same everywhere, also
on shared folders.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from recollect.ingest.project import Paths, Reader
from recollect.ingest.roots import place, project_id, roots_in
from recollect.offload import run_in_thread
from recollect.reading.walk import Seen, walk

Looks = frozenset[Seen]


async def follow(
    look: Callable[[], Looks],
    read: Callable[[], Awaitable[bool]],
    *,
    sleep: Callable[[float], Awaitable[None]],
    seconds: float,
) -> None:
    """Read now and after every change, until cancelled or `read` gives False.

    What changes while it reads is seen at the next look.
    """
    seen = await run_in_thread(look)
    goes_on = await read()
    while goes_on:
        await sleep(seconds)
        now = await run_in_thread(look)
        if now == seen:
            continue
        while True:  # until nothing moves any more
            await sleep(seconds)
            again = await run_in_thread(look)
            if again == now:
                break
            now = again
        seen = now
        goes_on = await read()


def looks(paths: Paths, *, project: str, space: str, reader: Reader) -> Looks:
    """How the files of a project look now."""
    found = reader.store.read(space, [project_id(project)])
    _, starts = place(paths, roots_in(found[0] if found else None))
    return frozenset(
        file._replace(path=os.path.join(start.root, file.path))
        for start in starts
        for file in walk(start.root, start.below, most_bytes=reader.settings.max_file_bytes).files
    )
