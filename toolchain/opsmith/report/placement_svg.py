"""Draws the placement of nodes as SVG: a lane for each side, nodes downwards, crossing tensors."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from opsmith.board.device import PROCESSOR, shown_ns

WIDTH, LANE, ROW = 1100, 400, 24
LEFT, TOP = 20, 64
LETTERS = 58  # letters of a label that fit into a lane
NAMED = 28  # letters of the names of tensors above an arrow
COLORS = {True: "#fdb462", False: "#80b1d3", None: "#d9d9d9"}  # processor, device, neither
CROSSING = "#c00000"


def placement_svg(model: Mapping[str, Any]) -> str:
    """SVG of the placement in model.json, with a row for each node and each border."""
    placed = model["placement"]
    height = TOP + ROW * (len(placed["nodes"]) + len(placed["borders"])) + LEFT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
        '<defs><marker id="tip" orient="auto" markerWidth="8" markerHeight="8" refX="7" refY="4">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{CROSSING}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        *_heading(model["name"], placed),
    ]
    y = TOP
    for before in (*range(len(placed["nodes"])), None):
        for border in placed["borders"]:
            if border["before"] == before:
                lines += _border(border, y)
                y += ROW
        if before is not None:
            lines += _node(before, model["nodes"][before], placed["nodes"][before], y)
            y += ROW
    return "\n".join([*lines, "</svg>", ""])


def _heading(name: str, placed: Mapping[str, Any]) -> Iterator[str]:
    crossing = f"{placed['bytes']:,} bytes cross in {shown_ns(placed['border_ns'])}"
    title = f"{name}: about {shown_ns(placed['ns'])}; {crossing}"
    yield f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>'
    for side, sums in placed["sides"].items():
        text = f"{side}: {sums['nodes']} nodes, {shown_ns(sums['ns'])}"
        yield f'<text x="{_lane(side)}" y="{TOP - 14}" font-size="12">{escape(text)}</text>'


def _node(index: int, node: Mapping[str, Any], where: Mapping[str, Any], y: int) -> Iterator[str]:
    """SVG of a node's box in the lane of its side; between the lanes if it computes nothing."""
    side = where["side"]
    x, width = (_lane(side), LANE) if side else (LEFT + LANE, WIDTH - 2 * (LEFT + LANE))
    color = COLORS[side == PROCESSOR if side else None]
    yield (
        f'<rect x="{x}" y="{y}" width="{width}" height="{ROW - 4}" fill="{color}" '
        f'stroke="#404040" stroke-width="0.5"><title>{escape(where["why"])}</title></rect>'
    )
    label = f"{index} {node['op']} {node['name']}"
    label = f"{label} ({node['kernel']}) {shown_ns(where['ns'])}" if side else label
    letters = LETTERS * width // LANE
    text = label if len(label) <= letters else f"{label[: letters - 1]}…"
    yield f'<text x="{x + 6}" y="{y + 14}">{escape(text)}</text>'


def _border(border: Mapping[str, Any], y: int) -> Iterator[str]:
    """SVG of an arrow to the lane that runs from here on, with the crossing tensors."""
    ends = (LEFT + LANE, WIDTH - LEFT - LANE)
    start, end = ends[::-1] if border["to"] == PROCESSOR else ends
    names = ", ".join(each["id"] for each in border["tensors"])
    names = names if len(names) <= NAMED else f"{names[: NAMED - 1]}…"
    middle = y + ROW - 6
    yield (
        f'<line x1="{start}" y1="{middle}" x2="{end}" y2="{middle}" stroke="{CROSSING}" '
        f'marker-end="url(#tip)"><title>{escape(border["why"])}</title></line>'
    )
    text = f"{names}: {border['bytes']:,} B" if names else "nothing"
    at = f'x="{WIDTH // 2}" y="{middle - 4}" text-anchor="middle"'
    yield f'<text {at} fill="{CROSSING}">{escape(text)}</text>'


def _lane(side: str) -> int:
    return LEFT if side == PROCESSOR else WIDTH - LEFT - LANE
