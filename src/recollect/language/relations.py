"""The tables `statements` reads by: how relations are written, which sentences state nothing, where an object ends."""

from __future__ import annotations

import re

from recollect.language.attributes import ATTRIBUTE_WORDS
from recollect.language.calendar import MONTH_NAMES
from recollect.language.lazily import lazily

# --- the table of relations ---------------------------------------------------------------------------

# A value that became another: "was raised to 250", "rose from 100 to 250".
CHANGED = (
    r"(?:raised|lowered|increased|decreased|reduced|cut|changed|bumped|dropped|updated|set|rose|fell|grew|shrank"
    r"|went\s+(?:up|down))(?:(?=\s+from\s)|\s+to(?=\s))"
)
# relation: how its verb is written. The first that fits at the leftmost place counts; "is" stands last.
VERBS: tuple[tuple[str, str], ...] = (
    ("lives_in", r"(?:lives?|living|resides?|based|located|headquartered)\s+in"
                 r"|(?:moved|relocated)(?:\s+back)?(?:(?=\s+from\s)|\s+to)"),
    ("works_as", r"works?\s+as|working\s+as|employed\s+as"),
    ("works_at", r"work(?:s|ing)?\s+(?:at|for)|employed\s+(?:at|by)|joined|resigned\s+from|quit(?=\s+[A-Z])"),
    ("costs", r"costs?|priced\s+at|sells\s+for"),
    ("scheduled_for", r"(?:re)?scheduled\s+(?:for|on|to)|(?:planned|set|booked)\s+for"
                      r"|(?:postponed|brought\s+forward|pushed)\s+to|takes?\s+place\s+(?:on|at|in)|held\s+on"
                      r"|(?:will\s+be|is|was)\s+(?:on(?=\s)|at(?=\s+\d{1,2}(?:[:.]\d\d|\s?[ap]m\b)))"),
    ("due", r"due(?:\s+(?:on|by|in))?(?=\s)"),
    ("starts", r"(?:starts?|begins?|started|began)\s+(?:on|at|in)"),
    ("ends", r"(?:ends?|expires?|closes|ended|expired)\s+(?:on|at|in)"),
    ("born", r"born\s+(?:in|on)"),
    ("married_to", r"married\s+to"),
    ("uses", r"uses?|using|runs\s+on|(?:switched|migrated)(?=\s+from\s)|(?:switched|migrated)(?:\s+over)?\s+to"),
    ("likes", r"likes?|loves?|enjoys?|prefers?|fond\s+of|a\s+fan\s+of"),
    ("dislikes", r"dislikes?|hates?|(?:can't|cannot)\s+stand"),
    ("speaks", r"speaks?"),
    ("has", r"has(?!\s+(?:been|never|not|no\s+longer|\w+ed)\b)|have(?!\s+(?:been|never|not|to|\w+ed)\b)|owns?"),
    ("drinks", r"drinks?"),
    ("eats", r"eats?"),
    ("smokes", r"smokes?"),
    ("drives", r"drives?"),
    ("supports", r"supports?"),
    ("win", r"won"),
    ("visit", r"visited|travell?ed\s+to|been\s+to"),
    ("meet", r"met"),
    ("attend", r"attended"),
    ("participate", r"participated\s+in|took\s+part\s+in"),
    ("collaborate", r"collaborated"),
    ("publish", r"published"),
    ("write", r"wrote|written"),
    ("perform", r"performed"),
    ("present", r"presented"),
    ("volunteer", r"volunteer(?:s|ed)?"),
    ("receive", r"received"),
    ("found", r"(?:co-?)?founded"),
    ("mentor", r"mentored"),
    ("organise", r"organi[sz]ed"),
    ("exhibit", r"exhibited"),
    ("compete", r"competed"),
    ("is", rf"(?:is|are|was|were|been)(?!\s+{CHANGED})|am|became|remains|isn't|aren't|wasn't|weren't|{CHANGED}"),
)  # fmt: skip
# Of these a thing has one at a time; "is" only of what names a value ("the port", "Ana's role"), see `statements`.
FUNCTIONAL = frozenset("is lives_in works_at works_as costs scheduled_for due starts ends born married_to".split())
COUNTED = frozenset({"has", "speaks"})  # "two brothers" and "three brothers" cannot both be
PLACES = frozenset({"lives_in", "works_at", "married_to"})  # the object is a name
DATED = frozenset({"scheduled_for", "due", "starts", "ends"})  # the object is a date
LASTING = frozenset("likes speaks has drinks eats smokes drives supports uses".split())  # any negation denies them
ENDING = lazily(r"resigned|quit")

AUXILIARY = r"(?:(?:has|have|had|is|are|was|were|am|will|be|been|does|do|did)\s+){0,4}"
OFTEN_WORDS = """
    now currently still also really just recently always usually mostly
    officially finally already only both each once
    """.split()
OFTEN = rf"(?:(?:{'|'.join(OFTEN_WORDS)}|been|be)\s+){{0,3}}"
NOT = (
    r"(?P<no>(?:(?:does|do|did|has|have|had|is|are|was|were|am|will)(?:n't|\s+not|\s+never|\s+no\s+longer)"
    r"|can't|cannot|never|no\s+longer|not|used\s+to|stopped)\s+)?"
)
VERB = lazily(rf"{AUXILIARY}{OFTEN}{NOT}{OFTEN}(?:{'|'.join(f'(?P<{name}>{verb})' for name, verb in VERBS)})(?![\w'-])")
# Words a verb can begin with: only there is the pattern tried.
OPENING = frozenset(
    """
    raised lowered increased decreased reduced cut changed bumped dropped updated rose fell grew shrank went
    has have had is are was were am will be been does do did doesn't don't didn't hasn't haven't hadn't isn't aren't
    wasn't weren't won't can't cannot never no not used stopped live lives living reside resides based located
    headquartered moved relocated work works working employed joined resigned quit cost costs priced sells scheduled
    rescheduled planned set booked postponed brought pushed take takes held due start starts begin begins started
    began end ends expire expires closes ended expired born married use uses using runs switched migrated like likes
    love loves enjoy enjoys prefer prefers fond a dislike dislikes hate hates speak speaks own owns drink drinks eat
    eats smoke smokes drive drives support supports won visited traveled travelled met attended participated took
    collaborated published wrote written performed presented volunteer volunteers volunteered received founded
    co-founded cofounded mentored organised organized exhibited competed became remains
    """.split()
) | frozenset(OFTEN_WORDS)
AFTER_IS = lazily(r"^\s+(?P<no>not|no\s+longer|never)?\s*(?:(?:now|currently|still|really|also|always|already)\s+)*")
NEVER = lazily(r"never|no\s+longer")

# --- sentences that state nothing, subjects and objects that say too little ----------------------------

WORD = lazily(r"\S+")
CONTRACTED = lazily(r"\b(I|[Ww]e)'(m|re|ve)\b")
FULL = {"m": "am", "re": "are", "ve": "have"}
SENTENCE_END = lazily(r"[.!?]\s+|\n+")
SHORTENED = (" mr.", " dr.", " ms.", " st.", " mrs.", " jr.", " no.", " vs.", "e.g.", "i.e.")
CLAUSE = lazily(r";\s+|,\s+(?:while|but|whereas|though|although)\s+")
# Sentences with these are hedged, reported, conditional or about no one time.
UNSURE = frozenset(
    """
    might may could would should if maybe perhaps probably likely possibly plans wants hopes hoping planning
    considering thinking asked asks wonder wonders said says told claims claimed claim think thinks thought believe
    believes believed according rumour rumours rumor rumors almost nearly dreams dreamed imagine imagines example e.g
    unless when whenever every sometimes often until except whether suppose allegedly supposedly seems seemed
    """.split()
)
# How often something is so says nothing against when it is so; any other "every" is about no one thing.
FREQUENCY = lazily(
    r"\s+(?:every|each)\s+(?:other\s+|second\s+)?(?:(?:week)?day|week|month|year|morning|evening|(?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day)s?\b",
    re.IGNORECASE,
)
LEAD = lazily(
    r"^(?:[-*•>#]+\s*|\d+[.)]\s+|(?:update|note|fyi|correction|edit|reminder)\s*:\s*|(?:currently|now|today|however|actually"
    r"|also|and|so|finally|officially|as\s+of\s+[^,]{2,30}|since\s+[^,]{2,30}|for\s+the\s+record),?\s+)+",
    re.IGNORECASE,
)
BOUNDED = lazily(r"\b(?:in|during|until|back\s+in|from)\s+(?:\w+\s+)?(?:19|20)\d\d\b|\b(?:last|ago|yesterday|then)\b")
SMALL = frozenset("of the and for de del da do dos du van von der den al la le".split())
POINTING = frozenset(
    """
    he she it they this that these those there here who which what where one someone everyone nobody nothing something
    you anyone everything others some many most all both none his her their its your such each every no any
    """.split()
)
DETERMINER = lazily(r"^(?:the|a|an)\s+", re.IGNORECASE)
MANY = lazily(
    r"\b(?:brother|sister|friend|colleague|child|son|daughter|cousin|neighbou?r|uncle|aunt|book|song|film|movie|hobby"
    r"|hobbies|idea|note|example|reason|step|option|problem|issue|goal|skill|strength|member|part|feature|thing)s?$"
)
VALUE_WORD = lazily(
    rf"\b(?:{ATTRIBUTE_WORDS}|rent|budget|colou?r|port|time\s?zone|fee|limit|threshold|ceo|cto|cfo|boss|manager|doctor"
    r"|dentist|lawyer|landlord|wife|husband|spouse|partner|mother|father|employer|job|bank|language|currency|timeout"
    r"|framework|database|region|environment|branch|host|model|default|interval|frequency|capacity|height|weight|length"
    r"|winner|leader|founder|author|president|director|chair|diagnosis|blood\s+type|allergy|dose|hotel"
    r"|airline|stage|tier|level|score|grade|rank|provider|vendor|favou?rite(?:\s+\w+)+|favou?rite)$"
)
JUDGED = lazily(
    r"^(?:(?:very|too|so|quite|really|more|less|much|at|in|on|under|over|about|with|from|up|down|out|off|for|as|to|by|like"
    r"|here|there|good|bad|great|nice|fine|ok|okay|high|low|higher|lower|big|small|large|important|unclear|unknown|ready|due"
    r"|going|better|worse|wrong|right|correct|same|different|new|old|late|early|easy|hard|tbd|none|needed|not|being)\b"
    r"|\w+(?:ed|ing)\b)"
)
UNDER_WAY = lazily(r"\w+ing\b")  # "is giving up" tells of a moment
NATIONALITY = lazily(r"^\w+(?:ese|ish|ian|ican|eek|ench|erman|utch|wiss)$", re.IGNORECASE)
OBJECT_END = lazily(
    r"\s*[.!]+$|,?\s+(?:because|since|which|who|that|where|although|so|but|after|before|during|as\s+of|instead\s+of|rather\s+than"
    r"|thanks\s+to|due\s+to|and\s+(?:he|she|they|it|I|we|his|her|has|have|had|is|are|was|were|does|do|did|will|never|not|often"
    r"|also|then|hopes|plans)|starting|effective|if)\s.*$|\s+[-–—]+\s.*$|\s*\(.*$"
    r"|\s+for\s+(?:the\s+)?(?:\d|a\s|two|three|four|five|several|many|some|last|past|years|now).*$|,\s+(?=[a-z]).*$"
)
BASED = lazily(r"\s(?:based|living|residing)\s+in\s+(?P<place>[A-Z].*)$")
TIME_TAIL = lazily(
    r",?\s+(?:in|on|since|by|around|at|from|until)\s+(?:\w+\s+)?\S*\d.*$|\s+(?:last|this|next)\s+\w+$"
    rf"|,?\s+(?:in|since|by)\s+(?:early\s+|late\s+)?(?i:{'|'.join(MONTH_NAMES)})\b.*$"
)
TAIL = lazily(r"\s+(?:now|currently|these\s+days|anymore|any\s+more|again|together|already|today|too|as\s+well)$")
FROM_TO = lazily(r"^\s*from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$")
INSTEAD = lazily(r"\b(?:instead\s+of|rather\s+than)\s+(?P<old>[^,.;]+)")
RATHER = lazily(r"^(?P<one>.+?)\s+(?:over|to|rather\s+than)\s+(?P<other>.+)$")
OF_OWNER = lazily(r"^(?P<what>[\w -]+?)\s+of\s+(?P<owner>.+)$", re.IGNORECASE)
NOT_OTHER = lazily(r"^(?P<one>[A-Z][\w'. -]+?),\s+not\s+(?P<other>[A-Z][\w'. -]+?),\s+")
PAIR = lazily(r"^(?P<one>[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*)*)\s+and\s+(?P<other>[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*)*)$")
AND = lazily(r",?\s+and\s+(?:also\s+)?")
KEY_LINE = lazily(r"^\s*[-*•]?\s*\**(?P<key>[A-Za-z][\w ./-]{1,40}?)\**\s*(?::\**\s+|\s=\s|=(?=\S))(?P<value>\S.*)$")
NO_KEY = frozenset(
    """
    note todo q a user assistant system human from to cc subject title summary example update warning tip fyi re ps
    http https http question answer action result author date day time tags source see context why how what who when
    where edit
    """.split()
)
OTHER_NAMES = {"price": "costs", "cost": "costs", "employer": "works_at", "birthplace": "born", "birthday": "born"}
