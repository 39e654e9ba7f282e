"""What prose states of the things it names, without a model: text -> entities and statements, each with its sentence.

Takes a text and what it is about; gives names as keys (`name:…`), statements by the rules in `language/clauses`, links
in double brackets, and which names stand in one sentence, with a smaller weight. Precision over recall. "It", "she" and
"the film" are what the text is about only as long as nothing else was spoken of in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from recollect.knowledge import Named, Relation, Said
from recollect.language import phrases as table
from recollect.language.clauses import Clause, How, clauses_in, subject_of
from recollect.language.marked import Line, Marked, mark, sentences
from recollect.records import goes_by, name_key

NAME = "name"
DATE = "date"
CONCEPT = "concept"
SAID, LINKED, TOGETHER = 1.0, 0.8, 0.3  # weights: stated, linked, and at most for names that stand together
MOST_TOGETHER = 12  # names of one sentence that are related to each other: more of them are a list
MOST_SENTENCES = 2_000  # of one text
LONGEST_EVIDENCE = 400  # characters of a sentence kept
SINGULAR = {"he", "she"}


def statements_in(
    text: str, *, title: str = "", start_line: int = 1, subject: str = ""
) -> tuple[tuple[Named, ...], tuple[Said, ...]]:
    """The entities and statements of a text. `subject` is the name of what it is about; else the title, or the name of
    several words it begins with.

    >>> entities, said = statements_in("The Blue Boat is a film directed by Ana Ortiz. It was shot in Faro.")
    >>> [each.key for each in entities]
    ['name:the blue boat', 'name:film', 'name:ana ortiz', 'name:faro']
    >>> [(each.relation, each.object) for each in said if each.weight == 1]
    [('is_a', 'name:film'), ('directed_by', 'name:ana ortiz'), ('shot_in', 'name:faro')]
    """
    return _Text(text, about=subject or goes_by(title, text)).read(start_line)


class _Text:
    """One text being read."""

    def __init__(self, text: str, *, about: str) -> None:
        self._text = text
        self._about = about
        self._short = _as_written(about, text)
        self._words = {word for word in self._short.split() if word[0].isupper() and len(word) > 2}
        self._noun = ""
        self._is_person = False
        self._begins = True
        self._known: set[str] = set()
        self._entities: dict[str, Named] = {}
        self._said: dict[tuple[str, str, str], Said] = {}
        self._dates: set[str] = set()
        self._aliases: dict[str, None] = {}

    def read(self, start_line: int) -> tuple[tuple[Named, ...], tuple[Said, ...]]:
        lines = list(_first(sentences(self._text, start_line=start_line)))
        self._known = set(self._words)
        for line in lines:  # a single word with a capital inside a sentence is a name at the start of another
            self._known.update(name for name in mark(line.text).names if " " not in name)
        speaks_of_it = True
        for line in lines:
            marked, speaks_of_it = self._marked(line, goes_on=speaks_of_it)
            self._read_sentence(line, marked)
        return tuple(self._entities.values()), tuple(self._said.values())

    def _marked(self, line: Line, *, goes_on: bool) -> tuple[Marked, bool]:
        """The sentence with its names marked, and whether it speaks of what the text is about."""
        text = line.text
        if goes_on and self._short and (who := table.REFERRING.match(text)) and self._is_it(who.groupdict()):
            text = f"{self._short}{text[who.end() :]}"
        marked = mark(text, title=self._short, knows=self._known.__contains__)
        first = subject_of(marked)
        if first and first != self._short and self._is_other_form(first):
            if self._begins:
                self._aliases[first] = None
            names = (self._short if name == first else name for name in marked.names)
            marked, first = marked._replace(names=tuple(names)), self._short
        self._begins = False
        return marked, first == self._short or (goes_on and not marked.names)

    def _is_other_form(self, name: str) -> bool:
        """Whether a name is the one the text is about: the full name it begins with, or the last word of a person's."""
        title, words = self._short.split(), name.split()
        if not title or len(title) < 2:
            return False
        if self._begins:
            shared = set(title) & set(words)
            return (title[-1] == words[-1] and title[0][0] == words[0][0]) or len(shared) >= min(
                len(title), len(words)
            ) > 1
        return self._is_person and words == title[-1:]

    def _is_it(self, who: dict[str, str | None]) -> bool:
        """Whether "it", "he" or "the film" fits what the text is about, as far as it said what that is."""
        noun = who["noun"] or who["this"]
        if noun:
            return noun == self._noun
        return bool(self._noun) and (self._is_person == ((who["who"] or "").lower() in SINGULAR))

    def _read_sentence(self, line: Line, marked: Marked) -> None:
        if not marked.names:
            return
        self._dates.update(marked.dates)
        evidence = line.text[:LONGEST_EVIDENCE]
        for clause in clauses_in(marked):
            self._learn(clause)
            self._state(clause, line.line, evidence)
        for link in marked.links if name_key(self._short) else ():
            subject, key = self._name(self._short, line.line), self._name(link, line.line)
            if key != subject:
                self._add(Said(subject, Relation.REFERENCES, key, line.line, evidence, LINKED))
        self._relate(marked, line.line, evidence)

    def _learn(self, clause: Clause) -> None:
        """What the text is about, from the first definition of it."""
        if clause.how is How.DEFINED and clause.subject == self._short and not self._noun:
            self._noun = clause.object.split()[-1]
            self._is_person |= self._noun in table.PEOPLE
        if clause.subject == self._short and clause.relation in {"born_on", "born_in"}:
            self._is_person = True

    def _state(self, clause: Clause, line: int, evidence: str) -> None:
        subject = self._name(clause.subject, line)
        if clause.how is How.CALLED:
            entity = self._entities[subject]
            if name_key(clause.object) != name_key(entity.name):
                self._entities[subject] = entity._replace(aliases=(*entity.aliases, clause.object))
        if clause.how is How.DEFINED:
            kind = clause.object.split()[-1]
            entity = self._entities[subject]
            self._entities[subject] = entity._replace(
                kind=kind if entity.kind == NAME else entity.kind, detail=entity.detail or evidence
            )
        kind = CONCEPT if clause.how is How.DEFINED else DATE if clause.object in self._dates else NAME
        self._add(Said(subject, clause.relation, self._name(clause.object, line, kind=kind), line, evidence, SAID))

    def _relate(self, marked: Marked, line: int, evidence: str) -> None:
        """Names of one sentence: the first with each other, and each with the next; the more there are, the less."""
        keys = list(dict.fromkeys(self._name(name, line) for name in marked.names))
        if not 1 < len(keys) <= MOST_TOGETHER:
            return
        weight = round(TOGETHER / (len(keys) - 1) ** 0.5, 3)
        for one, other in dict.fromkeys([*((keys[0], key) for key in keys[1:]), *pairwise(keys)]):
            stated = any((pair[0], pair[2]) in {(one, other), (other, one)} for pair in self._pairs(one, other))
            if not stated:
                self._add(Said(one, Relation.RELATED, other, line, evidence, weight))

    def _pairs(self, one: str, other: str) -> Iterator[tuple[str, str, str]]:
        return (key for key in self._said if key[0] in (one, other) and key[2] in (one, other))

    def _name(self, name: str, line: int, *, kind: str = NAME) -> str:
        key = self._key(name)
        if key not in self._entities:
            shown = self._about if name == self._short else name
            aliases = (*({self._short} - {self._about}), *self._aliases) if name == self._short else ()
            self._entities[key] = Named(key, shown, kind, line, aliases=aliases)
        return key

    def _key(self, name: str) -> str:
        return f"name:{name_key(self._about if name == self._short else name)}"

    def _add(self, said: Said) -> None:
        if said.subject != said.object:
            self._said.setdefault((said.subject, said.relation, said.object), said)


def _as_written(about: str, text: str) -> str:
    """What a text is about as the text writes it: without a bracketed ending, and without what stands behind a comma
    where the text leaves that out ("Faro, Maine").

    >>> _as_written("The Blue Boat (film)", "The Blue Boat is"), _as_written("Faro, Maine", "Faro is a town")
    ('The Blue Boat', 'Faro')
    """
    name = about.split(" (")[0].strip()
    before = name.partition(",")[0]
    begins = text[: 2 * len(name) + 20]
    return before if before != name and name.lower() not in begins.lower() and before in begins else name


def _first(lines: Iterator[Line]) -> Iterator[Line]:
    for number, line in enumerate(lines):
        if number == MOST_SENTENCES:
            return
        yield line
