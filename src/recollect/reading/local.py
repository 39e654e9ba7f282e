"""The project at hand: its instruction files and documents, by section, as they are on disk at this moment.

`LocalFiles.refresh` looks through the folders once and reads again what changed since: another size, time or inode,
or a time so recent that the clock of the disk could hide a change. Which files count is the table below; how one is
cut into sections is up to `markdown` and `text`.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from recollect.language.section_kinds import (
    DECISION_FILES,
    INSTRUCTION_FILES,
    SectionKind,
    section_kind,
)
from recollect.paths import path_matcher
from recollect.reading.gitignore import Rules, is_ignored, parse_rules
from recollect.reading.markdown import read_markdown
from recollect.reading.sections import Sheet
from recollect.reading.text import read_text
from recollect.reading.walk import JUNK_FOLDERS
from recollect.settings import LocalSettings, ReadSettings

# Patterns on the path in small letters, beside the files of instructions and of decisions.
DOCUMENTS = path_matcher(
    frozenset(
        "**/readme* **/architecture* docs/** doc/** **/docs/** **/design.md **/style*guide* **/security.md".split()
    )
)
MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mdc"})
UNDERLINED = frozenset({".rst", ".rest"})
PLAIN = frozenset({"", ".txt"})  # of such files, those that are called like one that counts
PLAIN_NAMES = ("readme", "contributing", "architecture")
RULES = frozenset({".cursorrules", ".windsurfrules", ".clinerules"})
HIDDEN_FOLDERS = frozenset({".github", ".cursor", ".claude"})  # of those that begin with a dot, the ones looked into
OTHERS_FOLDERS = JUNK_FOLDERS | frozenset("site-packages vendor third_party dist build target venv env".split())
IGNORE_FILE = ".gitignore"
RACY_NS = 2_000_000_000  # the coarsest clock of a file system in use; within it a change may leave the time as it was
HEADING_PATH = " > "
# The headings a text begins with; its title says them already.
HEADINGS = re.compile(r"\A(?:\s*(?: {0,3}#{1,6}[ \t][^\n]*|[^\n]+\n {0,3}([=~^-])\1{2,}[ \t]*)(?=\n|\Z))+")


class LocalSection(NamedTuple):
    """One section of one file: its heading path, the anchor it can be linked by, its lines, and what it is."""

    path: str
    anchor: str
    title: str
    text: str
    start: int
    end: int
    kind: SectionKind
    changed_ns: int

    @property
    def place(self) -> str:
        """Where it stands, as a link would say it."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path


class Stamp(NamedTuple):
    """What of a file's state says that it is another now."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class LocalFile:
    """One file as it was read; `problem` is why it could not be."""

    path: str
    stamp: Stamp
    digest: bytes = b""
    sections: tuple[LocalSection, ...] = ()
    problem: str = ""
    is_settled: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """All files that count, by path, and what had to be done without."""

    files: Mapping[str, LocalFile] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> int:
        return sum(len(each.sections) for each in self.files.values())


def counts(path: str) -> bool:
    """Whether a file of the project is one of its instructions or documents.

    >>> [path for path in ("CLAUDE.md", "docs/a/b.md", "docs/a.png", "src/app.py", "readme") if counts(path)]
    ['CLAUDE.md', 'docs/a/b.md', 'readme']
    """
    small = path.lower()
    name = small.rpartition("/")[2]
    suffix = _suffix(name)
    if suffix in PLAIN:
        return name in RULES or name.startswith(PLAIN_NAMES)
    if suffix not in MARKDOWN | UNDERLINED:
        return False
    return INSTRUCTION_FILES(small) or DOCUMENTS(small) or DECISION_FILES(small)


class LocalFiles:
    """The files of one folder, kept as long as they stay as they are. For one thread at a time."""

    def __init__(self, root: Path, *, local: LocalSettings, read: ReadSettings) -> None:
        self._root = root
        self._local = local
        self._read = read
        self._folder = Folder()
        self._known: dict[str, LocalFile] = {}
        self._counting: dict[str, bool] = {}
        self._ignoring: dict[str, tuple[Stamp, Rules]] = {}
        self._ignored: dict[str, tuple[tuple[bool, tuple[Rules, ...]], bool]] = {}

    def refresh(self) -> Folder:
        """The folder as it is now; the very same value where no text changed."""
        now = time.time_ns()
        files: dict[str, LocalFile] = {}
        notes: list[str] = []
        for path, entry in self._found(notes):
            if len(files) >= self._local.max_files:
                notes.append(f"local: more than {self._local.max_files} files; the rest is left out")
                break
            files[path] = self._as_it_is(path, entry, self._known.get(path), now=now)
        notes += [f"local: {each.path} is left out: {each.problem}" for each in files.values() if each.problem]
        self._known = files
        shown = self._folder
        same = files.keys() == shown.files.keys() and all(
            files[path].sections is shown.files[path].sections for path in files
        )
        if not same or tuple(notes) != shown.notes:
            self._folder = Folder(files, tuple(notes))
        return self._folder

    # --- which files there are -------------------------------------------------------------------

    def _found(self, notes: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """The files that count, of outer folders first, each folder by name."""
        waiting: list[tuple[str, int, tuple[Rules, ...]]] = [("", 0, ())]
        for looked, (below, depth, rules) in enumerate(waiting):
            if looked == self._local.max_folders:
                notes.append(f"local: more than {self._local.max_folders} folders; the inner ones are left out")
                return
            try:
                with os.scandir(os.path.join(self._root, below)) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError as error:
                notes.append(f"local: {below or self._root.name} cannot be looked into: {error.strerror}")
                continue
            prefix = f"{below}/" if below else ""
            rules = (*(self._rules(each, prefix) for each in entries if each.name == IGNORE_FILE), *rules)
            for entry in entries:
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    is_deep = depth >= self._local.max_depth or not _is_looked_into(entry.name)
                    if not is_deep and not self._is_ignored(path, rules, is_folder=True):
                        waiting.append((path, depth + 1, rules))
                elif self._counts(path) and (
                    not rules
                    or INSTRUCTION_FILES(path.lower())  # which is often kept out of the repository
                    or not self._is_ignored(path, rules, is_folder=False)
                ):
                    yield path, entry

    def _counts(self, path: str) -> bool:
        found = self._counting.get(path)
        if found is None:
            found = self._counting[path] = counts(path)
        return found

    def _rules(self, entry: os.DirEntry[str], folder: str) -> Rules:
        """The rules of one file, read again where it changed; one that cannot be read has none."""
        try:
            stamp = _stamp(entry.stat())
            kept = self._ignoring.get(folder)
            if kept is None or kept[0] != stamp:
                text = (self._root / folder / IGNORE_FILE).read_text(encoding="utf-8", errors="replace")
                kept = self._ignoring[folder] = stamp, parse_rules(text.splitlines(), folder=folder)
            return kept[1]
        except OSError:
            return Rules(folder, ())

    def _is_ignored(self, path: str, rules: tuple[Rules, ...], *, is_folder: bool) -> bool:
        if not rules:
            return False
        kept = self._ignored.get(path)
        if kept is None or kept[0] != (is_folder, rules):
            kept = self._ignored[path] = (is_folder, rules), is_ignored(path, rules, is_folder=is_folder)
        return kept[1]

    # --- what is in them -------------------------------------------------------------------------

    def _as_it_is(self, path: str, entry: os.DirEntry[str], known: LocalFile | None, *, now: int) -> LocalFile:
        try:
            found = entry.stat(follow_symlinks=True)
        except OSError as error:
            return _problem(path, Stamp(0, 0, 0, 0), str(error.strerror), known)
        stamp = _stamp(found)
        if known is not None and known.stamp == stamp and known.is_settled:
            return known
        problem = self._refused(path, entry, found)
        if problem:
            return _problem(path, stamp, problem, known)
        try:
            data = (self._root / path).read_bytes()
        except OSError as error:
            return _problem(path, stamp, str(error.strerror), known)
        is_settled = now - max(stamp.mtime_ns, stamp.ctime_ns) > RACY_NS
        digest = blake2b(data, digest_size=16).digest()
        if known is not None and known.digest == digest and not known.problem:
            kept = replace(known, stamp=stamp, is_settled=is_settled)
            return known if kept == known else kept
        if b"\0" in data:
            return _problem(path, stamp, "not a text", known)
        sections = self._sections(path, data.decode("utf-8-sig", "replace"), changed_ns=stamp.mtime_ns)
        return LocalFile(path, stamp, digest, sections, is_settled=is_settled)

    def _refused(self, path: str, entry: os.DirEntry[str], found: os.stat_result) -> str:
        if not stat.S_ISREG(found.st_mode):
            return "not a file"
        if entry.is_symlink() and not _is_below(self._root, self._root / path):
            return "a link that leads out of the folder"
        if found.st_size > self._read.max_file_bytes:
            return f"larger than {self._read.max_file_bytes:,} bytes"
        return ""

    def _sections(self, path: str, text: str, *, changed_ns: int) -> tuple[LocalSection, ...]:
        sheet = Sheet(path, frozenset(), self._read.chunk_characters)
        text = text.replace("\r\n", "\n")
        name = path.rpartition("/")[2].lower()
        read = read_markdown if _suffix(name) in MARKDOWN or name in RULES else read_text
        made = []
        for chunk in read(sheet, text).chunks:
            body = HEADINGS.sub("", chunk.text).strip("\n")
            if not body.strip():
                continue
            title = HEADING_PATH.join(chunk.heading) or path
            kind = section_kind(path, chunk.heading[-1] if chunk.heading else "", body)
            anchor = chunk.about.partition("#")[2]
            made.append(LocalSection(path, anchor, title, body, chunk.start, chunk.end, kind, changed_ns))
        return tuple(made)


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _problem(path: str, stamp: Stamp, problem: str, known: LocalFile | None) -> LocalFile:
    made = LocalFile(path, stamp, problem=problem)
    return known if known == made else made


def _is_looked_into(name: str) -> bool:
    return name in HIDDEN_FOLDERS if name.startswith(".") else name.lower() not in OTHERS_FOLDERS


def _is_below(root: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _suffix(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix}" if dot and stem else ""
