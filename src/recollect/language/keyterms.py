"""A long text -> the few terms it is about, as one query: its names, then the words it uses most.

Takes pasted text of any length; looks at its beginning only, so that the cost is bounded. Leaves the splitting of
ordinary questions to `parts`.
"""

from __future__ import annotations

from collections import Counter

from recollect.language.content import content_words, is_content, words_of
from recollect.language.entities import find_entities

LOOKED_AT = 20_000  # characters
NAMES_SHARE = 2  # of the terms one in so many may be a name, so that the subject itself gets in


def key_terms(text: str, most: int = 24) -> str:
    """At most `most` terms: names first, then the most frequent content words, each in order of first occurrence.

    >>> key_terms("The pump of the boat failed. Ana Silva fixed the pump. The boat is fine now.", most=3)
    'Ana Silva pump boat'
    """
    words = [word for word in words_of(text[:LOOKED_AT]) if is_content(word)]
    names = list(find_entities(text))[: max(1, most // NAMES_SHARE)]
    named = {word.lower() for name in names for word in content_words(name)}
    counts = Counter(word.lower() for word in words)
    written: dict[str, str] = {}
    for word in words:
        written.setdefault(word.lower(), word)
    left = [word for word in written if word not in named]
    frequent = sorted(left, key=lambda word: -counts[word])[: max(0, most - len(names))]
    chosen = set(frequent)
    return " ".join([*names, *(written[word] for word in left if word in chosen)])
