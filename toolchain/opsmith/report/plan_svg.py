"""Draws a memory plan as SVG: nodes from left to right, addresses from bottom to top."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH = 1100
HEIGHT = 420  # of one arena
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 40, 120
NAMED = 60  # nodes; the names of more do not fit below
LABEL = 12  # pixels of height that a label needs; half of it for a letter, whose font is monospaced
LEAST = 10  # letters of a cut name; fewer are useless
LONGEST = 26  # letters of a node's name that fit into the picture
TITLE = 60  # letters of the model's name
COLORS = ("#8dd3c7", "#bebada", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#ccebc5")
SCRATCH = "#fb8072"
PEAK = "#c00000"


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """True if two boxes share an inner point."""
        return (
            abs(2 * self.x + self.width - 2 * other.x - other.width) < self.width + other.width
            and abs(2 * self.y + self.height - 2 * other.y - other.height)
            < self.height + other.height
        )


def plan_svg(model: Mapping[str, Any]) -> str:
    """SVG of the plan in model.json, one panel for each memory that has an arena."""
    arenas = model["arena"]
    height = (TOP + HEIGHT) * len(arenas) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="monospace" font-size="10">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for i, (memory, arena) in enumerate(arenas.items()):
        placed = [tensor for tensor in model["tensors"] if tensor["memory"] == memory]
        lines += _panel(model, memory, arena, placed, i * (TOP + HEIGHT) + TOP)
    lines += _node_names(model["nodes"], height - BOTTOM)
    return "\n".join([*lines, "</svg>", ""])


def plan_names(models: Sequence[str]) -> list[str]:
    """File names of pictures of memory plans; with several models, each has its model's name."""
    return ["plan.svg"] if len(models) == 1 else [f"plan.{name}.svg" for name in models]


def peak_nodes(tensors: Sequence[Mapping[str, Any]], nodes: int) -> list[int]:
    """Nodes at which the arena's highest address is in use; -1 is before the first node."""
    top = [0] * (nodes + 2)
    for tensor in tensors:
        for node in range(tensor["first"], tensor["last"] + 1):
            top[node + 1] = max(top[node + 1], tensor["offset"] + tensor["bytes"])
    return [i - 1 for i, end in enumerate(top) if end == max(top) and end > 0]


def _panel(
    model: Mapping[str, Any],
    memory: str,
    arena: Mapping[str, int],
    placed: Sequence[Mapping[str, Any]],
    top: int,
) -> Iterator[str]:
    size, count = max(arena["bytes"], 1), len(model["nodes"])
    title = f"{shortened(model['name'], TITLE)}: {size:,} bytes in {memory}"
    title += f", lower bound {arena['lower_bound']:,}"
    yield f'<text x="{LEFT}" y="{top - 14}" font-size="14">{escape(title)}</text>'
    yield (
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP}" '
        'fill="none" stroke="#808080"/>'
    )
    scale = (HEIGHT - TOP) / size
    for quarter in range(5):
        y = top + (HEIGHT - TOP) * (1 - quarter / 4)
        text = f"{size * quarter // 4:,}"
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    boxes = [_box(tensor, top + HEIGHT - TOP, scale, count) for tensor in placed]
    for i, (tensor, box) in enumerate(zip(placed, boxes, strict=True)):
        yield _tensor(tensor, i, box)
    for first, last in _runs(peak_nodes(placed, count)):
        x, width = _x(first, count), _x(last + 1, count) - _x(first, count)
        yield (
            f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{HEIGHT - TOP}" '
            f'fill="none" stroke="{PEAK}" stroke-width="2"><title>the peak</title></rect>'
        )
    labels: list[Box] = []
    for tensor, box in zip(placed, boxes, strict=True):
        yield from _label(tensor["id"], box, labels, boxes)


def _runs(nodes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last node of each run of successive nodes."""
    for i, first in enumerate(nodes):
        if i == 0 or nodes[i - 1] != first - 1:
            yield first, next(n for n in itertools.count(first) if n + 1 not in nodes)


def _box(tensor: Mapping[str, Any], bottom: float, scale: float, count: int) -> Box:
    x, end = _x(tensor["first"], count), _x(tensor["last"] + 1, count)
    height = tensor["bytes"] * scale
    return Box(x, bottom - tensor["offset"] * scale - height, end - x, height)


def _tensor(tensor: Mapping[str, Any], index: int, box: Box) -> str:
    scratch = "." in tensor["id"]
    color = SCRATCH if scratch else COLORS[index % len(COLORS)]
    name = escape(tensor["id"])
    where = f"{name}: {tensor['bytes']:,} bytes at {tensor['offset']:,}"
    when = f"nodes {tensor['first']} to {tensor['last']}"
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" fill="{color}" fill-opacity="0.75" stroke="#404040" '
        f'stroke-width="0.5"><title>{where}, {when}</title></rect>'
    )


def _label(name: str, box: Box, labels: list[Box], boxes: Sequence[Box]) -> Iterator[str]:
    """SVG of a tensor's name in its rectangle, rotated if more of it fits, and clear of the other
    `labels`, to which it is added; nothing where too little fits.
    """
    least, letter = min(len(name), LEAST), LABEL / 2
    along, up = (int(size / letter) - 1 for size in (box.width, box.height))
    if box.height >= LABEL and along >= least and (along >= len(name) or along >= up):
        shown = shortened(name, along)
        places = [Box(box.x + 3, y, len(shown) * letter, LABEL) for y in _steps(box.y, box.height)]
    elif box.width >= LABEL and up >= least:
        shown = shortened(name, up)
        length = len(shown) * letter
        middle = box.y + (box.height - length) / 2
        places = [Box(x, middle, LABEL, length) for x in _steps(box.x, box.width)]
    else:
        return
    places = [place for place in places if not any(map(place.overlaps, labels))]
    if places:
        place = min(places, key=lambda place: sum(map(place.overlaps, boxes)))
        labels.append(place)
        yield f"<text {_at(place)}>{escape(shown)}</text>"


def _at(place: Box) -> str:
    """SVG attributes of the start of a text that fills a rectangle."""
    if place.height == LABEL:
        return f'x="{place.x:.1f}" y="{place.y + LABEL - 3:.1f}"'
    at = f"{place.x + LABEL - 3:.1f} {place.y + place.height:.1f}"
    return f'transform="translate({at}) rotate(-90)"'


def _steps(start: float, size: float) -> list[float]:
    """Offsets at which a line of text may begin within a size: middle first."""
    lines = int(size / LABEL)
    first = start + (size - lines * LABEL) / 2
    places = [start + (size - LABEL) / 2, *(first + i * LABEL for i in range(lines))]
    return sorted(places, key=lambda place: abs(place - places[0]))


def shortened(name: str, letters: int) -> str:
    """Name cut in the middle to a number of letters, since names often differ at their ends."""
    if len(name) <= letters:
        return name
    first = letters // 3
    return f"{name[:first]}…{name[len(name) - (letters - first - 1) :]}"


def _node_names(nodes: Sequence[Mapping[str, Any]], top: int) -> Iterator[str]:
    if len(nodes) > NAMED:
        return
    for i, node in enumerate(nodes):
        x = (_x(i, len(nodes)) + _x(i + 1, len(nodes))) / 2
        at = f"{x:.1f} {top - TOP + 10}"
        text = escape(shortened(f"{i} {node['op']}", LONGEST))
        yield (f'<text transform="translate({at}) rotate(-60)" text-anchor="end">{text}</text>')


def _x(node: int, count: int) -> float:
    """Left edge of a node in pixels, with one column before the first and after the last."""
    return LEFT + (node + 1) * (WIDTH - LEFT - RIGHT) / (count + 2)
