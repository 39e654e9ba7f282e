"""Why a hit is as relevant as it is: the two chances of the model and what each was made from.

Nothing is decided here; the numbers are the model's, put into words.
"""

from __future__ import annotations

from math import log

from recollect.rank.answering import Signs
from recollect.rank.clues import Clues, Mention, Shape
from recollect.rank.model import Arms, terms_of
from recollect.values import Explanation

SMALLEST = 1e-15  # stands for a chance of zero, whose log-odds there are none


def through_links(own: float, *, best: float) -> float:
    """A relevance raised by what is linked: 1 - (1 - own)(1 - best).

    `best` is the strongest single path to it, a chain of chances; several paths from what one question matched say
    much the same, so they are not added up here.

    >>> through_links(0.5, best=0.5), through_links(0.3, best=0.0)
    (0.75, 0.3)
    """
    return 1 - (1 - own) * (1 - best) if best > 0 else own


def explain_standing(
    clues: Clues, shape: Shape, mention: Mention, weights: Arms, *, complement: float, joined: float = 0.0
) -> Explanation:
    """How a hit stands in its list: each clue times its weight, what it has in common with the best ones, and what it
    brings that better ones lack."""
    terms = terms_of(clues, shape)
    shares = [Explanation(weight * terms[name], f"{name} {terms[name]:.3f}") for name, weight in weights.own.items()]
    said = zip(Mention._fields, mention, strict=True)
    shares += [
        Explanation(weights.mentions[name] * value, f"names between texts: {name} {value:.3f}") for name, value in said
    ]
    shares.append(Explanation(joined, "speaks of what the best ones speak of"))
    shares.append(Explanation(complement, "what it adds to the better ones"))
    shown = tuple(share for share in shares if share.value)
    return Explanation(sum(share.value for share in shown), "standing in its list", shown, sums=True)


def explain_answering(signs: Signs, weights: Arms, *, answers: float) -> Explanation:
    """Why the list is thought to answer, or not."""
    found = signs._asdict()
    shares = tuple(
        Explanation(weight * found[name], f"{name} {found[name]:.3f}") for name, weight in weights.answers.items()
    )
    total = Explanation(sum(share.value for share in shares), "signs that the list answers", shares, sums=True)
    return Explanation(answers, "chance that the list answers", (total,))


def explain_relevance(
    relevance: float, *, answering: Explanation, standing: Explanation, beside_best: float, links: float
) -> Explanation:
    """The relevance as log-odds of a product, whose details add up: the list's chance, the place in it, and links."""
    own = answering.value * beside_best
    parts = [
        Explanation(_odds(answering.value), f"chance that the list answers {answering.value:.3f}", (answering,)),
        Explanation(_odds(own) - _odds(answering.value), f"beside the best of it {beside_best:.3f}", (standing,)),
    ]
    if links > 0:
        parts.append(Explanation(_odds(relevance) - _odds(own), "through links"))
    return Explanation(sum(part.value for part in parts), "log-odds of relevance", tuple(parts), sums=True)


def _odds(chance: float) -> float:
    return log(max(chance, SMALLEST) / max(1 - chance, SMALLEST))
