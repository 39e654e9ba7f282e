"""Words that mean nearly the same: a thesaurus in groups, nearest first, for searching a text by other words.

Takes one word in an everyday form; gives the others of its groups. Whole words only: "forest" is no "rest". Leaves to
the caller whether a word is worth replacing.
"""

from __future__ import annotations

# Groups stand between bars. A word may stand in several: each of its groups counts, in the order they stand here.
GROUPS = """
    job work employer position role occupation | job task ticket | boss manager supervisor lead |
    colleague coworker teammate | employee staff worker member | salary pay wage compensation income |
    raise increase promotion | hire recruit employ onboard | resign quit leave | fire dismiss terminate |
    meeting call appointment session | meeting standup sync | agenda plan schedule | deadline due cutoff |
    task todo chore assignment | project initiative effort programme | goal aim objective target |
    team group crew squad | company firm business employer organisation | client customer buyer account |
    supplier vendor provider contractor | contract agreement deal | lawyer attorney solicitor counsel |
    invoice bill receipt | report summary review | decision choice conclusion | reason cause motive rationale |
    idea suggestion proposal concept | problem issue trouble bug | solution fix answer remedy |
    mistake error fault slip | lesson learning insight takeaway | rule policy guideline convention |
    procedure process steps workflow | requirement need condition | result outcome finding | progress status state |
    feedback comment remark | approve accept authorise confirm | reject refuse decline deny |
    finish complete done end | start begin launch kickoff | delay postpone defer late | cancel abort drop |
    change update modify edit | replace swap substitute | remove delete drop erase | add append insert include |
    create make build | improve enhance optimise | fast quick rapid | slow sluggish laggy | big large huge |
    small little tiny | important critical major essential | cheap inexpensive affordable | expensive costly pricey |
    price cost fee rate | money cash funds | budget spending allowance | buy purchase acquire |
    sell sold exit dispose | pay payment settle | owe debt loan | save savings deposit | rent lease tenancy |
    mortgage loan | tax taxes duty levy | refund reimbursement repayment | insurance cover policy |
    bank account branch | profit gain earnings return | loss drawdown deficit | close exit sell | closed exited sold |
    open enter opened | trade position order | buy long bid | short sell bearish | bullish long optimistic |
    thesis view outlook conviction | stop stoploss invalidation | target objective takeprofit | risk exposure danger |
    hedge offset protection | leverage margin borrowing | funding carry interest | volatility swings variance |
    liquidity depth volume | signal indicator trigger | entry buy fill | portfolio holdings book positions |
    stock share equity | crypto coin token | bitcoin btc | ethereum eth ether | solana sol | broker exchange venue |
    forecast prediction projection estimate | trend direction momentum | strategy approach plan |
    rally surge rise jump | drop fall decline crash | rise increase grow climb | high peak top | low bottom trough |
    code key password pin | code source program | function method routine | class type struct | file document script |
    folder directory path | repository repo codebase | library package module dependency |
    server host machine instance | database db store | table relation schema | query search lookup |
    index lookup catalogue | cache buffer memo | queue backlog buffer | api endpoint interface | request call query |
    response reply answer | error exception failure | crash outage failure downtime | incident outage accident |
    log record trace | test check spec | deploy release rollout ship | version release revision | branch fork |
    join start enter | merge combine join | commit change patch | config configuration settings options |
    setting option preference parameter | environment env stage | secret password credential key |
    login signin authentication auth | user account member | permission right access privilege | encryption cipher |
    backup copy snapshot | migrate move transfer port | install setup | upgrade update | latency delay lag |
    performance speed throughput | memory ram | storage disk | network connection | bug defect fault issue |
    feature capability function | design architecture layout | diagram picture chart |
    documentation docs manual guide | tutorial guide lesson | screen display monitor | phone mobile number |
    laptop computer notebook | email mail message | message note text | address location place | website site page |
    picture photo image | video clip film | wife husband spouse partner | girlfriend partner | boyfriend partner |
    mother mom mum | father dad | parents mother father | son child boy | daughter child girl |
    child kid son daughter | children kids | brother sibling | sister sibling | friend buddy mate |
    neighbour neighbor | birthday birthdate born | wedding marriage married | married wed spouse |
    divorce separation | funeral burial | baby infant newborn | dog pet puppy | cat pet kitten | name called title |
    age old born | live reside stay | home house flat apartment | move relocate | city town | country nation |
    street road | kitchen galley | room bedroom | garden yard | car vehicle auto | bike bicycle | boat ship yacht |
    plane flight | train rail | bus coach | flight plane airline | ticket booking reservation | book reserve |
    hotel accommodation lodging | trip journey travel vacation | holiday vacation leave | luggage baggage suitcase |
    passport visa | airport terminal | arrive land reach | depart leave | map route directions | beach coast shore |
    mountain hill peak | restaurant eatery place | food meal dish | breakfast meal | dinner supper meal | lunch meal |
    drink beverage | coffee espresso | recipe cooking | eat dine | vegetarian vegan | allergy allergic intolerance |
    doctor physician gp | dentist orthodontist | hospital clinic | medicine medication drug pills |
    pill tablet medication | dose dosage amount | illness sickness disease | ill sick unwell | pain ache hurt |
    headache migraine | injury wound | surgery operation | diagnosis finding condition | symptom sign complaint |
    therapy treatment | exam test | exercise workout training | run manage operate | run jog | gym fitness |
    sleep rest | diet nutrition | weight kilos | blood bloodwork | vaccine vaccination shot |
    school college university | teacher tutor instructor | student pupil | course class lesson | degree diploma |
    study learn | book novel | author writer | read reading | movie film | song track music | music song album |
    band group | concert gig show | game match | team club | win won victory | lose lost defeat | sport game |
    hobby pastime interest | like enjoy love prefer | dislike hate avoid | prefer favour favourite |
    favourite favorite preferred | happy glad pleased | sad unhappy | angry upset annoyed |
    worried anxious concerned | tired exhausted | want wish desire | need require | think believe opinion |
    opinion view belief | say tell mention | talk speak discuss | ask request | answer reply | explain describe |
    agree consent | argue dispute | promise commitment pledge | plan intention | try attempt | help assist support |
    use utilise employ | find locate discover | lose misplace | search look | see watch | meet met | visit see |
    send ship deliver | receive get | give gift donate | gift present | keep retain store | store shop |
    shop store market | break broken damaged | repair fix mend | clean wash tidy | wait delay | stop halt pause |
    continue resume proceed | happen occur | show display | hide conceal | grow increase expand |
    shrink reduce decrease | reduce cut lower | measure metric | number figure count | amount sum total |
    percent percentage share | date day | time hour | week weekly | month monthly | year annual yearly | morning am |
    evening night | early soon | old previous former | new recent latest | current present now |
    next upcoming following | last previous latest | first initial | final last | weather forecast | rain wet |
    hot warm | cold chilly | electricity power energy | water plumbing | heating boiler | fire blaze | noise sound |
    light lamp | colour color shade | size dimension measurements | weight mass | length distance | speed pace |
    quality standard | safe secure | danger hazard risk | law legislation | court tribunal | police officers |
    crime offence | war conflict | peace truce | election vote poll | government state | research study |
    experiment trial test | science research | data information records | fact truth | proof evidence |
    example sample instance | difference contrast | connection link relationship | part piece component | group set |
    list table | owner holder proprietor | founder creator | leader head chief | ceo chief executive |
    expert specialist | guest visitor | event occasion | party celebration | history past background |
    origin source beginning | purpose reason aim | effect impact consequence | advantage benefit pro |
    disadvantage drawback con | chance opportunity | limit cap maximum | minimum floor | average mean
    """


def _table() -> dict[str, tuple[str, ...]]:
    """Every word with the others of its groups."""
    table: dict[str, dict[str, None]] = {}
    for each in GROUPS.split("|"):
        group = each.split()
        for word in group:
            table.setdefault(word, {}).update(dict.fromkeys(other for other in group if other != word))
    return {word: tuple(others) for word, others in table.items()}


TABLE = _table()

# Endings a form may have, and what stands in their place in the plain word; the first that is known counts.
ENDINGS = (
    ("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
)  # fmt: skip
SHORTEST = 3  # letters left when an ending is gone


def related(word: str) -> tuple[str, ...]:
    """Words that mean nearly the same, nearest first; none where the word is not known.

    >>> related("deadlines"), related("forest")
    (('due', 'cutoff'), ())
    """
    plain = word.lower()
    if plain in TABLE:
        return TABLE[plain]
    for ending, instead in ENDINGS:
        if not plain.endswith(ending):
            continue
        stem = plain.removesuffix(ending)
        undoubled = stem[:-1] if len(stem) > SHORTEST and stem[-1] == stem[-2] else stem
        for known in (stem + instead, undoubled) if ending in {"ed", "ing"} else (stem + instead,):
            if len(stem) >= SHORTEST and known in TABLE:
                return TABLE[known]
    return ()
