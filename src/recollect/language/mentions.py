"""Which names a stored text mentions: capitalised runs and [[links]], found quickly, as keys to look titles up by.

Coarser than `entities`, which reads questions: a name too many costs one look into an index, and there are many texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.language.lazily import lazily
from recollect.records import name_key

LOOKED_AT = 1_500  # characters of one text
MOST_NAMES = 40  # of one text
SHORTEST = 4  # letters of a key; shorter ones name too many things

RUN = lazily(
    r"(?:[A-ZÀ-ÖØ-Þ][\w'’.&-]*|\d{4})(?:\s+(?:of\s+the|of|the|and|de|la|du|von|van|der|in|for|to|a|&)?\s*"
    r"(?:[A-ZÀ-ÖØ-Þ][\w'’.&-]*|\d{1,4}(?=[\s,.]))){0,7}|\[\[[^\[\]]{2,80}\]\]"
)

JOINED = lazily(r"\s+(?:of\s+the|of|the|and|de|la|du|von|van|der|in|for|to|a|&)\s+")
POSSESSIVE = lazily(r"['’]s?$")


def mentioned(text: str) -> list[str]:
    """Keys of the names in a text, in order. A run of names joined by small words may be one name or several, and a
    sentence may begin with a word that is no part of one: a run is given whole, in pieces, and without its edges.

    >>> mentioned("In Old Harbour Town the Blue Boat sank.")[:1], "blue boat" in mentioned("the Town of the Blue Boat")
    (['in old harbour town the blue boat'], True)
    """
    keys: dict[str, None] = {}
    for match in RUN.finditer(text[:LOOKED_AT]):
        name = match.group().strip("[]").partition("|")[0]
        keys |= dict.fromkeys(key for key in _variants(name) if len(key) >= SHORTEST)
        if len(keys) >= MOST_NAMES:
            break
    return list(keys)[:MOST_NAMES]


def _variants(name: str) -> Iterator[str]:
    whole = name_key(POSSESSIVE.sub("", name))
    yield whole
    pieces = [name_key(POSSESSIVE.sub("", piece)) for piece in JOINED.split(name)]
    for key in (whole, *pieces) if len(pieces) > 1 else pieces:
        yield key
        if " " in key:
            yield key.partition(" ")[2]
            yield key.rpartition(" ")[0]
