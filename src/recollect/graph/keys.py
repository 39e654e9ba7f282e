"""Keys taken apart: what a key is below, what the thing is called, and the text id of a node. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.memories import name_key

NAME = "name:"
BETWEEN = "::"  # between project and key in the id of a node
UNOWNED_KIND = "external"
NAME_KIND = "name"
PLAIN_SORTS = {"name", "http", "service", "image", "file"}  # their keys have no names inside names
DOTTED = ("py:", "java:", "sql:")  # nothing but dots between their names
SEPARATOR = re.compile(r"::|[.#]")
STEP = re.compile(r"::|[./]")

Ref = tuple[str, str]  # a project and a key as it is used there; the project is empty for a thing nobody defines


def id_of(project: str, key: str) -> str:
    """The text id of a node.

    >>> id_of("shop", "py:shop.Order"), id_of("", "py:os.path")
    ('shop::py:shop.Order', '::py:os.path')
    """
    return f"{project}{BETWEEN}{key}"


def ref_of(id: str) -> Ref:
    """Project and key of a text id.

    >>> ref_of("shop::rs:shop::Order"), ref_of("odd")
    (('shop', 'rs:shop::Order'), ('', ''))
    """
    project, between, key = id.partition(BETWEEN)
    return (project, key) if between else ("", "")


def heads(key: str) -> Iterator[tuple[str, str]]:
    """What a key is below, nearest first, each with the rest, which begins with the separator.

    >>> list(heads("py:a.b.C")), list(heads("ts:src/user.ts#User"))[0]
    ([('py:a.b', '.C'), ('py:a', '.b.C')], ('ts:src/user.ts', '#User'))
    """
    first = key.find(":") + 1
    if key.startswith(DOTTED):
        at = key.rfind(".")
        while at > first:
            yield key[:at], key[at:]
            at = key.rfind(".", first, at)
        return
    for found in reversed(list(SEPARATOR.finditer(key, first))):
        if found.start() > first:
            yield key[: found.start()], key[found.start() :]


def top_of(key: str) -> str:
    """The first part of a key, by which a project may be called.

    >>> top_of("py:requests.sessions.Session"), top_of("service:billing")
    ('requests', 'billing')
    """
    return re.split(r"::|[./#]", key[key.find(":") + 1 :], maxsplit=1)[0]


def steps_of(key: str) -> list[str]:
    """The names inside a key, outermost first; a file before a `#` is one of them, without folder and ending.

    >>> steps_of("py:shop.Order.total"), steps_of("ts:src/user.ts#User.load"), steps_of("name:ana ortiz")
    (['shop', 'Order', 'total'], ['user', 'User', 'load'], ['ana ortiz'])
    """
    sort, _, rest = key.partition(":")
    if sort in PLAIN_SORTS:
        return [rest]
    file, hash, inside = rest.rpartition("#")
    before = [file.rpartition("/")[2].partition(".")[0]] if hash else []
    return [step for step in (*before, *STEP.split(inside)) if step]


def last_of(key: str) -> str:
    """The name key of the last of them, under which a key is looked up.

    >>> last_of("py:shop.Order.get_total"), last_of("http:GET /orders")
    ('get_total', 'get orders')
    """
    last = key.rpartition(".")[2]
    if key.startswith(DOTTED) and last.isidentifier():  # most keys are: the same, in a tenth of the time
        return last.casefold()
    steps = steps_of(key)
    return plain_key(steps[-1]) if steps else ""


def plain_key(name: str) -> str:
    """The name key of a name that is mostly one word.

    >>> plain_key("getTotal"), plain_key("The Boat (film)")
    ('gettotal', 'the boat')
    """
    return name.casefold() if name.isidentifier() else name_key(name)


def longer_names(key: str) -> set[str]:
    """The names of a key that say more than its last: all of it, and its last two.

    >>> sorted(longer_names("py:requests.sessions.Session.get"))
    ['requests sessions session get', 'session get']
    """
    steps = steps_of(key)
    if len(steps) < 2:
        return set()
    return {name_key(" ".join(steps)), name_key(" ".join(steps[-2:]))}


def shown_name(key: str) -> str:
    """What a thing is called that nobody defines.

    >>> shown_name("py:os.path.join"), shown_name("name:ana ortiz")
    ('join', 'ana ortiz')
    """
    steps = steps_of(key)
    return steps[-1] if steps else key


def name_of_triple(name: str) -> str:
    """The key of a thing that a triple names.

    >>> name_of_triple("Ana-Maria  Ortiz"), name_of_triple("?!")
    ('name:ana maria ortiz', 'name:?!')
    """
    return NAME + (name_key(name) or name.strip().casefold())
