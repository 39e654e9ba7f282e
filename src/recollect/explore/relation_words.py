"""How relations are asked about: a table of English verbs and nouns, one row for each sort of relation.

A relation has a doer's end (who writes, what calls, the genre something has) and another one (what is written, what is
called, what has the genre). `verbs` lead from one to the other, `doers` and `others` name the ends, `signs` belong to
it without naming an end ("wrote the screenplay"). A relation of a graph belongs to a row if a word of its name does.
In a row that is `strict`, both ends are of one sort, and only the order of words tells which end is meant.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import NamedTuple

from recollect.explore.wording import singular


class Form(StrEnum):
    """As what a word speaks of a relation."""

    VERB = "verb"
    DOER = "doer"
    OTHER = "other"
    SIGN = "sign"


class Expect(StrEnum):
    """What a question wants to hear, or an end of a relation is."""

    PERSON = "person"
    TIME = "time"
    PLACE = "place"
    NUMBER = "number"
    THING = "thing"
    ANY = "any"


class Row(NamedTuple):
    """One sort of relation. `/` stands between the forms of an irregular verb, `_` between words of a phrase."""

    name: str
    verbs: str = ""
    doers: str = ""
    others: str = ""
    signs: str = ""
    doer: Expect = Expect.ANY
    other: Expect = Expect.THING
    strict: bool = False


ROWS: tuple[Row, ...] = (
    Row("write", "write/wrote/written pen/penned author script", "writer screenwriter scriptwriter author playwright"
        " novelist scenarist screenplay_writer script_writer writer_of_the_screenplay", signs="script screenplay story"
        " film_script novel text words_for", doer=Expect.PERSON),
    Row("direct", "direct helm", "director filmmaker film_maker", doer=Expect.PERSON),
    Row("act", "act star appear perform feature play cast", "actor actress star cast performer cast_member lead",
        signs="role part", doer=Expect.PERSON),
    Row("produce", "produce", "producer", doer=Expect.PERSON),
    Row("make", "make/made create", "creator maker", doer=Expect.PERSON),
    Row("compose", "compose score", "composer", signs="music soundtrack", doer=Expect.PERSON),
    Row("publish", "publish issue", "publisher", doer=Expect.ANY),
    Row("release", "release premiere debut come_out/came_out/comes_out/coming_out launch", "release premiere",
        doer=Expect.TIME),
    Row("date", "", "year date time day month when", doer=Expect.TIME),
    Row("genre", "fall_under/falls_under/fell_under fall_into/falls_into classify categorize categorise",
        "genre type kind sort category class style", doer=Expect.THING),
    Row("language", "speak/spoke/spoken", "language tongue", doer=Expect.THING),
    Row("about", "describe tag concern deal_with/deals_with cover about", "tag topic subject theme keyword label",
        signs="word words few_words term terms", doer=Expect.THING),
    Row("rating", "rate", "rating score grade opinion", signs="think good bad review", doer=Expect.NUMBER),
    Row("votes", "vote", "vote popularity", signs="popular famous known well_known", doer=Expect.NUMBER),
    Row("place", "locate situate lie/lay base set", "place location country city region state capital where",
        doer=Expect.PLACE),
    Row("live", "live reside move", "residence home where", doer=Expect.PLACE, other=Expect.PERSON),
    Row("birth", "bear/bore/born", "birthplace birthday birth_place birth_date date_of_birth place_of_birth birth",
        other=Expect.PERSON),
    Row("death", "die kill", "death_place place_of_death date_of_death death", other=Expect.PERSON),
    Row("member", "join belong play_for/plays_for/played_for", "", "member player", doer=Expect.ANY),
    Row("own", "own acquire buy/bought possess", "owner proprietor parent_company", "subsidiary", doer=Expect.ANY),
    Row("employ", "employ hire work/worked", "employer company workplace", "employee", other=Expect.PERSON),
    Row("lead", "lead/led head manage run/ran chair", "leader head boss manager ceo chief president",
        doer=Expect.PERSON),
    Row("found", "found establish start set_up", "founder", doer=Expect.PERSON),
    Row("marry", "marry wed", "spouse wife husband partner", doer=Expect.PERSON, other=Expect.PERSON),
    Row("family", "", "parent father mother son daughter child brother sister sibling", doer=Expect.PERSON,
        other=Expect.PERSON),
    Row("study", "study graduate attend educate", "school university alma_mater education", other=Expect.PERSON),
    Row("win", "win/won receive award", "winner", "award prize", doer=Expect.PERSON),
    Row("invent", "invent discover design develop build/built", "inventor discoverer designer developer builder",
        doer=Expect.PERSON),
    # code and data
    Row("call", "call invoke", "caller", "callee", strict=True),
    Row("use", "use depend rely consume require need", "user dependent consumer", "dependency", strict=True),
    Row("import", "import", "importer", "import", strict=True),
    Row("define", "define declare implement", "definition", "", strict=True, doer=Expect.PLACE),
    Row("inherit", "inherit extend subclass derive", "subclass child_class descendant subtype implementation",
        "base superclass parent_class ancestor base_class supertype", strict=True),
    Row("contain", "contain include have/has/had hold/held", "container",
        "member method column field attribute section", strict=True),
    Row("reference", "reference refer point link key", "referrer", "foreign_key reference", strict=True),
    Row("mention", "mention name discuss", "mention", "", strict=True, doer=Expect.PLACE),
)  # fmt: skip
BY_NAME = {row.name: row for row in ROWS}
# Relations of some rows also answer for others, believed less.
ALSO = {
    "use": {"call": 0.95, "import": 0.95, "inherit": 0.9, "reference": 0.8},
    "make": {"direct": 0.8, "write": 0.7, "produce": 0.8, "found": 0.7, "invent": 0.8},
    "define": {"contain": 0.9},
    "contain": {"define": 0.9},
}
# Words that name a sort of thing between two relations, or the sort of what is asked for; they lead nowhere.
CLASS_WORDS = frozenset(
    """
    film movie picture show series book song album game person people man woman thing work title one name
    main primary list listed following different common together
    function class module file table service endpoint project repository repo package code team test document page
    component system library method column type interface struct
    """.split()
)
KINDS = {
    "function": ("function", "method"),
    "class": ("class", "interface", "struct", "trait", "enum", "type"),
    "module": ("module", "package"),
    "file": ("file", "document", "module"),
    "document": ("document", "file", "section"),
}
ASKED = {
    "who": Expect.PERSON, "whom": Expect.PERSON, "person": Expect.PERSON, "when": Expect.TIME, "year": Expect.TIME,
    "date": Expect.TIME, "where": Expect.PLACE,
}  # fmt: skip


@cache
def verb_forms(verb: str) -> frozenset[str]:
    """A verb as questions write it; irregular pasts are given behind a slash.

    >>> sorted(verb_forms("write/wrote/written"))
    ['write', 'writes', 'writing', 'written', 'wrote']
    >>> sorted(verb_forms("tag")), sorted(verb_forms("marry"))
    (['tag', 'tagged', 'tagging', 'tags'], ['married', 'marries', 'marry', 'marrying'])
    """
    base, *irregular = verb.split("/")
    phrase = "_" in base
    if phrase:
        return frozenset(each.replace("_", " ") for each in (base, *irregular))
    if base.endswith("y") and base[-2] not in "aeiou":
        third, past, going = f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing"
    else:
        doubled = base + base[-1] if base in DOUBLED else base
        third = f"{base}es" if base.endswith(("s", "sh", "ch", "x")) else f"{base}s"
        past = f"{base}d" if base.endswith("e") else f"{doubled}ed"
        going = f"{base[:-1]}ing" if base.endswith("e") else f"{doubled}ing"
    return frozenset([base, third, going, *(irregular or [past])])


DOUBLED = frozenset("tag star pen run set refer wed plan".split())


class Meaning(NamedTuple):
    """One row a word speaks of, and how."""

    row: str
    form: Form


@cache
def vocabulary() -> dict[str, tuple[Meaning, ...]]:
    """Every word and phrase of the table, with what it may mean."""
    found: dict[str, dict[Meaning, None]] = {}
    for row in ROWS:
        forms: list[tuple[str, Form]] = [(form, Form.VERB) for verb in row.verbs.split() for form in verb_forms(verb)]
        for words, form in ((row.doers, Form.DOER), (row.others, Form.OTHER), (row.signs, Form.SIGN)):
            forms += [(word.replace("_", " "), form) for word in words.split()]
        for word, form in forms:
            found.setdefault(word, {})[Meaning(row.name, form)] = None
    return {word: tuple(meanings) for word, meanings in found.items()}


def meanings_of(phrase: str) -> tuple[Meaning, ...]:
    """What a word or phrase in small letters may mean; nouns in either number.

    >>> [(meaning.row, meaning.form.value) for meaning in meanings_of("directors")]
    [('direct', 'doer')]
    """
    table = vocabulary()
    head, _, last = phrase.rpartition(" ")
    one = f"{head} {singular(last)}".strip()
    plain = tuple(each for each in table.get(one, ()) if each.form is not Form.VERB) if one != phrase else ()
    return (*table.get(phrase, ()), *plain)
