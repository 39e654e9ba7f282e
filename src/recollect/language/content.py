"""Which words of a text carry its content: a table of those that do not, and the words that are left.

Shared by `fallbacks` and `keyterms`. Takes text; gives words as written, in order. Decides nothing about rank.
"""

from __future__ import annotations

import re

from recollect.language.words import DETERMINERS, HELPING, QUESTION_WORDS, straighten

# Words that hold a sentence together or wrap a question; a search by them alone finds anything.
OTHERS = """
    i me we us you he him she it they them mine ours yours hers theirs myself yourself itself themselves one ones and
    or but nor so yet if then than because although though while unless whether as of in on at by to for from with
    without about into onto over under between among through during before after since until till up down out off
    again against within along across behind beyond near per via upon toward towards around not no never none nothing
    nobody nowhere neither only just also too very really quite rather still even ever already yes ok okay please
    thanks thank hi hello hey be been being am isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't
    can't couldn't won't wouldn't shouldn't cannot having doing done got get gets getting let lets there here now
    today yesterday tomorrow tonight recently lately all any some every each both either few more most many much
    several other others another such same own tell show give find check look list explain describe remind recall
    search summarize summarise know remember say said anything something someone anyone everything everyone thing
    things stuff kind sort way ways lot lots bit like else exactly currently ago back i'm i've i'd i'll it's he's
    she's they're we're you're that's there's what's who's where's when's how's let's
    """.split()
STOP_WORDS = frozenset([*OTHERS, *DETERMINERS, *HELPING, *QUESTION_WORDS])

WORD = re.compile(r"\$?[^\W_][\w]*(?:[.'&/@+:-][\w]+)*[+#]{0,2}|_+\w+")


def words_of(text: str) -> list[str]:
    """The words of a text as written, without the owner's "'s".

    >>> words_of("What’s Ana's C++ stop-loss for order_book.py?")
    ["What's", 'Ana', 'C++', 'stop-loss', 'for', 'order_book.py']
    """
    words = WORD.findall(straighten(text))
    return [word if word.lower() in STOP_WORDS else word.removesuffix("'s") for word in words]


def is_content(word: str) -> bool:
    """Whether a word says what a text is about.

    >>> is_content("Lisbon"), is_content("The"), is_content("x")
    (True, False, False)
    """
    return word.lower() not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())


def content_words(text: str) -> list[str]:
    """The words that carry the content, in order, once each, whatever their case.

    >>> content_words("When did Ana join the Porto office, and who met Ana?")
    ['Ana', 'join', 'Porto', 'office', 'met']
    """
    found: dict[str, str] = {}
    for word in words_of(text):
        if is_content(word):
            found.setdefault(word.lower(), word)
    return list(found.values())
