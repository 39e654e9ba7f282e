from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.reading.gitignore import parse_rules
from recollect.reading.secrets import is_secret_name, secret_in
from recollect.reading.walk import walk

from .sheets import read

MOST = 1_000


def tree(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def found(root: Path, start: str = "") -> list[str]:
    return [file.path for file in walk(str(root), start, most_bytes=MOST).files]


def test_files_come_in_a_stable_order_without_junk(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "b.md",
        "a/z.py",
        "a/b/c.py",
        ".git/config",
        "node_modules/x.js",
        "a/__pycache__/m.pyc",
        "env/pyvenv.cfg",
    )
    tree(tmp_path, "env/lib/y.py", ".github/ci.yml")
    assert found(tmp_path) == [".github/ci.yml", "a/b/c.py", "a/z.py", "b.md"]


@pytest.mark.parametrize(
    ("rules", "path", "is_folder", "ignored"),
    [
        ("*.log", "deep/down/x.log", False, True),
        ("*.log\n!keep.log", "deep/keep.log", False, False),
        ("!keep.log\n*.log", "keep.log", False, True),
        ("/build", "build", True, True),
        ("/build", "src/build", True, None),
        ("build/", "build", False, None),
        ("build/", "src/build", True, True),
        ("docs/*.txt", "docs/a.txt", False, True),
        ("docs/*.txt", "docs/b/a.txt", False, None),
        ("docs/**/a.txt", "docs/b/c/a.txt", False, True),
        ("**/tmp", "x/y/tmp", True, True),
        ("logs/**", "logs/a/b", False, True),
        ("logs/**", "logs", True, None),
        ("a?c", "abc", False, True),
        ("[ab].txt", "b.txt", False, True),
        ("[!ab].txt", "b.txt", False, None),
        ("\\#x", "#x", False, True),
        ("# comment", "# comment", False, None),
        ("trail   ", "trail", False, True),
        ("[", "x", False, None),
    ],
)
def test_rules_of_gitignore(rules: str, path: str, is_folder: bool, ignored: bool | None) -> None:
    assert parse_rules(rules.split("\n")).verdict(path, is_folder=is_folder) is ignored


def test_nested_gitignores_outweigh_outer_ones(tmp_path: Path) -> None:
    tree(tmp_path, "a.txt", "sub/a.txt", "sub/b.md", "other/a.txt", "out/x.md")
    (tmp_path / ".gitignore").write_text("*.txt\n/out/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!a.txt\nb.md\n")
    assert found(tmp_path) == [".gitignore", "sub/.gitignore", "sub/a.txt"]


def test_a_folder_within_a_repository_obeys_the_rules_above_it(tmp_path: Path) -> None:
    tree(tmp_path, ".git/config", "part/a.log", "part/b.md", "part/gen/c.md")
    (tmp_path / ".gitignore").write_text("*.log\npart/gen/\n")
    assert found(tmp_path / "part") == ["b.md"]
    assert found(tmp_path, "part") == ["part/b.md"]


def test_a_folder_that_is_ignored_but_asked_for_is_read(tmp_path: Path) -> None:
    tree(tmp_path, ".git/config", "gen/a.md")
    (tmp_path / ".gitignore").write_text("gen/\n")
    assert found(tmp_path / "gen") == ["a.md"]
    assert found(tmp_path, "gen") == ["gen/a.md"]
    assert found(tmp_path, "gen/a.md") == ["gen/a.md"]


def test_links_are_not_followed_out_of_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    tree(root, "real.md", "d/x.md")
    tree(outside, "secret.md")
    os.symlink(outside / "secret.md", root / "leak.md")
    os.symlink(outside, root / "folder")
    os.symlink(root / "real.md", root / "same.md")
    walked = walk(str(root), most_bytes=MOST)
    assert [file.path for file in walked.files] == ["d/x.md", "real.md", "same.md"]
    assert walked.skipped == [("folder", "link to a folder"), ("leak.md", "link out of the folder")]


def test_what_is_left_out_is_reported_with_its_reason(tmp_path: Path) -> None:
    tree(tmp_path, ".env", "logo.png", "yarn.lock", "ok.py", "key.pem")
    (tmp_path / "big.txt").write_text("x" * (MOST + 1))
    skipped = dict(walk(str(tmp_path), most_bytes=MOST).skipped)
    assert found(tmp_path) == ["ok.py"]
    assert skipped == {
        ".env": "secret: by its name",
        "key.pem": "secret: by its name",
        "logo.png": "binary",
        "yarn.lock": "generated",
        "big.txt": "too large: 1,001 bytes",
    }


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n",
        'key = "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0"',
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n",
        "aws = AKIA" + "QWER7TYUIOP3ASDF",
        "aws_secret_access_key = " + "aB3/" * 10,
        "token: ghp_" + "aZ9k" * 9,
        "github_pat_" + "11ABC" * 6,
        "xoxb-" + "492837465019-abcdefghijklmn",
    ],
)
def test_texts_with_keys_are_skipped_whole(text: str) -> None:
    reading = read("notes/setup.md", f"# Setup\n\n{text}\n")
    assert reading.skipped.startswith("secret: ")
    assert (reading.chunks, reading.entities, reading.statements) == ((), (), ())


@pytest.mark.parametrize(
    "text",
    [
        'HEADER = "-----BEGIN PRIVATE KEY-----"',
        "AKIAIOSFODNN7EXAMPLE",
        "Set ghp_... in the environment.",
        "task-runner-with-a-very-long-name-and-more-of-it-to-come",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQ\n",
    ],
)
def test_talk_about_keys_is_no_key(text: str) -> None:
    assert secret_in(text.encode()) == ""


@pytest.mark.parametrize(
    ("name", "secret"), [(".env.local", True), (".env.example", False), ("ID_RSA", True), ("key.py", False)]
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret
    assert bool(read(f"conf/{name}", "a = 1\n").skipped) is secret
