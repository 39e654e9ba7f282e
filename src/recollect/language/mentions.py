"""Which names a stored text mentions: runs of words that begin with a capital letter, as keys to look titles up by.

Coarser than `entities`, which reads questions: a key too many costs one look into an index, and there are many texts.
Every run is given from each of its words on, since nothing in a text says where a name begins and ends.
"""

from __future__ import annotations

from recollect.language.lazily import lazily
from recollect.records import name_key

LOOKED_AT = 1_500  # characters of one text
MOST_KEYS = 200  # of one text
LONGEST = 6  # words of one key
SHORTEST = 4  # letters of a key; shorter ones name too many things
YEAR = 4  # digits that may begin a name

TOKEN = lazily(r"\w+|[,.!?](?=\s)|[\n;:]|\[\[[^\[\]]{2,80}\]\]")
SMALL = frozenset(
    """
    the a an of in on at to for and or by with from is was are were be as it its his her he she they this that which who
    also has had have not but one two first de la von van der du
    """.split()
)


def mentioned(text: str) -> list[str]:
    """Keys of what may be names in a text, in order; also what [[links]] point to.

    >>> keys = mentioned("His mother was Ida of the Lake. Then A. R. Rowe left.")
    >>> [key in keys for key in ("ida of the lake", "a r rowe", "mother", "the lake then")]
    [True, True, False, False]
    """
    tokens = TOKEN.findall(text[:LOOKED_AT])
    low = [_small(token) for token in tokens]
    keys: dict[str, None] = {}
    for place, token in enumerate(tokens):
        first = token[0]
        if first == "[":
            if key := name_key(token.strip("[]").partition("|")[0]):  # as [[title|shown so]]
                keys[key] = None
        elif first.isupper() or (first.isdigit() and len(token) == YEAR):
            follows = tokens[place + 1 : place + 2]
            if low[place] in SMALL and len(token) > 1 and follows and not follows[0][0].isupper():
                continue  # the first word of a sentence, rather than of a name
            _runs(tokens, low, place, keys)
        if len(keys) >= MOST_KEYS:
            break
    return list(keys)[:MOST_KEYS]


def _small(token: str) -> str:
    """In small letters, as `name_key` has them: some letters become two, not all of them part of a word."""
    low = token.casefold()
    return low if len(low) == len(token) else name_key(low)


def _runs(tokens: list[str], low: list[str], start: int, keys: dict[str, None]) -> None:
    """All runs from one word on, up to where a sentence ends; an initial's full stop ends none."""
    key, words = "", 0
    for place in range(start, len(tokens)):
        token = tokens[place]
        if not (token[0].isalnum() or token[0] == "_"):
            if token == "," or (token == "." and len(tokens[place - 1]) == 1):
                continue
            break
        key, words = f"{key} {low[place]}" if key else low[place], words + 1
        if low[place] not in SMALL and len(key) >= SHORTEST:
            keys[key] = None
        if words == LONGEST:
            break
