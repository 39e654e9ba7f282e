from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.configure import configure, names
from recollect.errors import InvalidInput, UnknownName
from recollect.settings import Settings

TOML = """
recipe = "deep"
max_results = 7
timeout_seconds = 1
enabled = false

[embedder]
name = "static"

[store]
path = "/somewhere/else"
"""
YAML = """
recipe: deep
max_results: 7
timeout_seconds: 1
enabled: off
embedder:
  name: static
store:
  path: /somewhere/else
"""


def written(folder: Path, text: str, name: str = "settings.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


# --- where values come from ----------------------------------------------------------------------


def test_without_anything_the_defaults_hold() -> None:
    assert configure() == Settings()


@pytest.mark.parametrize(("name", "text"), [("s.toml", TOML), ("s.yaml", YAML), ("s.yml", YAML)])
def test_a_file_sets_what_it_names(name: str, text: str, tmp_path: Path) -> None:
    settings = configure(file=written(tmp_path, text, name))
    assert (settings.recipe, settings.max_results, settings.timeout_seconds) == ("deep", 7, 1.0)
    assert settings.enabled is False
    assert settings.embedder.name == "static"
    assert settings.store.path == Path("/somewhere/else")
    assert settings.quality_threshold == Settings().quality_threshold


def test_the_environment_sets_what_it_names() -> None:
    environment = {
        "RECOLLECT_RECIPE": "fast",
        "RECOLLECT_MAX_RESULTS": "3",
        "RECOLLECT_EMBEDDER__NAME": "hashing",
        "RECOLLECT_EMBEDDER__DIMENSIONS": "256",
        "RECOLLECT_ENABLED": "No",
        "RECOLLECTION": "not ours",
        "PATH": "/bin",
    }
    settings = configure(environment=environment)
    assert (settings.recipe, settings.max_results, settings.enabled) == ("fast", 3, False)
    assert (settings.embedder.name, settings.embedder.dimensions) == ("hashing", 256)


PRECEDENCE = {
    "environment over default": ({"env": 1}, 1),
    "file over environment": ({"env": 1, "file": 2}, 2),
    "argument over file": ({"file": 2, "argument": 3}, 3),
    "argument over all": ({"env": 1, "file": 2, "argument": 3}, 3),
}


@pytest.mark.parametrize(("given", "expected"), PRECEDENCE.values(), ids=PRECEDENCE)
def test_precedence(given: dict[str, int], expected: int, tmp_path: Path) -> None:
    settings = configure(
        {"max_results": given["argument"]} if "argument" in given else None,
        file=written(tmp_path, f"max_results = {given['file']}") if "file" in given else None,
        environment={"RECOLLECT_MAX_RESULTS": str(given["env"])} if "env" in given else None,
    )
    assert settings.max_results == expected


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    environment = {"RECOLLECT_CONFIG": str(written(tmp_path, "max_results = 5"))}
    assert configure(environment=environment).max_results == 5


def test_a_file_that_is_given_goes_before_the_one_the_environment_names(tmp_path: Path) -> None:
    environment = {"RECOLLECT_CONFIG": str(tmp_path / "missing.toml")}
    assert configure(file=written(tmp_path, "max_results = 5"), environment=environment).max_results == 5


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    for name in ("s.toml", "s.yaml"):
        assert configure(file=written(tmp_path, "", name)) == Settings()


# --- shorthand -----------------------------------------------------------------------------------


def test_the_embedder_may_be_named_alone(tmp_path: Path) -> None:
    assert configure({"embedder": "static"}).embedder.name == "static"
    assert configure(file=written(tmp_path, 'embedder = "static"')).embedder.name == "static"
    assert configure(environment={"RECOLLECT_EMBEDDER": "static"}).embedder.name == "static"


def test_the_shorthand_of_a_later_layer_overrules_the_long_form_of_an_earlier(tmp_path: Path) -> None:
    settings = configure(
        {"embedder": "hashing"},
        file=written(tmp_path, '[embedder]\nname = "minilm"'),
        environment={"RECOLLECT_EMBEDDER": "static"},
    )
    assert settings.embedder.name == "hashing"


def test_the_long_form_of_a_later_layer_overrules_the_shorthand_of_an_earlier() -> None:
    settings = configure({"embedder.name": "hashing"}, environment={"RECOLLECT_EMBEDDER": "static"})
    assert settings.embedder.name == "hashing"


def test_the_shorthand_leaves_the_other_settings_of_its_table() -> None:
    settings = configure({"embedder": "minilm", "embedder.offline": True})
    assert (settings.embedder.name, settings.embedder.offline) == ("minilm", True)


# --- refusals ------------------------------------------------------------------------------------

BAD: dict[str, tuple[str, Any]] = {
    "not a number": ("max_results", "many"),
    "below": ("max_results", -1),
    "above": ("max_results", 1_001),
    "half a result": ("max_results", 3.5),
    "half a result as text": ("max_results", "3.5"),
    "truth value for a number": ("max_results", True),
    "list for a number": ("max_results", [1]),
    "nothing for a number": ("max_results", None),
    "not a number at all": ("quality_threshold", float("nan")),
    "endless": ("timeout_seconds", float("inf")),
    "endless as text": ("timeout_seconds", "inf"),
    "zero seconds": ("timeout_seconds", 0),
    "over one": ("quality_threshold", 1.01),
    "unknown choice": ("recipe", "slow"),
    "number for a choice": ("recipe", 5),
    "number for a truth value": ("enabled", 2),
    "word for a truth value": ("enabled", "maybe"),
    "nothing for a truth value": ("enabled", None),
    "number for a path": ("store.path", 5),
    "nested, below": ("store.open_spaces", 0),
    "nested, unknown choice": ("embedder.precision", "int4"),
    "nested, optional, below": ("embedder.dimensions", 0),
    "nested, not a number": ("write.same_cosine", "close"),
    "nested, too far": ("forgetting.growth", 11),
}


@pytest.mark.parametrize(("name", "value"), BAD.values(), ids=BAD)
def test_an_impossible_value_is_refused_naming_the_setting(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        configure({name: value})
    assert raised.value.field == name
    assert repr(name) in str(raised.value)


NUMBERS = [(name, each) for name, each, _ in names() if each.metadata.get("low") is not None]


@pytest.mark.parametrize(("name", "each"), NUMBERS, ids=[name for name, _ in NUMBERS])
def test_every_number_has_both_bounds_and_keeps_them(name: str, each: Any) -> None:
    low, high = each.metadata["low"], each.metadata["high"]
    for beyond in (low - 1, high + 1):
        with pytest.raises(InvalidInput) as raised:
            configure({name: beyond})
        assert raised.value.field == name


def test_every_setting_says_what_it_does() -> None:
    assert [name for name, each, _ in names() if not each.metadata.get("what")] == []


UNORDERED = {
    "confidence": {"medium_confidence": 0.9, "high_confidence": 0.5},
    "cosines": {"write.similar_cosine": 0.99},
    "forgetting": {"forgetting.weak_above": 0.9},
}


@pytest.mark.parametrize("given", UNORDERED.values(), ids=UNORDERED)
def test_limits_in_the_wrong_order_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="must not exceed"):
        configure(given)


UNKNOWN = {
    "top": ("max_result", "max_results"),
    "nested": ("store.folder", "open_spaces"),
    "unknown table": ("stores.path", "store"),
    "table as a value": ("store", "embedder"),
    "value as a table": ("recipe.name", "recipe"),
    "empty": ("", "enabled"),
}


@pytest.mark.parametrize(("name", "known"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_name_lists_the_known_ones(name: str, known: str) -> None:
    with pytest.raises(UnknownName) as raised:
        configure({name: 1})
    assert known in str(raised.value)
    assert raised.value.field == name


def test_an_unknown_variable_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown setting 'max_result'"):
        configure(environment={"RECOLLECT_MAX_RESULT": "3"})


BAD_FILES = {
    "not TOML": ("s.toml", "max_results = = 3", "not valid TOML"),
    "not YAML": ("s.yaml", "max_results: [3", "not valid YAML"),
    "a list": ("s.yaml", "- 1\n- 2", "must hold a table"),
    "a text": ("s.yaml", "hello", "must hold a table"),
    "a number as name": ("s.yaml", "1: 2", "unknown setting '1'"),
    "a truth value as name": ("s.yaml", "on: 2", "unknown setting 'True'"),
    "code": ("s.yaml", "recipe: !!python/object/apply:os.getcwd []", "not valid YAML"),
}


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        configure(file=written(tmp_path, text, name))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"missing\.toml' cannot be read: No such file"):
        configure(file=tmp_path / "missing.toml")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        configure(file=tmp_path / "s.toml")
