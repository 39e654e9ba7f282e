"""Tables `rivals` reads by: words that undo each other, words that deny or limit, and deeds many can share.

Readable and small on purpose: a pair that is missing leaves a contradiction unseen, one too many invents it.
"""

from __future__ import annotations

# Where one text has the one and the other the other, and the rest is the same, they do not go together. Groups are
# written as they are read, in the forms people use; each side may have several.
OPPOSITES = """
joined|join|joins / left|leave|leaves|quit|resigned|departed
accepted|accept|accepts|approved|approve|approves / declined|decline|rejected|reject|rejects|refused|refuse|refuses
increased|increase|increases|raised|rose|rises|grew|grows / decreased|decrease|decreases|lowered|fell|falls|shrank
bought|buys|purchased|acquired / sold|sells
hired / fired|dismissed
started|starts|began|begins|launched|launches / stopped|stops|ended|ends|cancelled|canceled|discontinued
opened|opens|open / closed|closes|shut
enabled|enables|enable|activated / disabled|disables|disable|deactivated
allowed|allows|allow|permits|permitted / forbids|forbidden|prohibits|prohibited|bans|banned
supports|support|supported|advocates|advocate|favours|favors / opposes|opposed|oppose|opponent|critic
likes|loves|enjoys|adores / dislikes|hates|detests|loathes
married / divorced|separated
won|wins / lost|loses
passed|passes / failed|fails
remembers|remembered / forgets|forgot|forgotten
both|same|together|jointly / different|separately|individually
always / never|rarely|seldom
indoor|indoors / outdoor|outdoors
public|publicly / private|privately
remote|remotely / on-site|onsite
optional / required|mandatory
manual|manually / automatic|automatically
introvert|introverted / extrovert|extroverted
vegetarian|vegan / carnivore|meat-eater
""".strip().splitlines()
SIDES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(one.strip().split("|")), frozenset(other.strip().split("|")))
    for one, _, other in (row.partition(" / ") for row in OPPOSITES)
)
SIDES_OF: dict[str, frozenset[str]] = {}
for _one, _other in SIDES:
    for _word in _one:
        SIDES_OF[_word] = SIDES_OF.get(_word, frozenset()) | _other
    for _word in _other:
        SIDES_OF[_word] = SIDES_OF.get(_word, frozenset()) | _one

# What follows is denied, up to the end of the clause.
DENYING = frozenset(
    """
    not never no cannot neither nor without none unable rarely seldom avoids avoid avoided avoiding lacks lacked refuses
    refused dislikes disliked hates
    """.split()
)
# Here a clause ends, and with it what is denied.
TURNING = frozenset("but instead while whereas although though however rather".split())
# The text says that this is all there is: another one beside it cannot be.
LIMITING = frozenset("only exclusively solely instead entirely actually".split())

# What happens to somebody or something once: told with two dates, one of them is wrong.
ONCE = frozenset(
    "born joined founded co-founded established graduated married died retired opened launched debuted".split()
)

# Deeds and traits that many share, or one has many of: another doer or another object says nothing against the first.
SHARED = frozenset(
    """
    attend attends attended visit visits visited join joins joined graduate graduated participate participates
    participated study studies studied live lives lived work works worked like likes liked love loves loved enjoy enjoys
    enjoyed prefer prefers speak speaks know knows use uses used play plays played watch watches watched read reads
    eat eats ate drink drinks see saw seen travel travels travelled traveled went go goes want wants need needs know
    is are was were be been has have had own owns bought buy buys made make makes got get gets met meet meets called
    call calls sent send sends said says wrote-to fixed fix fixes tested test tests ordered order orders paid pay pays
    tried try tries added add adds asked ask asks booked book books share shares shared volunteer volunteers volunteered
    """.split()
)
