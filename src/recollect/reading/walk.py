"""The files of a folder, in a stable order: what git leaves out is left out, and so are junk, binaries and secrets.

Looks at names, sizes and `.gitignore` files, not into files; what only the content shows is for `read`. Links are not
followed to folders, nor out of the root. What is left out for another reason than `.gitignore` is reported with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from recollect.reading.gitignore import Rules, is_ignored, parse_rules
from recollect.reading.secrets import is_secret_name
from recollect.reading.triples import SUFFIX as TRIPLES

JUNK_FOLDERS = frozenset(
    ".git .hg .svn .bzr node_modules bower_components __pycache__ .venv .tox .nox .mypy_cache .ruff_cache "
    ".pytest_cache .hypothesis .eggs .idea .vs .gradle .terraform .next .nuxt .svelte-kit .parcel-cache "
    ".ipynb_checkpoints .cache .coverage_html __MACOSX".split()
)
JUNK_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".coverage"})
GENERATED = frozenset(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock pdm.lock pipfile.lock "
    "cargo.lock go.sum composer.lock gemfile.lock flake.lock bun.lockb packages.lock.json".split()
)
GENERATED_ENDINGS = (".min.js", ".min.css", ".js.map", ".css.map", ".d.ts.map")
BINARY = frozenset(
    "png jpg jpeg gif bmp ico webp tif tiff psd ai eps heic avif mp3 mp4 m4a wav ogg flac avi mov mkv webm zip gz tgz "
    "bz2 xz zst 7z rar tar jar war ear whl egg so dylib dll exe bin o a lib obj class pyc pyo pyd wasm woff woff2 ttf "
    "otf eot doc docx xls xlsx ppt pptx odt ods odp sqlite sqlite3 db mdb parquet arrow feather npy npz pkl pickle pt "
    "pth onnx h5 safetensors gguf dat iso dmg deb rpm apk ipa mo swp".split()
)
VENV_MARK = "pyvenv.cfg"


class Seen(NamedTuple):
    """A file that may be read: its path from the root, with forward slashes, its size and its time."""

    path: str
    size: int
    mtime_ns: int


class Walked(NamedTuple):
    """The files found, what was left out and why, and folders nobody could look into."""

    files: list[Seen]
    skipped: list[tuple[str, str]]
    closed: list[str]


def walk(root: str, start: str = "", *, most_bytes: int) -> Walked:
    """The files at or below `start`, a path from the root; empty for all of it."""
    walker = _Walker(root, most_bytes)
    top = os.path.join(root, start) if start else root
    rules = walker.rules_above(start)
    if os.path.isdir(top):
        walker.folder(start, rules)
    else:
        with os.scandir(os.path.dirname(top) or ".") as entries:
            for entry in entries:
                if entry.name == os.path.basename(top):
                    walker.file(entry, start)
    return walker.found


class _Walker:
    """One walk. `rules` are those of the files above, innermost first."""

    def __init__(self, root: str, most_bytes: int) -> None:
        self._root = root
        self._real = os.path.realpath(root)
        self._most = most_bytes
        self.found = Walked([], [], [])

    def folder(self, path: str, rules: tuple[Rules, ...]) -> None:
        """All in a folder, by name; deeper folders where their names stand."""
        try:
            with os.scandir(os.path.join(self._root, path) if path else self._root) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self.found.closed.append(path)
            self._skip(path or ".", "cannot be opened")
            return
        names = {entry.name for entry in listed}
        if VENV_MARK in names and path:
            return
        prefix = f"{path}/" if path else ""
        if ".gitignore" in names:
            rules = (self._read_rules(os.path.join(self._root, path, ".gitignore"), prefix), *rules)
        for entry in listed:
            self._entry(entry, f"{prefix}{entry.name}", rules)

    def _entry(self, entry: os.DirEntry[str], path: str, rules: tuple[Rules, ...]) -> None:
        name = entry.name
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            self._skip(path.encode(errors="replace").decode(), "its name is not UTF-8")
            return
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            self._skip(path, "cannot be opened")
            return
        if (is_folder and name in JUNK_FOLDERS) or name.endswith(".egg-info") or name.lower() in JUNK_FILES:
            return
        if rules and is_ignored(path, rules, is_folder=is_folder):
            return
        if is_folder:
            self.folder(path, rules)
        else:
            self.file(entry, path)

    def file(self, entry: os.DirEntry[str], path: str) -> None:
        """A file that git does not leave out."""
        if reason := left_out(entry.name):
            self._skip(path, reason)
            return
        try:
            if entry.is_symlink() and (reason := self._link(entry)):
                self._skip(path, reason)
                return
            if not entry.is_file():
                return
            stat = entry.stat()
        except OSError:
            self._skip(path, "cannot be opened")
            return
        if stat.st_size > self._most and not path.lower().endswith(TRIPLES):
            self._skip(path, f"too large: {stat.st_size:,} bytes")
            return
        self.found.files.append(Seen(path, stat.st_size, stat.st_mtime_ns))

    def rules_above(self, start: str) -> tuple[Rules, ...]:
        """The rules of the folders above `start`, innermost first; none if they would leave `start` itself out."""
        outer = tuple(self._outer())
        rules = outer
        steps = start.split("/")[:-1] if start else []
        for depth in range(len(steps) + bool(start)):
            folder = "/".join(steps[:depth])
            file = os.path.join(self._root, folder, ".gitignore")
            if os.path.isfile(file):
                rules = (self._read_rules(file, f"{folder}/" if folder else ""), *rules)
        is_folder = os.path.isdir(os.path.join(self._root, start))
        if start and any(
            is_ignored(step, rules, is_folder=step != start or is_folder)
            for step in ("/".join(start.split("/")[: depth + 1]) for depth in range(start.count("/") + 1))
        ):
            return ()
        return rules

    def _outer(self) -> Iterator[Rules]:
        """The rules of the repository the root is in, where it is not its top; none if they leave the root out."""
        above: list[tuple[str, str]] = []
        folder, below = self._real, ""
        while not os.path.exists(os.path.join(folder, ".git")):
            parent, name = os.path.split(folder)
            if parent == folder:
                return
            folder, below = parent, f"{name}/{below}"
            above.append((folder, below))
        found = []
        for folder, below in above:
            file = os.path.join(folder, ".gitignore")
            if os.path.isfile(file):
                found.append((self._read_rules(file, ""), below))
        for rules, below in found:
            steps = below.rstrip("/").split("/")
            if any(rules.verdict("/".join(steps[:depth]), is_folder=True) for depth in range(1, len(steps) + 1)):
                return
        yield from (rules._replace(before=below) for rules, below in found)

    def _read_rules(self, file: str, folder: str) -> Rules:
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                return parse_rules(lines, folder=folder)
        except OSError:
            return Rules(folder, ())

    def _link(self, entry: os.DirEntry[str]) -> str:
        """Why a link is not followed, empty when it is."""
        if entry.is_dir():
            return "link to a folder"
        real = os.path.realpath(entry.path)
        inside = real.startswith(self._real + os.sep)
        return "" if inside else "link out of the folder"

    def _skip(self, path: str, reason: str) -> None:
        self.found.skipped.append((path, reason))


def left_out(name: str) -> str:
    """Why a file of this name is not read, empty when it is.

    >>> left_out("logo.png"), left_out("yarn.lock"), left_out(".env"), left_out("main.py")
    ('binary', 'generated', 'secret: by its name', '')
    """
    low = name.lower()
    if is_secret_name(low):
        return "secret: by its name"
    if low in GENERATED or low.endswith(GENERATED_ENDINGS):
        return "generated"
    return "binary" if low.rpartition(".")[2] in BINARY and "." in low else ""
