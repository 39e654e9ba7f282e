"""From a question to chains of relations, followed from the named entity outward.

The words nearest to the entity come first: "the genres of the films directed by the director of X" is director, films,
genres. Takes the words, the place of the entity and the mentions; gives every reading worth trying, likeliest first.
Leaves to `follow` whether a chain leads anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.explore.relation_words import ASKED, BY_NAME, CLASS_WORDS, Expect, Form
from recollect.explore.relations import OTHER_ACTS, Lexicon, Mention, find_mentions
from recollect.explore.wording import Token, is_function_word, singular
from recollect.knowledge import Way
from recollect.language.words import HELPING, QUESTION_WORDS

PARTICIPLE = ("d", "n", "t", "made", "run", "come out")
BE = frozenset("is are was were be been being s".split())
SHARING = frozenset("share shares shared sharing same common".split())
TOGETHER = frozenset("co together alongside".split())
LISTENING = frozenset("which what who whom whose where when many".split())
JOINING = frozenset("the a an that which in for of by with also and to from as it its their this film movie".split())
MOST_MENTIONS = 6  # a question with more of them is not one chain
UNLIKELY_ORDER = 0.85
OPTIONAL_LEFT = 0.95
BY_VALUE = 0.85  # belief in a reading that goes without a word for the relation
UNASKED_HOP = 0.8  # belief in two words for one relation being two hops, where no sort of thing is named between
SAID_TWICE = 0.9  # belief in two words for one relation being one hop, though they need not be


class Step(NamedTuple):
    """A relation, and which way it is followed."""

    relation: str
    way: Way
    belief: float = 1.0

    def turned(self) -> Step:
        return self._replace(way=Way.IN if self.way is Way.OUT else Way.OUT)


class Hop(NamedTuple):
    """From one entity to the next, by any of these steps. `fixed`: the words leave no doubt about the way.

    `arrives` is what its far end is, `departs` what it is when followed the other way.
    """

    steps: tuple[Step, ...]
    words: str
    fixed: bool = False
    arrives: Expect = Expect.ANY
    departs: Expect = Expect.ANY

    def turned(self) -> Hop:
        steps = tuple(step.turned() for step in self.steps)
        return self._replace(steps=steps, arrives=self.departs, departs=self.arrives)


class Chain(NamedTuple):
    """One reading of a question: hops from the entity, what it expects, and how likely it is by its words alone."""

    hops: tuple[Hop, ...]
    expects: Expect
    kind: str
    explained: float
    likely: float
    counts: bool = False

    @property
    def belief(self) -> float:
        return self.explained * self.likely


class _Spot(NamedTuple):
    """A mention in its surroundings: on which side of the entity, and how the words around bend it."""

    mention: Mention
    right: bool  # the entity stands before it
    passive: bool = False
    shared: bool = False  # "share directors with": to them, and back
    together: bool = False  # "co-wrote with": to the works, and back
    backward: bool = False  # "whose writers", "is the writer of": from the doer to the other end
    focus: bool = False  # what is asked for: "which genres", "when"
    tight: bool = False  # right behind the entity, as in "Xanadu director"
    apposed: bool = False  # right before it, as in "the writer Xenia"
    implied: bool = False  # "films for the writer": one more hop, back to what they wrote


def read_chains(tokens: Sequence[Token], taken: range, lexicon: Lexicon, *, named: Collection[int] = ()) -> list[Chain]:
    """Every reading of a question about the entity at these words, likeliest first; `named`: words of other names."""
    mentions = find_mentions(tokens, taken, lexicon)[:MOST_MENTIONS]
    spots = [_spot(tokens, taken, mention) for mention in mentions]
    expects, kind = asked_for(tokens, taken)
    counts = any(one.low == "how" and two.low == "many" for one, two in pairwise(tokens))
    explained = _explained(tokens, {*taken, *named}, mentions)
    has_sort = bool(kind) or any(singular(each.low) in CLASS_WORDS for at, each in enumerate(tokens) if at not in taken)
    chains = []
    for order, likely in (*_orders(spots), *_without_making(spots)):
        for merge, less in ((_is_one_hop, 1.0), (_speaks_again, SAID_TWICE)):
            hops = tuple(hop for spot in _merged(order, merge) for hop in _hops(spot))
            if hops:
                less *= 1.0 if has_sort or not _says_twice(hops) else UNASKED_HOP
                chains.append(Chain(hops, expects, kind, explained, likely * less, counts))
    if not chains or not mentions:
        chains += _by_value(tokens, taken, lexicon, kind)
    unlike = {chain.hops: chain for chain in sorted(chains, key=lambda chain: chain.belief)}
    return sorted(unlike.values(), key=lambda chain: (-chain.belief, len(chain.hops)))


def _says_twice(hops: Sequence[Hop]) -> bool:
    """Whether two hops that follow each other go by one relation in other words: "words describing what X is about".

    "The parent of the parent of X" says it in the same words, and means two.
    """
    return any(
        one.words != two.words and {step.relation for step in one.steps} & {step.relation for step in two.steps}
        for one, two in pairwise(hops)
    )


def _by_value(tokens: Sequence[Token], taken: range, lexicon: Lexicon, kind: str) -> list[Chain]:
    """ "Which films are in English?": what has the named value, whatever the relation, where nothing else is said."""
    if not kind or _explained(tokens, taken, ()) or _unexplained(tokens, taken, ()):
        return []
    steps = {Step(end.relation, Way.IN) for ends in lexicon.rows.values() for end in ends if end.doer_is_object}
    hop = Hop(tuple(sorted(steps)), kind, fixed=True)
    return [Chain((hop,), Expect.THING, kind, 1.0, BY_VALUE)] if steps else []


# --- what surrounds a mention ------------------------------------------------------------------------


def _spot(tokens: Sequence[Token], taken: range, mention: Mention) -> _Spot:
    right = mention.start >= taken.stop
    before = [token.low for token in tokens[taken.stop if right else 0 : mention.start]]
    after = [token.low for token in tokens[mention.end : len(tokens) if right else taken.start]]
    noun = mention.form is not Form.VERB
    together = bool(TOGETHER & {*before[-1:], *after[:2]}) or mention.together or _is_done_together(mention, after)
    shared = noun and not together and bool(SHARING & set(before[-3:]))
    backward = noun and ("whose" in before[-2:] or (right and after[:1] == ["of"]))
    apposed = noun and not right and not after and not (together or shared)
    ahead = before if not right else [token.low for token in tokens[: taken.start]]
    tight = right and _is_tight(before, after, noun=noun)
    implied = noun and (tight or not right) and not (together or shared) and _is_class_before(ahead, of=tight)
    return _Spot(
        mention,
        right,
        _is_passive(tokens, taken, mention, after),
        shared,
        together,
        backward,
        _is_focus(before, mention),
        tight,
        apposed,
        implied,
    )


def _is_tight(before: Sequence[str], after: Sequence[str], *, noun: bool) -> bool:
    """Whether it makes one phrase with the entity right before it: "Xanadu directors", "Xenia directed films"."""
    if [word for word in before if word != "s"] or LISTENING & set(after[:2]):
        return False
    return noun or bool(after and singular(after[0]) in CLASS_WORDS)


def _is_class_before(before: Sequence[str], *, of: bool) -> bool:
    """Whether a sort of thing for, from or by somebody stands before: "movies for the" writer."""
    words = [word for word in before[-3:] if word not in ("the", "a", "an")]
    if len(words) < 2 or words[-1] not in ("for", "from", "by", *(["of"] if of else [])):
        return False
    return singular(words[-2]) in CLASS_WORDS and words[-2] not in ("name", "names", "one", "title")


def _is_done_together(mention: Mention, after: Sequence[str]) -> bool:
    """Whether people do it with the entity: "who acted with", "who acted in the same film as"."""
    row = BY_NAME.get(mention.row)
    if mention.form is not Form.VERB or row is None or row.doer is not Expect.PERSON:
        return False
    same = (
        "same" in after and singular(after[after.index("same") + 1 :][0] if after[-1] != "same" else "") in CLASS_WORDS
    )
    return list(after) == ["with"] or same


def _is_passive(tokens: Sequence[Token], taken: range, mention: Mention, after: Sequence[str]) -> bool:
    """Whether it is done to what it speaks of: "called by", "where is X called"."""
    if mention.form is not Form.VERB or not mention.words.endswith(
        ("ed", "en", "n", "t", "de", "ld", "d", "put", "set")
    ):
        return False
    if after[:1] == ["by"]:
        return True
    skipped = {*range(taken.start, taken.stop)} if mention.start >= taken.stop else set()
    for at in range(mention.start - 1, -1, -1):
        low = tokens[at].low
        if at in skipped or low in JOINING or singular(low) in CLASS_WORDS or low in ("not", "ever", "never"):
            continue
        return low in BE
    return False


def _is_focus(before: Sequence[str], mention: Mention) -> bool:
    """Whether it is what is asked for: behind "which" or "what", or the question word itself."""
    if mention.words in QUESTION_WORDS:
        return True
    if mention.form is Form.VERB:
        return False
    for word in reversed(before):
        if word in ("which", "what", "many", "list", "name"):
            return True
        if word in BE or word in ("the", "who", "all", "main", "primary", "film", "movie"):
            continue
        return False
    return False


def asked_for(tokens: Sequence[Token], taken: range) -> tuple[Expect, str]:
    """What the question expects to hear, and the sort of thing it names: ("which functions", "who", "when").

    >>> from recollect.explore.wording import tokens_of
    >>> asked_for(tokens_of("which functions call X"), range(3, 4))
    (<Expect.THING: 'thing'>, 'function')
    """
    lows = [token.low for at, token in enumerate(tokens) if at not in taken]
    for at, low in enumerate(lows):
        follows = singular(lows[at + 1]) if at + 1 < len(lows) else ""
        if low in ("which", "what", "many") and follows in ASKED:
            return ASKED[follows], follows
        if low in ("which", "what", "many") and follows in CLASS_WORDS:
            return Expect.THING, follows
        if low in ASKED and low in QUESTION_WORDS:
            return ASKED[low], ""
    return Expect.ANY, ""


def _explained(tokens: Sequence[Token], taken: Collection[int], mentions: Sequence[Mention]) -> float:
    """The share of the question's content words that are mentions or sorts of things."""
    spoken = sum(mention.end - mention.start for mention in mentions)
    return spoken / (spoken + len(_unexplained(tokens, taken, mentions))) if spoken else 0.0


def _unexplained(tokens: Sequence[Token], taken: Collection[int], mentions: Sequence[Mention]) -> list[int]:
    """Content words that are neither the entity, nor a mention, nor a sort of thing."""
    known = {at for mention in mentions for at in range(mention.start, mention.end)} | set(taken)
    rest = [(at, token.low) for at, token in enumerate(tokens) if at not in known]
    plain = SHARING | TOGETHER | set(HELPING)
    return [
        at for at, low in rest if not is_function_word(low) and low not in plain and singular(low) not in CLASS_WORDS
    ]


# --- in which order ----------------------------------------------------------------------------------


def _orders(spots: Sequence[_Spot]) -> list[tuple[list[_Spot], float]]:
    """The mentions from the entity outward: what is tight, what stands left, what stands right, what is asked for."""
    left = [spot for spot in reversed(spots) if not spot.right]
    right = [spot for spot in spots if spot.right]
    focus = [spot for spot in (*left, *right) if spot.focus]
    inner_left, inner_right = ([spot for spot in side if not spot.focus] for side in (left, right))
    tight = inner_right[:1] if inner_right and inner_right[0].tight else []
    rest = inner_right[len(tight) :]
    orders = [([*tight, *inner_left, *rest, *focus], 1.0)]
    if tight and inner_left:
        orders.append(([*inner_left, *tight, *rest, *focus], UNLIKELY_ORDER))
    elif inner_right and inner_left:
        orders.append(([*inner_right, *inner_left, *focus], UNLIKELY_ORDER))
    if inner_left and inner_left[0].apposed:
        role = inner_left[0]
        without = [([spot for spot in order if spot is not role], likely) for order, likely in orders]
        orders += [(order, likely * OPTIONAL_LEFT) for order, likely in without if order]
        if any(spot.shared or spot.together for spot in spots):  # "the actor X co-starred with": a role and no more
            orders = [(order, likely if role not in order else likely * UNLIKELY_ORDER) for order, likely in orders]
    return orders


def _without_making(spots: Sequence[_Spot]) -> list[tuple[list[_Spot], float]]:
    """The same without words for making, which may say no more than "is": "which language is it made in"."""
    rest = [spot for spot in spots if spot.mention.row != "make"]
    return [(order, likely * BY_VALUE) for order, likely in _orders(rest)] if 0 < len(rest) < len(spots) else []


def _merged(order: Sequence[_Spot], are_one: Callable[[_Spot, _Spot], bool]) -> list[_Spot]:
    """Mentions that are one hop made one: "wrote the screenplay", "release date", "which topics is X about"."""
    merged: list[_Spot] = []
    for spot in order:
        last = merged[-1] if merged else None
        common = last.mention.relations & spot.mention.relations if last else frozenset[str]()
        if last and common and are_one(last, spot):
            strong = (
                last if spot.mention.form is Form.SIGN or last.together or last.shared or last.mention.strict else spot
            )
            weak = spot if strong is last else last
            words = f"{last.mention.words} {spot.mention.words}"
            mention = strong.mention.within(common)._replace(words=words)
            merged[-1] = strong._replace(
                mention=mention,
                shared=last.shared or spot.shared,
                together=last.together or spot.together,
                focus=weak.focus,
            )
        else:
            merged.append(spot)
    return merged


def _is_one_hop(last: _Spot, spot: _Spot) -> bool:
    one, two = last.mention, spot.mention
    if Form.SIGN in (one.form, two.form):
        return True
    if last.right == spot.right and (one.end == two.start or two.end == one.start):
        return True
    if not spot.focus or two.form is not Form.DOER:
        return False
    doing = one.form is Form.VERB and not one.strict and not last.passive
    return doing or _arrives_at_doer(last)


def _speaks_again(last: _Spot, spot: _Spot) -> bool:
    """Two words for one hop, however they stand: "the director who directed"; nobody shares or is backward there."""
    both = (last, spot)
    bent = any(each.shared or each.together or each.backward or each.implied or each.mention.strict for each in both)
    return _is_one_hop(last, spot) or not bent


# --- which way ---------------------------------------------------------------------------------------


def _arrives_at_doer(spot: _Spot) -> bool:
    """Whether the hop leads from what stands nearer to the entity to the doer's end."""
    mention = spot.mention
    if spot.shared or spot.together:
        return spot.together
    if mention.form is Form.OTHER:
        return spot.backward
    if mention.form is not Form.VERB:
        return not (spot.backward or spot.apposed)
    nearer_is_doer = spot.right != spot.passive
    if mention.words in OTHER_ACTS and not spot.passive:
        nearer_is_doer = not nearer_is_doer
    return not nearer_is_doer


def _hops(spot: _Spot) -> list[Hop]:
    mention = spot.mention
    row = BY_NAME.get(mention.row)
    doer, other = (row.doer, row.other) if row else (Expect.ANY, Expect.ANY)
    to_doer = tuple(Step(end.relation, Way.OUT if end.doer_is_object else Way.IN, end.belief) for end in mention.ends)
    arriving = Hop(to_doer, mention.words, mention.strict, doer, other)
    if spot.shared:
        return [arriving, arriving.turned()]
    if spot.together:
        return [arriving.turned(), arriving]
    hop = arriving if _arrives_at_doer(spot) else arriving.turned()
    return [hop, hop.turned()] if spot.implied and not spot.apposed else [hop]
