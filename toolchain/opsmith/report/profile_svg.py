"""Draws a profile as SVG: a bar for each node, proportional to its cost."""

from collections.abc import Iterator
from html import escape

from opsmith.report.plan_svg import shortened
from opsmith.report.profile import HEADINGS, Profile

WIDTH = 1100
ROW, TOP, BOTTOM = 18, 60, 20
LAYER, LEFT, RIGHT = 250, 450, 190  # start of names and of bars, and width of figures
LETTER = 6  # pixels
COLORS = {"#80b1d3": "multiply-accumulates", "#fdb462": "other nodes"}


def profile_svg(profile: Profile) -> str:
    """SVG of the profile, nodes from top to bottom."""
    height = TOP + ROW * len(profile.nodes) + BOTTOM
    total = profile.totals[profile.main]
    title = f"{profile.target}: {total:,} {HEADINGS[profile.main]}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="monospace" font-size="10">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="10" y="24" font-size="14">{escape(title)}</text>',
        f'<text x="10" y="{TOP - 12}">node, op, kernel</text>',
        f'<text x="{LAYER}" y="{TOP - 12}">layer</text>',
    ]
    for i, (color, said) in enumerate(COLORS.items()):
        x = LEFT + 180 * i
        lines.append(f'<rect x="{x}" y="{TOP - 21}" width="10" height="10" fill="{color}"/>')
        lines.append(f'<text x="{x + 16}" y="{TOP - 12}">{said}</text>')
    for index in range(len(profile.nodes)):
        lines += _row(profile, index, total)
    return "\n".join([*lines, "</svg>", ""])


def _row(profile: Profile, index: int, total: int) -> Iterator[str]:
    node, row = profile.nodes[index], profile.values[index]
    most = max(values[-1] for values in profile.values) or 1
    width = row[-1] / most * (WIDTH - LEFT - RIGHT)
    y = TOP + ROW * index
    left = f"{node['index']} {node['op']}, {node['kernel']}"
    left = escape(shortened(left, (LAYER - 10) // LETTER - 1))
    layer = escape(shortened(node["name"], (LEFT - LAYER) // LETTER - 1))
    multiplies, others = COLORS
    named = (
        f"{value:,} {HEADINGS[name]}" for name, value in zip(profile.meaning, row, strict=True)
    )
    detail = escape(f"{node['source']}, {node['name']}: {', '.join(named)}")
    share = row[-1] / total if total else 0.0
    yield f'<text x="10" y="{y + 11}">{left}</text>'
    yield f'<text x="{LAYER}" y="{y + 11}">{layer}</text>'
    yield (
        f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{ROW - 4}" '
        f'fill="{multiplies if node["macs"] else others}"><title>{detail}</title></rect>'
    )
    yield f'<text x="{LEFT + width + 6:.1f}" y="{y + 11}">{row[-1]:,} ({share:.1%})</text>'
