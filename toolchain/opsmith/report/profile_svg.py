"""Draw a profile as SVG: a bar for each node, as long as what it took."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from opsmith.report.profile import HEADINGS, Profile

WIDTH = 1100
ROW, TOP, BOTTOM = 18, 40, 20
LEFT, RIGHT = 360, 190
COLOR, OTHER = "#80b1d3", "#fdb462"  # nodes that multiply with weights, and the others


def profile_svg(profile: Profile) -> str:
    """A picture of the profile, nodes from top to bottom."""
    height = TOP + ROW * len(profile.nodes) + BOTTOM
    total = profile.totals[profile.main]
    title = f"{profile.target}: {total:,} {HEADINGS[profile.main]}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="10" y="{TOP - 16}" font-size="14">{escape(title)}</text>',
    ]
    for index in range(len(profile.nodes)):
        lines += _row(profile, index, total)
    return "\n".join([*lines, "</svg>", ""])


def _row(profile: Profile, index: int, total: int) -> Iterator[str]:
    node, row = profile.nodes[index], profile.values[index]
    most = max(values[-1] for values in profile.values) or 1
    width = row[-1] / most * (WIDTH - LEFT - RIGHT)
    y = TOP + ROW * index
    vanished = f"{node['op']}, " if node["kernel"] == "in place" else ""
    label = escape(f"{node['index']} {vanished}{node['kernel']}")
    named = (
        f"{value:,} {HEADINGS[name]}" for name, value in zip(profile.meaning, row, strict=True)
    )
    detail = escape(f"{node['source']}, {node['name']}: {', '.join(named)}")
    share = row[-1] / total if total else 0.0
    yield f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{label}</text>'
    yield (
        f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{ROW - 4}" '
        f'fill="{COLOR if node["macs"] else OTHER}"><title>{detail}</title></rect>'
    )
    yield f'<text x="{LEFT + width + 6:.1f}" y="{y + 12}">{row[-1]:,} ({share:.1%})</text>'
