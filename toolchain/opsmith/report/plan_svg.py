"""Draw a memory plan as SVG: nodes from left to right, addresses from bottom to top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

WIDTH = 1100
HEIGHT = 420  # of one arena
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 40, 110
NAMED = 60  # nodes, beyond which their names do not fit below
LABEL = 12  # pixels of height that a label needs; half of it for the width of a letter
LEAST = 10  # letters of a longer name, below which they say nothing
COLORS = ("#8dd3c7", "#bebada", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#ccebc5")
SCRATCH = "#fb8072"
PEAK = "#c00000"


def plan_svg(model: Mapping[str, Any]) -> str:
    """A picture of the plan in model.json, one panel for each memory that has an arena."""
    arenas = model["arena"]
    height = (TOP + HEIGHT) * len(arenas) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for i, (memory, arena) in enumerate(arenas.items()):
        placed = [tensor for tensor in model["tensors"] if tensor["memory"] == memory]
        lines += _panel(model, memory, arena, placed, i * (TOP + HEIGHT) + TOP)
    lines += _node_names(model["nodes"], height - BOTTOM)
    return "\n".join([*lines, "</svg>", ""])


def plan_names(models: Sequence[str]) -> list[str]:
    """The pictures of memory plans: one of several models has its name in that of its picture."""
    return ["plan.svg"] if len(models) == 1 else [f"plan.{name}.svg" for name in models]


def peak_nodes(tensors: Sequence[Mapping[str, Any]], nodes: int) -> list[int]:
    """Return the nodes at which the arena's highest address is in use; -1 is before the first."""
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
    title = f"{model['name']}: {size:,} bytes in {memory}, lower bound {arena['lower_bound']:,}"
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
    for i, tensor in enumerate(placed):
        yield from _tensor(tensor, i, top + HEIGHT - TOP, scale, count)
    for node in peak_nodes(placed, count):
        x, width = _x(node, count), _x(node + 1, count) - _x(node, count)
        yield (
            f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{HEIGHT - TOP}" '
            f'fill="none" stroke="{PEAK}" stroke-width="2"><title>the peak</title></rect>'
        )


def _tensor(
    tensor: Mapping[str, Any], index: int, bottom: float, scale: float, count: int
) -> Iterator[str]:
    x, end = _x(tensor["first"], count), _x(tensor["last"] + 1, count)
    height = tensor["bytes"] * scale
    y = bottom - tensor["offset"] * scale - height
    scratch = "." in tensor["id"]
    color = SCRATCH if scratch else COLORS[index % len(COLORS)]
    name = escape(tensor["id"])
    where = f"{name}: {tensor['bytes']:,} bytes at {tensor['offset']:,}"
    when = f"nodes {tensor['first']} to {tensor['last']}"
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{end - x:.1f}" height="{height:.1f}" '
        f'fill="{color}" fill-opacity="0.75" stroke="#404040" stroke-width="0.5">'
        f"<title>{where}, {when}</title></rect>"
    )
    yield from _label(tensor["id"], x, y, end - x, height)


def _label(name: str, x: float, y: float, width: float, height: float) -> Iterator[str]:
    """The name in this rectangle, rotated where more of it fits so; nothing if too little fits."""
    least = min(len(name), LEAST)
    along, up = (int(size / (LABEL / 2)) - 1 for size in (width, height))
    if height >= LABEL and along >= least and (along >= len(name) or along >= up):
        shown = escape(_shortened(name, along))
        yield f'<text x="{x + 3:.1f}" y="{y + height / 2 + 4:.1f}">{shown}</text>'
    elif width >= LABEL and up >= least:
        at = f"{x + width / 2 + 4:.1f} {y + height / 2:.1f}"
        shown = escape(_shortened(name, up))
        yield f'<text transform="translate({at}) rotate(-90)" text-anchor="middle">{shown}</text>'


def _shortened(name: str, letters: int) -> str:
    """The name cut in the middle: names of a model often differ only at their ends."""
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
        text = escape(f"{i} {node['op']}")
        yield (f'<text transform="translate({at}) rotate(-60)" text-anchor="end">{text}</text>')


def _x(node: int, count: int) -> float:
    """Where a node begins: before the first and after the last there is one column each."""
    return LEFT + (node + 1) * (WIDTH - LEFT - RIGHT) / (count + 2)
