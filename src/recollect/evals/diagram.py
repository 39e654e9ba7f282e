"""The reliability diagram as SVG: what was said beside what was so, readable on light and dark ground."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.evals.metrics import Bin

SIDE, MARGIN, HEAD = 320, 48, 56  # of the square, in pixels; around it; above it
WIDTH, HEIGHT = SIDE + 2 * MARGIN, SIDE + HEAD + MARGIN
STYLE = """\
text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}.small{font-size:10px}
.bar{fill:#3b78c2;fill-opacity:.75}.line{stroke:#888;stroke-width:1;fill:none}.ideal{stroke-dasharray:4 4}
.said{stroke:#c2513b;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#ddd}.bar{fill:#7fb0ee}.line{stroke:#999}.said{stroke:#f0907c}}"""


def reliability_svg(bins: Sequence[Bin], *, title: str, subtitle: str) -> str:
    """What was so (a bar) for each range of what was said (a short line), beside the diagonal of an honest one."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{_escaped(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{MARGIN}" y="22">{_escaped(title)}</text>',
        f'<text x="{MARGIN}" y="40">{_escaped(subtitle)}</text>',
        *(_bar(each) for each in bins if each.questions),
        f'<path class="line" d="M{MARGIN} {HEAD}v{SIDE}h{SIDE}"/>',
        f'<path class="line ideal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>',
        *(_tick(number / 5) for number in range(6)),
        f'<text x="{_x(0.5)}" y="{HEIGHT - 8}" text-anchor="middle">confidence</text>',
        f'<text transform="translate(14 {_y(0.5)}) rotate(-90)" text-anchor="middle">share answerable</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _bar(each: Bin) -> str:
    left, width = _x(each.low) + 2, _x(each.high) - _x(each.low) - 4
    top = _y(each.true)
    return (
        f'<rect class="bar" x="{left:g}" y="{top:g}" width="{width:g}" height="{_y(0) - top:g}">'
        f"<title>{each.questions} questions, said {each.said:.2f}, so {each.true:.2f}</title></rect>"
        f'<path class="said" d="M{left:g} {_y(each.said):g}h{width:g}"/>'
        f'<text class="small" x="{left + width / 2:g}" y="{min(top, _y(each.said)) - 4:g}" text-anchor="middle">'
        f"{each.questions}</text>"
    )


def _tick(share: float) -> str:
    return (
        f'<text class="small" x="{_x(share):g}" y="{_y(0) + 14:g}" text-anchor="middle">{share:g}</text>'
        f'<text class="small" x="{MARGIN - 6}" y="{_y(share) + 3:g}" text-anchor="end">{share:g}</text>'
    )


def _x(share: float) -> float:
    return round(MARGIN + share * SIDE, 2)


def _y(share: float) -> float:
    return round(HEAD + (1 - share) * SIDE, 2)


def _escaped(text: str) -> str:
    """Text that stands as it is in a picture. Our own, since the standard ones load a parser or a table of signs.

    >>> _escaped('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, name)
    return text
