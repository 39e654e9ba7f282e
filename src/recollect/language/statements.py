"""What a text states: text -> (subject, relation, object, negated), and whether two statements can both hold.

By the tables in `relations`, and cautious: a wrong statement makes a false conflict, which costs more than a missed
one. First person is "i" before a verb ("I live in Porto") and "my …" before a thing ("my doctor is Ana"); the same
with "we" and "our". A thing of somebody's is "ana's doctor", however it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.language import relations as table
from recollect.language.content import STOP_WORDS
from recollect.language.forms import NOUNS_TOO, VERBS
from recollect.language.objects import (
    POLARITY_DIFFERS,
    Value,
    counts_differ,
    denies,
    differ,
    exclude_each_other,
    is_state,
    value_of,
)
from recollect.language.relations import FUNCTIONAL as FUNCTIONAL
from recollect.language.words import straighten

LOOKED_AT = 1_500  # characters
MOST = 12  # statements
LONGEST_SUBJECT = 6  # words
LONGEST_OBJECT = 14
LONGEST_VALUE = 5  # words after "key:"
DOING = VERBS - NOUNS_TOO  # a subject holds none of them


class Statement(NamedTuple):
    """One thing a text says: lower case, without "the" and "a"; the relation is a word of the table below."""

    subject: str
    relation: str
    object: str
    negated: bool = False


def find_statements(text: str, *, title: str = "") -> tuple[Statement, ...]:
    """What the first sentences state. Where one text says a thing twice, the later saying counts.

    The title tells whose a bare value is: "port: 80" under "Proxy" is the proxy's.

    >>> [tuple(each) for each in find_statements("Ana no longer lives in Porto. My doctor is Ana Silva.")]
    [('ana', 'lives_in', 'porto', True), ('my doctor', 'is', 'ana silva', False)]
    """
    found: dict[tuple[str, str, str], Statement] = {}
    plain = straighten(text[:LOOKED_AT])
    if "I'" in plain or "we'" in plain or "We'" in plain:
        plain = table.CONTRACTED.sub(lambda match: f"{match[1]} {table.FULL[match[2]]}", plain)
    for sentence in _sentences(plain):
        for statement in _of_sentence(sentence.strip(), owner=fold(title)):
            single = statement.relation in FUNCTIONAL and not statement.negated
            found[statement.subject, statement.relation, "" if single else statement.object] = statement
        if len(found) >= MOST:
            break
    return tuple(found.values())[:MOST]


def disagree(one: Statement, other: Statement) -> str | None:
    """The reason two statements cannot both hold, or None.

    >>> disagree(Statement("ana", "lives_in", "porto"), Statement("ana", "lives_in", "lisbon"))
    'objects_differ'
    """
    if (one.subject, one.relation) != (other.subject, other.relation) or (one.negated and other.negated):
        return None
    if one.negated or other.negated:
        denied, said = (one, other) if one.negated else (other, one)
        return POLARITY_DIFFERS if denies(denied.object, said.object, exactly=one.relation == "likes") else None
    if one.relation in table.COUNTED:
        return counts_differ(one.object, other.object)
    if one.relation == "described_as":
        return exclude_each_other(one.object, other.object)
    return differ(one.object, other.object) if one.relation in FUNCTIONAL else None


def fold(text: str) -> str:
    """A subject or object in lower case, without "the" and "a", marks or spaces around it.

    >>> fold("The Blue  Boat."), fold("**eu-west-1**")
    ('blue boat', 'eu-west-1')
    """
    return table.DETERMINER.sub("", " ".join(text.lower().split()).strip(" .,;:!*_`\"'()[]“”"))


def _sentences(text: str) -> Iterator[str]:
    """The first sentences and lines, with the mark that ends them."""
    start = count = 0
    for end in table.SENTENCE_END.finditer(text):
        sentence = text[start : end.start() + 1]
        if not f" {sentence}".lower().endswith(table.SHORTENED):
            yield sentence
            start, count = end.end(), count + 1
        if count >= MOST:
            return
    yield text[start:]


def _of_sentence(sentence: str, *, owner: str) -> Iterator[Statement]:
    if not sentence or sentence.endswith("?"):
        return
    key_line = table.KEY_LINE.match(sentence) if ":" in sentence[:50] or "=" in sentence[:50] else None
    if key_line and (statement := _key_line(key_line["key"], key_line["value"], owner)):
        yield statement
        return
    sentence = table.LEAD.sub("", sentence)
    low = sentence.lower()
    if "every" in low or "each" in low:
        sentence = table.FREQUENCY.sub("", sentence)
    words = {word.lower() if word != "May" else "" for word in sentence.split()}
    if words.isdisjoint(table.OPENING) or not words.isdisjoint(table.UNSURE):
        return
    for clause in table.CLAUSE.split(sentence):
        if match := table.NOT_OTHER.match(clause):
            rest = clause[match.end() :]
            yield from _of_clause(f"{match['one']} {rest}", owner=owner)
            for said in _of_clause(f"{match['other']} {rest}", owner=owner):
                yield said._replace(negated=not said.negated)
        else:
            yield from _of_clause(clause, owner=owner)


def _of_clause(clause: str, *, owner: str, subject: str = "") -> Iterator[Statement]:
    """What one clause states, and what it goes on to state of the same subject: "works at Acme and lives in Porto"."""
    match = table.VERB.match(clause) if subject else _first_verb(clause)
    if not match:
        return
    subject = subject or clause[: match.start()].strip()
    relation = str(match.lastgroup)
    said, rest = _until_next_verb(clause[match.end() :])
    verb = match[relation]
    negated = _is_negated(match, relation)
    if relation == "is":
        after = table.AFTER_IS.match(said)
        negated = bool(negated or (after and after["no"]) or verb.endswith("n't"))
        said = said[after.end() :] if after else said
        if verb in {"was", "were"} and table.BOUNDED.search(said):
            said = ""  # it speaks of a time that is over
    if said.strip() and _denies_enough(relation, match["no"]):
        for who in filter(_is_subject, _subjects(subject)):
            yield from _stated(who, relation, verb, said, negated=negated, owner=owner)
    if rest:
        yield from _of_clause(rest, owner=owner, subject=subject)


def _first_verb(clause: str) -> re.Match[str] | None:
    """The first verb of the table, where no more words stand before it than a subject has."""
    for place, word in enumerate(table.WORD.finditer(clause)):
        if place > LONGEST_SUBJECT + 1 or (not place and word.group().lower() in table.POINTING):
            return None
        if place and word.group() in table.OPENING and (match := table.VERB.match(clause, word.start())):
            return match
    return None


def _until_next_verb(said: str) -> tuple[str, str]:
    """What is said up to an "and" that a verb follows, and what follows it."""
    joints = (joint for joint in table.AND.finditer(said) if " and " in said)
    joint = next((joint for joint in joints if table.VERB.match(said, joint.end())), None)
    return (said[: joint.start()], said[joint.end() :]) if joint else (said, "")


def _is_negated(match: re.Match[str], relation: str) -> bool:
    return bool(match["no"]) != bool(relation == "dislikes" or table.ENDING.match(match[relation]))


def _denies_enough(relation: str, no: str | None) -> bool:
    """Whether a negation says something lasting: "did not win" speaks of one time, "never won" of all."""
    lasting = relation in FUNCTIONAL or relation in table.LASTING or relation == "dislikes"
    return no is None or lasting or bool(table.NEVER.search(no))


def _stated(who: str, relation: str, verb: str, said: str, *, negated: bool, owner: str) -> Iterator[Statement]:
    """The statements one verb makes of a subject and what follows it."""
    if change := table.FROM_TO.match(said):
        for each, gone in ((change["old"], not negated), (change["new"], negated)):
            yield from _checked(who, relation, each, negated=gone, owner=owner)
        return
    if relation == "likes" and verb.startswith("prefer") and (choice := table.RATHER.match(_ended(said))):
        one, other = fold(choice["one"]), fold(choice["other"])
        first, second = sorted((one, other))
        yield Statement(_whose(who, ""), "prefers", f"{first} over {second}", negated != (one != first))
        return
    yield from _checked(who, relation, said, negated=negated, owner=owner)
    if relation == "is" and not negated and (based := table.BASED.search(said)):  # "a designer based in Porto"
        yield from _checked(who, "lives_in", based["place"], negated=False, owner=owner)
    if relation == "uses" and not negated and (left := table.INSTEAD.search(said)):
        yield from _checked(who, relation, left["old"], negated=True, owner=owner)


def _checked(who: str, relation: str, said: str, *, negated: bool, owner: str) -> Iterator[Statement]:
    """The statement, where its object is of the kind the relation has."""
    written = _ended(table.TIME_TAIL.sub("", said.rstrip(" .!")) if relation in table.PLACES else said)
    thing = fold(written)
    if not thing or len(thing.split()) > LONGEST_OBJECT or (relation == "is" and table.UNDER_WAY.match(thing)):
        return
    value = value_of(thing)
    dated = bool(value.dates)
    if relation == "lives_in" and dated:
        relation = "scheduled_for"
    subject = _whose(who, owner)
    if relation == "is":
        relation, subject = _kind_of_is(who, subject, written, value)
    fits = {
        **dict.fromkeys(table.PLACES, _is_name(written)),
        **dict.fromkeys(table.DATED, dated),
        "costs": bool(value.numbers),
    }
    if fits.get(relation, True):
        yield Statement(subject, "likes" if relation == "dislikes" else relation, thing, negated)


def _kind_of_is(who: str, subject: str, written: str, value: Value) -> tuple[str, str]:
    """What "is" means here, and of what: the value of something that has one, or a description among others."""
    thing = fold(written)
    last = subject.rpartition(" ")[2]
    if last in table.OTHER_NAMES and "'s " in subject:
        return table.OTHER_NAMES[last], subject.rpartition("'s ")[0]
    is_thing = bool(re.match(r"(?:the|my|our)\s+[a-z]", who, re.IGNORECASE)) or "'s " in subject
    has_value = table.VALUE_WORD.search(subject) is not None
    is_class = bool(re.match(r"(?:an?|the|one\s+of)\s", written.strip(), re.IGNORECASE))
    telling = bool(value.numbers or value.dates or _is_name(written))
    describes = is_class or is_state(thing) or table.JUDGED.match(thing) or table.NATIONALITY.match(thing)
    short = len(thing.split()) <= LONGEST_VALUE and not describes
    single = is_thing and not table.MANY.search(subject) and short and (has_value or telling)
    return "is" if single else "described_as", subject


def _key_line(key: str, said: str, owner: str) -> Statement | None:
    """ "Deploy target: eu-west-1" states a value; "Ana: see you there" does not, nor does a heading."""
    subject, written = fold(key), said.strip()
    words = subject.split()
    wrong = not words or len(words) > 4 or words[0] in table.NO_KEY or subject in table.NO_KEY
    if wrong or written.endswith(("?", "!")):
        return None
    thing = fold(written)
    if not thing or len(thing.split()) > LONGEST_VALUE or table.JUDGED.match(thing) or "//" in thing[:3]:
        return None
    value = value_of(thing)
    shaped = bool(value.numbers or value.dates or re.search(r"\d|\w[_/.-]\w", thing))
    named = key.istitle() and not table.VALUE_WORD.search(subject)
    plain = not named and (len(words) > 1 or bool(table.VALUE_WORD.search(subject)))
    if not (shaped or plain) or table.VERB.search(f" {key} "):
        return None
    return Statement(f"{owner}'s {subject}" if owner and len(words) == 1 else subject, "is", thing)


def _subjects(subject: str) -> tuple[str, ...]:
    """Whom a clause speaks of: two names joined by "and" are each of them."""
    pair = table.PAIR.match(subject)
    return (pair["one"], pair["other"]) if pair else (subject,)


def _is_subject(subject: str) -> bool:
    """Whether the words before a verb name something: they do not only point, and hold no verb of their own."""
    words = fold(subject).split()
    if not words or len(words) > LONGEST_SUBJECT or words[0] in table.POINTING or "," in subject:
        return False
    inner = words[1:] if words[0] in {"i", "we", "my", "our"} else words
    return not any((word in STOP_WORDS or word in DOING) and word not in table.SMALL for word in inner)


def _whose(subject: str, owner: str) -> str:
    """The subject folded: "the role of Ana" as "ana's role", a bare value as that of the one the title names."""
    plain = fold(subject)
    if (match := table.OF_OWNER.match(plain)) and table.VALUE_WORD.search(match["what"]):
        return f"{fold(match['owner'])}'s {fold(match['what'])}"
    if owner and " " not in plain and table.VALUE_WORD.search(plain) and subject.lower().startswith("the "):
        return f"{owner}'s {plain}"
    return plain


def _ended(said: str) -> str:
    """The object without what follows it: reasons, side clauses, "now"."""
    return table.TAIL.sub("", table.OBJECT_END.sub("", said.strip()).strip())


def _is_name(written: str) -> bool:
    """Whether an object is written as a name; figures count as one ("10.0.0.1")."""
    bare = table.DETERMINER.sub("", written.strip())
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit()) and bare.split()[0].lower() not in table.POINTING
