"""When two texts are the same, and when they only look it: embeddings hardly see numbers, names and negation.

`fact_key` is the identity of what is said, `evidence_key` of who says it: one fact, many evidences.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from recollect.knowledge import CHUNK, PROSE
from recollect.readings import remembered
from recollect.records import Memory

# Each begins with the character it is found by and looks back from there, so that a text is passed over quickly.
_NUMBER = r"\d\d*(?:[.,:/-]\d+)*"
# A capital means a name: inside a sentence it does, at its beginning (after the mark of the second group) only where
# more capitals follow. White space as in "\s" for any text, also where the pattern is for plain text.
_CAPITALISED = r"([A-Z](?<!\w[A-Z])(?:(?<=([.!?])[\s\x1c-\x1f][A-Z])(?![A-Z0-9]+\b))?[\w-]*)"
NUMBER, CAPITALISED = re.compile(_NUMBER), re.compile(_CAPITALISED)
ASCII_NUMBER, ASCII_CAPITALISED = re.compile(_NUMBER, re.ASCII), re.compile(_CAPITALISED, re.ASCII)  # for plain text
NEGATION = re.compile(r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE)
DENIES = re.compile(  # finds one where NEGATION does
    r"[nNwW](?i:(?<!\w[nw])(?:(?<=n)(?:o(?:t|r|ne|body|thing)?|ever|either)|(?<=w)ithout)|(?<=\wn)['’]t|(?<=\bcann)ot)\b"
)

STATEMENT = ("subject", "relation", "object")
CLOSING = " .!;,…"  # no question mark: what is asked is not what is said
WORDS_THAT_STAND_ALONE = 5  # a shorter text ("4,200 euros") says nothing without its title
WORKED_OUT = frozenset({"answer", "path", "pattern", "entity"})  # kinds of what the graph tells in its own words
KEY_BYTES = 8


def content_hash(title: str, body: str) -> str:
    """The identity of a text: equal for texts that differ only in white space or Unicode form.

    >>> content_hash("", "a  b") == content_hash(" ", "a b")
    True
    """
    folded = "\n".join(" ".join(unicodedata.normalize("NFC", text).split()) for text in (title, body))
    return hashlib.sha256(folded.encode()).hexdigest()[:32]


def fact_key(memory: Memory) -> str:
    """The identity of what is said: of its statement where the metadata has one, else of its words.

    Case, white space, Unicode form and the mark at the end make no difference. The title is left out, unless the text
    is too short to say anything without it.
    """
    metadata = memory.metadata
    if metadata:
        statement = [metadata.get(name) for name in STATEMENT]
        if all(isinstance(each, str) and each.strip() for each in statement):
            return _key("statement", *(_folded(str(each)) for each in statement))
    return _key_of_text(memory.body, memory.title) or _key("id", memory.id)


@remembered
def _key_of_text(body: str, title: str) -> str:
    words = _folded(body)
    if words.count(" ") >= WORDS_THAT_STAND_ALONE - 1:
        return _key(words)
    said = (_folded(title), words)
    return _key(*said) if any(said) else ""


def evidence_key(memory: Memory) -> str:
    """The identity of who says it: where it was read, else who said it when in which words.

    Two places in one file are one evidence: it does not agree with itself. Two projects' files of one name are two.
    """
    if memory.source_uri:
        file = memory.source_uri.partition("#")[0] or memory.source_uri
        return _key("uri", file, memory.project) if memory.project else _key("uri", file)
    moment = memory.event_time or memory.created_at
    return _key("said", memory.author or "", str(moment.timestamp()), memory.content_hash or _folded(memory.body))


def is_told(memory: Memory) -> bool:
    """Whether its text is somebody's words, which others can contradict: not source code, nor what was only worked out.

    Two ways between the same ends, or two functions of one name with other numbers in them, hold side by side.
    """
    if memory.kind == CHUNK:
        return memory.metadata.get("language", "text") in PROSE
    return memory.kind not in WORKED_OUT


def _folded(text: str) -> str:
    if text.isascii() and text.isprintable() and "  " not in text:  # most texts: nothing to even out
        return text.lower().strip().rstrip(CLOSING)
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).rstrip(CLOSING)


def _key(*parts: str) -> str:
    text = "\n".join(parts)  # folded texts have no line breaks, so that no two lists of parts look the same
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=KEY_BYTES).hexdigest()


@remembered
def details(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """What must agree for two similar texts to be the same: numbers, names, and whether it denies.

    >>> numbers, names, denies = details("Ana did not pay 30 EUR")
    >>> sorted(numbers), sorted(names), denies
    (['30'], ['eur'], True)
    """
    number, capitalised = (ASCII_NUMBER, ASCII_CAPITALISED) if text.isascii() else (NUMBER, CAPITALISED)
    names = [word.lower() for word, opens in capitalised.findall(f". {text}") if not opens]  # a text opens a sentence
    denies = " not " in text or DENIES.search(text) is not None
    return frozenset(number.findall(text)), frozenset(names), denies


def details_agree(one: str, other: str) -> bool:
    """Whether two texts name the same numbers and names and both deny or both do not.

    >>> details_agree("BTC target is 100k", "BTC target is 120k")
    False
    """
    return details(one) == details(other)
