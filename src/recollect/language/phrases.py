"""The tables `clauses` reads by: which words join two names into a statement, and which only seem to.

Patterns are written over sentences whose names and dates are single characters (see `marked`).
"""

from __future__ import annotations

from recollect.language.lazily import lazily
from recollect.language.marked import DATE, MARK, NAME, UPPER
from recollect.language.relations import UNSURE

# --- words -------------------------------------------------------------------------------------------

PREPOSITIONS = "by in on at from to for with into of as near under within against along over around off through".split()
PREPOSITION = rf"(?:{'|'.join(PREPOSITIONS)})"
# Participles that do not end in "ed".
IRREGULAR = """
    born written won built made known held led sung drawn bought sold set found given taken chosen begun run spoken shot
    fought taught brought laid lost met sent shown sunk struck named cut read sworn drowned hit overseen sewn woven
    """.split()
PARTICIPLE = rf"(?:(?!(?:need|indeed|hundred|sacred|red|speed|breed|seed)\b)[a-z-]{{2,}}ed|{'|'.join(IRREGULAR)})"
# What somebody did, of one name to another, where the verb does not end in "ed".
PAST = """
    wrote won built led sang taught met ran bought sold beat fought left found lost made drew rebuilt oversaw wed
    """.split()
PRESENT = """
    stars features contains borders includes owns operates produces manufactures serves covers runs manages
    directs leads plays coaches represents publishes hosts presents teaches edits sponsors uses calls imports
    extends requires supports follows replaces adjoins surrounds crosses links connects drains
    """.split()
# Verbs with the word that has to follow; the relation is both.
WITH_WORD = (
    """
    plays for|played for|lives in|lived in|lies in|lies on|lies within|stands in|sits on|flows into|flows to
    |flows through|flows from|empties into|drains into|works for|works at|works in|worked for|worked at
    |worked with|grew up in|went to    |studied at|studied under|studied with|died in|died at|belongs to
    |belonged to|runs from|runs through|ran for
    |competed in|competed at|competed for|served in|served under|taught at|graduated from|moved to|emigrated to
    |took place in|takes place in|is based in|depends on|relies on|consists of|reports to|talks to|connects to
    |rises in|originates in|led to|divorced from|resides in|resided in|sang with|sang in|fought in|fought at
    |shares a border with
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
# Nouns that say nothing of what they are "of".
VAGUE = frozenset(
    """
    form kind type sort variety number series list lot couple pair result example piece set range amount majority
    rest use way case matter topic subject object cause effect sense term word name bit instance line course
    period time era examples ones one some many most all none half percent part-time few version edition variant
    """.split()
)
# Of these, "in" says where it is.
PLACES = frozenset(
    """
    village town city municipality commune settlement suburb neighbourhood neighborhood district county province
    state region island river lake mountain valley park reserve street road bridge building church cathedral
    castle fort school college university museum hospital station airport port harbour harbor stadium arena
    theatre theater tower hotel farm mine dam hamlet parish community place area locality borough township canton
    department prefecture capital country peninsula bay beach peak hill glacier forest desert volcano creek stream
    tributary waterfall monastery abbey temple mosque palace house mansion cemetery garden zoo library prison
    company club team band newspaper organization organisation
    """.split()
)
# What people are called by what they do: of such a thing "he" and "she" may speak, and "it" may not.
PEOPLE = frozenset(
    """
    actor actress author writer novelist poet singer songwriter musician composer politician lawyer judge
    footballer player director producer screenwriter filmmaker painter artist sculptor architect engineer
    scientist physicist chemist biologist mathematician historian philosopher journalist economist businessman
    businesswoman entrepreneur soldier officer general admiral king queen prince princess emperor empress duke
    duchess count countess earl baron nobleman noblewoman bishop archbishop priest pope saint cricketer boxer
    wrestler swimmer athlete coach manager president minister senator governor mayor diplomat activist model
    comedian presenter dancer rapper guitarist drummer pianist conductor inventor explorer physician surgeon
    professor scholar teacher son daughter wife husband brother sister mother father theologian cyclist skier
    golfer driver racer photographer cinematographer critic editor translator playwright member founder leader
    ruler statesman jurist banker publisher designer dramatist sailor astronaut astronomer psychologist linguist
    archaeologist goaltender midfielder defender forward quarterback pitcher outfielder umpire referee attorney
    merchant landowner
    """.split()
)
# Words a noun phrase may end with before what it is of begins, and that are no nouns.
NO_NOUNS = frozenset(
    """
    former late current retired new first second third fourth fifth last next only same other active either best famous
    notable such known most available similar responsible capable due close native off out up down back there here able
    about home part-time able full present member-elect own main major large small long old young great good
    """.split()
)
ENDS_NOUNS = frozenset(
    "active either best famous notable such known most available similar responsible due close native".split()
)
TWO_WORDS = frozenset(
    """
    prime minister|vice president|head coach|lead singer|chief executive|general manager|chief justice|county seat
    |capital city|head quarters|executive director|foreign minister|finance minister|attorney general|home ground
    |studio album|debut album|governor general|executive producer|art director|music director|founding member
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
UNTRUE = UNSURE - {"when", "every", "until", "according", "told", "asked"} | frozenset(
    "not never neither nor without unlike fictional fictitious hypothetical refused failed declined tried no".split()
)

# --- patterns ----------------------------------------------------------------------------------------

# Words that end a noun phrase.
STOP_WORDS = """
    is was were are be been has had have who which that whose whom when where while after before but or nor not if
    than then because during until since between it he she they him them the an? his her its their and by in on at
    from to for with into of as near under within against alongside among amongst behind above below despite via
    about towards? upon onto across like unlike including besides without so such both
    """.split()
STOPS = rf"(?:{'|'.join(STOP_WORDS)})\b"
NATION = rf"{UPPER}[a-z]+(?:[- ]{UPPER}?[a-z]+)?"
PLAIN_WORD = rf"(?!{STOPS})(?:[a-z][a-z'-]*|{NATION})"
AREA = (
    r"(?:(?:[a-z-]+\s){0,3}(?:village|town|city|district|state|province|county|region|municipality|island|kingdom|republic|suburb"
    r"|commune|department|prefecture|parish|borough|township|part|area|side|coast|shores?|banks?|end|outskirts|centre|center|north"
    r"|south|east|west|north-?east|north-?west|south-?east|south-?west|territory|community|neighbou?rhood|university|house|court)"
    r"\sof\s(?:the\s)?)"
)
ARTICLE = r"(?:(?:the|an?|his|her|its|their)\s)?"
FILL = rf"(?P<fill>{ARTICLE}(?:{AREA}|(?:{PLAIN_WORD}\s(?:and\s{PLAIN_WORD}\s)?){{0,4}}))"
LISTED = (
    rf"{NAME}(?:,\s(?:and\s)?{NAME}|\sand\s(?:the\s)?{NAME})*"
    rf"(?!\sand\s(?:the\s)?(?:{NATION}|{NAME})\s(?!{STOPS})[a-z]+(?<!ed)(?<!ing)\b)"
)
# What may follow an object: anything but a noun that it only describes ("the Faro football club").
ENDED = (
    rf"(?=[.,;:)!\"]|$|\s(?:{STOPS}|(?:along|over|around|through|there|so|due|plus|via|alongside|together)\b|{DATE})"
    r"|\s[a-z]+(?:ed|ing|ly)\b|\s[–—(-])"
)
ADVERB = r"(?:(?:also|later|first|then|now|soon|again|once|best|still|often|long|both|initially|jointly|[a-z]+ly)\s)"
WHEN = rf"(?:\s(?:in|on|since|from|until|around|circa|during|by)\s(?:the\s)?(?:early\s|late\s|mid-?)?{DATE}s?)"

SUBJECT = lazily(rf"^(?:[A-Z][^,{NAME[1:-1]}]{{0,40}},\s)?(?:[Tt]he\s)?(?P<subject>{NAME}(?:\sand\s{NAME})?)(?=[\s,(])")
COPULA = lazily(
    rf"\s(?:(?:is|was|are|were|became|remains|has\sbeen|had\sbeen)\s{ADVERB}?|{ADVERB}?(?:served|serves|worked|works)\sas\s)"
    r"(?:one\sof\s)?(?:(?P<article>an?|the|his|her)\s)?"
)
PASSIVE = lazily(
    rf"\s(?:is|was|are|were|has\sbeen|have\sbeen|had\sbeen|being)\s{ADVERB}{{0,2}}(?P<verb>{PARTICIPLE})(?=\s)"
)
OTHER_VERB = lazily(rf"\sand\s{ADVERB}?(?P<verb>{PARTICIPLE})(?=\s)")
CLAUSE = lazily(
    rf"(?P<joint>^\s|,\s(?:and\s)?|\sand\s){ADVERB}?(?:was\s|were\s|is\s)?(?P<verb>{PARTICIPLE})(?:\sand\s(?P<other>{PARTICIPLE}))?(?=\s)"
)
STARRING = lazily(
    rf"(?:^\s|,\s(?:and\s)?|\sand\s)(?P<verb>starring|featuring|containing|including)\s{FILL}(?P<objects>{LISTED}){ENDED}"
)
PHRASE = lazily(
    rf"(?:{WHEN})?\s(?P<word>{PREPOSITION})\s(?:{FILL}(?P<objects>{LISTED}){ENDED}|(?P<date>{DATE})(?![\w'’-]|\s[a-z]*(?:s|er|film|album|season)\b))"
)
DOES = (
    rf"\s{ADVERB}?(?:(?P<pair>{'|'.join(each.replace(' ', chr(92) + 's') for each in WITH_WORD)})"
    rf"|(?P<verb>{PARTICIPLE}|{'|'.join(PAST)}|{'|'.join(PRESENT)})(?P<word>\s(?:in|at|for|with|to|from|on|by|into|under))?)\s"
    rf"{FILL}(?P<objects>{LISTED}){ENDED}"
)
ACTIVE = lazily(DOES)
AND_ACTIVE = lazily(rf"(?:,\sand|\sand|,\sthen|,)(?={DOES})")
# Verbs of saying, whose object is what is said and not the name that follows; and those that need more to follow.
SAYING = frozenset(
    """
    declared announced claimed stated noted argued suggested reported believed said told asked wanted wished hoped
    agreed decided continued started stopped helped allowed remained appeared seemed managed used considered
    called viewed
    """.split()
)
CUT = lazily(
    r"\s(?:that|which|who|whose|whom|where|when|while|after|before|but|because|although|though|until|unless|if|rather|whereas)\s|[;:]|\s[–—-]\s"
)
WHO = lazily(r"^,?\s(?:who|which|that)(?=\s)")
APPOSITION = lazily(
    rf"(?<!,\s)(?<!and\s)(?<!of\s)(?<!of\sthe\s)(?<!and\sthe\s)(?<!,\sthe\s)(?P<one>{NAME}),\s(?P<article>an?|the|its|his|her)\s(?P<words>(?:{PLAIN_WORD}\s){{1,4}})of\s{ARTICLE}(?P<other>{NAME}){ENDED}"
)
WITHIN = lazily(
    rf"\s(?:in|at|near|from)\s(?:the\s)?(?P<places>{NAME}(?:,\s{NAME})++)(?=[.;)]|$|,(?!\s(?:and|or)\s)|\s(?:in|on|that|which|where|who|with|at|during|before|after|to|by|for|as|since|until|from)\s)"
)
ALSO_CALLED = lazily(
    rf"(?<!and\s)(?<!of\s)(?<!{NAME}\s)(?P<one>{NAME})(?:,\s|\s(?=(?:also|better|commonly|formerly|popularly)\s))(?:(?:also|better|commonly|formerly|popularly|otherwise|best|often|sometimes|originally|professionally|previously)\s)*"
    rf"(?:(?:known|referred\sto|abbreviated)\s(?:simply\s)?(?:by\s(?:his|her|the)\sstage\sname,?\s|as\s)|(?:called|nicknamed)\s)(?:the\s)?(?P<other>{NAME})"
)
BRACKETS = lazily(r"\s?\(([^()]*)\)")
BORN = lazily(
    rf"^\s*(?:née\s{NAME},?\s)?[Bb](?:orn|\.)\s(?:(?:on|in|c\.|circa)\s)*(?P<date>{DATE})?(?:,?\s?(?:in\s)?(?P<place>{NAME}))?"
)
BORN_IN = lazily(rf"^\s*[Bb]orn\sin\s(?P<place>{NAME})")
LIVED = lazily(
    rf"^\s*(?:c\.\s|circa\s|\w+,\s)?(?P<born>{DATE})[^–—-]{{0,12}}[–—-]\s?(?:c\.\s|circa\s|\w+,\s)?(?P<died>{DATE})"
)
SHORT = lazily(rf"(?P<one>{NAME})\s\(\s?(?:or\s|the\s|abbreviated\s(?:as\s)?)?(?P<other>{NAME})\s?\)")
NOUNS = lazily(rf"(?:(?:{DATE}|{PLAIN_WORD})[\s-]?(?:(?:and|or)\s(?={PLAIN_WORD}))?)+")
ANY_MARK = lazily(MARK)
REFERRING = lazily(r"^(?P<who>He|She|It|The\s(?P<noun>[a-z]+)|This\s(?P<this>[a-z]+))(?=\s[a-z])")
