"""How a statement would begin that answers a question: "When did Ana join Acme?" -> "Ana joined Acme".

A table of question forms and a table of verbs; a question that fits none has no statement. Leaves the words between as
they are.
"""

from __future__ import annotations

import re

from recollect.language.lazily import lazily
from recollect.language.words import straighten

# Verbs questions are asked with: base and, where it is not made by rule, past.
IRREGULAR = dict(
    pair.split("/")
    for pair in """
    be/was become/became begin/began break/broke bring/brought build/built buy/bought catch/caught choose/chose
    come/came cost/cost cut/cut deal/dealt do/did draw/drew drink/drank drive/drove eat/ate fall/fell feed/fed feel/felt
    fight/fought find/found fly/flew forget/forgot get/got give/gave go/went grow/grew have/had hear/heard hide/hid
    hit/hit hold/held hurt/hurt keep/kept know/knew lead/led learn/learned leave/left lend/lent let/let lose/lost
    make/made mean/meant meet/met pay/paid put/put read/read ride/rode rise/rose run/ran say/said see/saw sell/sold
    send/sent set/set shut/shut sing/sang sit/sat sleep/slept speak/spoke spend/spent stand/stood steal/stole swim/swam
    take/took teach/taught tell/told think/thought throw/threw understand/understood wake/woke wear/wore win/won
    write/wrote
    """.split()
)
REGULAR = """
    accept add agree answer apply approve arrive ask assign attend book call cancel change charge check clean close
    commit complete connect contact contain cook create crash decide deliver depend deploy design discuss download
    earn end enjoy enter exit explain fail finish fix follow handle happen hate help hire implement import include
    install invest invite join launch like list live load look love manage match merge migrate miss move name need
    offer open order own pack park plan play post prefer promise publish push raise reach receive recommend record
    refactor reject release remove rename renew rent repair repay replace reply report request resign resolve return
    review save schedule ship show sign spend start stay stop store study submit suggest support switch talk test
    touch trade train travel trigger try turn update upgrade use visit wait walk want warn watch work
    """.split()


def _past(verb: str) -> str:
    """The past of a verb by rule.

    >>> _past("plan"), _past("try"), _past("use"), _past("play")
    ('planned', 'tried', 'used', 'played')
    """
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in DOUBLED else f"{verb}ed"


DOUBLED = frozenset("plan stop ship commit prefer submit".split())
PAST = {verb: IRREGULAR.get(verb) or _past(verb) for verb in (*IRREGULAR, *REGULAR)}


def _third(verb: str) -> str:
    """What he, she or it does.

    >>> _third("go"), _third("try"), _third("cost")
    ('goes', 'tries', 'costs')
    """
    if verb in {"be", "have"}:
        return {"be": "is", "have": "has"}[verb]
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


VERBS = frozenset([*PAST, *PAST.values(), *map(_third, PAST)])
# Those that are as often nouns: after "the" or "my" they are.
NOUNS_TOO = frozenset(
    """
    answer call change charge check cost cut deal design drive end exit fall fight hit import launch lead list load look
    match move name need offer order park plan play post promise push raise reach read record release rent repair reply
    report request return review ride rise run schedule show sign start stay stop store study support switch talk test
    trade train trigger turn update upgrade use visit wait walk win work
    """.split()
)

ASKED = r"(?:what|when|where|why|who|whom|which|how(?:\s+(?:much|many|long|often|far|old|late|soon))?)"
OF_WHICH = rf"(?:{ASKED}(?P<which>(?:\s+(?!(?:do|does|did|is|are|was|were)\b)[\w'-]+){{0,3}})\s+)?"
ACTION = lazily(rf"^{OF_WHICH}(?P<do>did|does|do)\s+(?P<rest>.+)$", re.IGNORECASE)
STATE = lazily(rf"^(?:{ASKED}(?P<s>'s|'re)|(?:{ASKED}\s+)?(?P<is>is|are|was|were))\s+(?P<rest>.+)$", re.IGNORECASE)
DOER = lazily(r"^(?:who|what|which\s+[\w'-]+)\s+(?P<rest>(?P<verb>[a-z]+)\s+.+)$", re.IGNORECASE)
PRONOUN = lazily(r"(?:i|we|you|he|she|it|they)\b", re.IGNORECASE)
ADJECTIVE_AT_END = lazily(
    r"^(?P<subject>(?:the|my|our|your|his|her|their)\s.+|[A-Z][\w'-]+)\s+"
    r"(?P<state>open|closed|due|up|down|home|free|done|ready|available|paid|late|full|empty|on|off|alive|married|here)$"
)


def as_statement(question: str) -> str | None:
    """The question as a statement would begin that answers it, or None.

    >>> as_statement("When did Ana join Acme?"), as_statement("Where does Ben live?")
    ('Ana joined Acme', 'Ben lives')
    >>> as_statement("What is the gate code?"), as_statement("gate code")
    ('the gate code is', None)
    """
    plain = " ".join(straighten(question).split()).rstrip(" ?!.")
    if match := ACTION.match(plain):
        done = _done(match["do"].lower(), match["rest"])
        return f"{done}{match['which'] or ''}" if done else None
    if match := STATE.match(plain):
        return _state((match["is"] or {"'s": "is", "'re": "are"}[match["s"].lower()]).lower(), match["rest"])
    if (match := DOER.match(plain)) and match["verb"].lower() in VERBS:
        return match["rest"]
    return None


def _done(do: str, rest: str) -> str | None:
    """Who did it, then what they did: the verb is the word after a pronoun, or the first that is known as one."""
    words = rest.split()
    known = [place for place, word in enumerate(words) if place and word.lower() in PAST]
    place = 1 if PRONOUN.match(words[0]) else known[0] if known else 0
    while place + 1 in known:  # "the trade go": of two in a row, the first is a noun
        place += 1
    if not 0 < place < len(words):
        return None
    verb = words[place].lower()
    plural = do == "do" or words[0].lower() in {"i", "we", "you", "they"}
    said = PAST.get(verb) if do == "did" else verb if plural else _third(verb)
    return " ".join([*words[:place], said, *words[place + 1 :]]) if said else None


def _state(verb: str, rest: str) -> str:
    """What it is asked of, then "is", then what is said of it where that can be told apart."""
    if match := ADJECTIVE_AT_END.match(rest):
        return f"{match['subject']} {verb} {match['state']}"
    return f"{rest} {verb}"
