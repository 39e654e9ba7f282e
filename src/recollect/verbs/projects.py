"""The verbs for projects and the graph's filling: ingest files, follow their changes, connect memories, list, forget.

How files become chunks and statements is in `reading/`, the order of storing them in `ingest/project.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike

from recollect.errors import NotFound, Unavailable
from recollect.ingest.project import Reader, forget_project
from recollect.ingest.roots import check_project
from recollect.ingest.run import FileProgress, Wanted, ingest_projects, projects_below
from recollect.ingest.statements import state_memories
from recollect.ingest.watch import follow, looks
from recollect.knowledge import Ingested, ProjectRead
from recollect.offload import run_in_thread
from recollect.readings import forget_readings
from recollect.records import Filters, check_space
from recollect.verbs.wired import DEFAULT_SPACE, Wired


class Projects(Wired):
    """What is read from files."""

    async def ingest(
        self,
        *paths: str | PathLike[str],
        project: str,
        space: str = DEFAULT_SPACE,
        embed: bool = True,
        on_progress: FileProgress | None = None,
    ) -> Ingested:
        """Read files and folders into a project, or bring it up to date: only what changed is read, what is gone goes.

        Cut off, it goes on when called again. With `embed=False` the pieces are found by words and names only, until a
        later ingest or `reindex`. `on_progress` gets files done, files to do and files a second.
        """
        wanted = [Wanted(project, paths)]
        (done,) = await ingest_projects(
            wanted, space=space, reader=self._reader(), embed=embed, on_progress=on_progress
        )
        return done

    async def ingest_each(
        self,
        *folders: str | PathLike[str],
        space: str = DEFAULT_SPACE,
        embed: bool = True,
        on_progress: FileProgress | None = None,
    ) -> list[Ingested]:
        """Read every folder right below these as a project of its own, called what the folder is called.

        As `ingest` of one after the other, and faster: they are read by the same processes and settled together.
        """
        wanted = await run_in_thread(projects_below, folders)
        return await ingest_projects(wanted, space=space, reader=self._reader(), embed=embed, on_progress=on_progress)

    async def follow(
        self,
        *paths: str | PathLike[str],
        project: str,
        space: str = DEFAULT_SPACE,
        embed: bool = True,
        on_ingested: Callable[[Ingested], bool | None] | None = None,
        on_progress: FileProgress | None = None,
    ) -> None:
        """Ingest, and again after every change of the files, until cancelled.

        `on_ingested` gets what each ingest did; when it returns False, following ends.
        """
        reader = self._reader()

        async def read() -> bool:
            done = await self.ingest(*paths, project=project, space=space, embed=embed, on_progress=on_progress)
            return on_ingested is None or on_ingested(done) is not False

        await follow(
            lambda: looks(paths, project=project, space=space, reader=reader),
            read,
            sleep=self._clock.sleep,
            seconds=self.settings.read.watch_seconds,
        )

    async def connect(self, *, space: str = DEFAULT_SPACE) -> int:
        """Read what the memories of a space state of named things into the graph; how many statements that are.

        Memories that speak of the same names are then found through each other. Run it again after many changes: it
        replaces what it read before. What is forgotten leaves the graph at once.
        """
        check_space(space)
        knowledge = self._reader().knowledge
        return await run_in_thread(lambda: state_memories(self._store, knowledge, space, filters=Filters()))

    async def projects(self, *, space: str = DEFAULT_SPACE) -> list[ProjectRead]:
        """The projects of a space and what was read of each, by name."""
        check_space(space)
        found = await run_in_thread(self._reader().knowledge.projects, space)
        return [each for each in found if each.project]  # triples given by hand are of no project

    async def forget_project(self, project: str, *, space: str = DEFAULT_SPACE) -> int:
        """Erase all that was read of a project: pieces, vectors, statements. Gives how many files it had."""
        check_space(space)
        check_project(project)
        reader = self._reader()
        await self.settle()  # or a trace still to be noted would come back to speak of them
        if space not in await run_in_thread(self._store.names):
            raise NotFound(f"no space {space!r}; known: {', '.join(self._store.names()) or 'none'}")
        done = await run_in_thread(lambda: forget_project(space, project, reader=reader))
        if not done:
            known = ", ".join(each.project for each in await self.projects(space=space))
            raise NotFound(f"no project {project!r} in space {space!r}; known: {known or 'none'}")
        forget_readings()
        await run_in_thread(self._store.rebuild, space)
        await self._check_erased(space)
        return done

    def _reader(self) -> Reader:
        if self._knowledge is None:
            raise Unavailable("this Recollect was put together without a graph; open it with Recollect.open")
        return Reader(
            store=self._store,
            knowledge=self._knowledge,
            embedder=self._embedder,
            settings=self.settings.read,
            now=self._clock.now,
            monotonic=self._clock.monotonic,
        )
