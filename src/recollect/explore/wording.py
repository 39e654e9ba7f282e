"""Words of a question as names are compared: with their places, their stems, and whether they name anything at all."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from recollect.language.content import STOP_WORDS
from recollect.language.words import straighten
from recollect.memories import name_key

WORD = re.compile(r"\w+")
LOOKED_AT = 2_000  # characters; what is pasted beyond them asks nothing
PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
CODE_LIKE = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
ENDINGS = (
    "ations ation ators ator ments ment ions ion ings ing ists ist ships ship ers ors ies ied ees er or ed es ee e s y"
).split()
SHORTEST_STEM = 3  # letters that must be left of a word


class Token(NamedTuple):
    """One word of a question: as written, in small letters, and where it stands."""

    text: str
    low: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """The words of a text, cut as `name_key` cuts names.

    >>> [token.low for token in tokens_of("Who co-wrote Lloyd's of London?")]
    ['who', 'co', 'wrote', 'lloyd', 's', 'of', 'london']
    """
    plain = straighten(text[:LOOKED_AT])
    return [Token(found[0], found[0].casefold(), *found.span()) for found in WORD.finditer(plain)]


def is_function_word(low: str) -> bool:
    """Whether a word only holds a sentence together."""
    return low in STOP_WORDS or len(low) == 1


def looks_like_code(text: str) -> bool:
    """Whether a word is written as identifiers are.

    >>> looks_like_code("OrderService"), looks_like_code("load_orders"), looks_like_code("London")
    (True, True, False)
    """
    return bool(CODE_LIKE.search(text))


@cache
def stem(word: str) -> str:
    """What a word has in common with its relatives; rough, and the same for both sides of a comparison.

    >>> {stem(word) for word in ("directs", "directed", "director", "directors", "directing", "direction")}
    {'direct'}
    >>> stem("sponsored") == stem("sponsors") == stem("sponsor"), stem("as")
    (True, 'as')
    """
    low = word.casefold()
    while True:
        ending = next((end for end in ENDINGS if low.endswith(end) and len(low) - len(end) >= SHORTEST_STEM), "")
        if not ending or low.endswith("ss"):
            break
        low = low.removesuffix(ending)
    return low[:-1] if len(low) > SHORTEST_STEM and low[-1] == low[-2] and low[-1] not in "sl" else low


def singular(word: str) -> str:
    """A noun without its plural.

    >>> singular("movies"), singular("classes"), singular("entities"), singular("class"), singular("people")
    ('movie', 'class', 'entity', 'class', 'person')
    """
    low = word.casefold()
    if low in ODD_PLURALS:
        return ODD_PLURALS[low]
    if low.endswith("ies") and len(low) > len("movies"):
        return f"{low[:-3]}y"
    if low.endswith(("sses", "shes", "ches", "xes")):
        return low[:-2]
    plural = low.endswith("s") and not low.endswith(("ss", "us", "is", "as")) and len(low) >= SHORTEST_STEM
    return low[:-1] if plural else low


ODD_PLURALS = {"people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child",
               "wives": "wife", "indices": "index", "schemas": "schema", "series": "series"}  # fmt: skip


@cache
def name_words(name: str) -> frozenset[str]:
    """The words a name is made of, singular, however they are joined.

    >>> sorted(name_words("CustomerAccounts")), sorted(name_words("crm.customer_notes"))
    (['account', 'customer'], ['crm', 'customer', 'note'])
    """
    pieces = (piece for word in WORD.findall(name) for part in word.split("_") for piece in PIECE.findall(part))
    return frozenset(singular(piece) for piece in pieces if piece)


def spellings_of(words: list[str]) -> list[str]:
    """How words that stand together may be one name: apart, and as identifiers write them.

    >>> spellings_of(["Payment", "gateway"]), spellings_of(["OrderService"])
    (['payment gateway', 'paymentgateway', 'payment_gateway'], ['orderservice', 'order service', 'order_service'])
    """
    apart = name_key(" ".join(words))
    if len(words) == 1:
        pieces = [piece.casefold() for piece in PIECE.findall(words[0].replace("_", " "))]
        joined = [] if len(pieces) < 2 else [" ".join(pieces), "_".join(pieces), "".join(pieces)]
    else:
        joined = ["".join(words).casefold(), "_".join(words).casefold()] if len(words) <= LONGEST_JOINED else []
    return list(dict.fromkeys([apart, *joined]))


LONGEST_JOINED = 4  # words that an identifier is likely to be made of
