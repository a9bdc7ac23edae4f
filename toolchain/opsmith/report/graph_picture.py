"""Picture of a graph: boxes for nodes in rows, a row for each step from the inputs, and lines.

A narrow graph is folded: it continues at the top, to the right of its first rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 250, 64  # pixels of a box
ACROSS, DOWN = 24, 34  # pixels between boxes
BETWEEN = 1 << 30  # sort key behind all boxes with readers
ABREAST = 4  # width of a page in boxes


@dataclass(frozen=True)
class NodeBox:
    """Position of a node in the picture."""

    node: Mapping[str, Any]
    x: int
    y: int


@dataclass(frozen=True)
class Picture:
    """Boxes of nodes, and lines as SVG path data."""

    boxes: Sequence[NodeBox]
    lines: str
    width: int
    height: int


def picture(nodes: Sequence[Mapping[str, Any]]) -> Picture:
    """Picture of a model's nodes, in which every line leads down, or on to the next fold."""
    made = {name: i for i, node in enumerate(nodes) for name in node["outputs"]}
    reads = [
        sorted({made[name] for name in node["inputs"] if made.get(name, i) < i})
        for i, node in enumerate(nodes)
    ]
    rows: dict[int, list[int]] = {}
    row_of: list[int] = []
    for i, before in enumerate(reads):
        row_of.append(max((row_of[each] + 1 for each in before), default=0))
        rows.setdefault(row_of[i], []).append(i)
    column: dict[int, int] = {}
    for _, inside in sorted(rows.items()):
        _place(inside, reads, column)
    wide = max(column.values(), default=0) + 1
    folds = max(1, ABREAST // wide)
    tall = max(ABREAST, -(-len(rows) // folds))
    at = [
        (
            (row // tall * wide + column[i]) * (WIDTH + ACROSS),
            row % tall * (HEIGHT + DOWN) + DOWN // 2,
        )
        for i, row in enumerate(row_of)
    ]
    boxes = [NodeBox(node, *place) for node, place in zip(nodes, at, strict=True)]
    lines = " ".join(_line(at[i], at[j]) for j, before in enumerate(reads) for i in before)
    most = (max(axis, default=0) for axis in zip(*at, strict=True)) if at else (0, 0)
    right, bottom = most
    return Picture(boxes, lines, right + WIDTH + ACROSS, bottom + HEIGHT + DOWN)


def _place(inside: Sequence[int], reads: Sequence[Sequence[int]], column: dict[int, int]) -> None:
    """Assign columns to the nodes of a row: below the first node that each reads, if it is free."""
    taken: set[int] = set()
    for i in sorted(inside, key=lambda i: column[reads[i][0]] if reads[i] else BETWEEN):
        wanted = column[reads[i][0]] if reads[i] else 0
        while wanted in taken:
            wanted += 1
        taken.add(wanted)
        column[i] = wanted


def _line(above: tuple[int, int], below: tuple[int, int]) -> str:
    """SVG path of a line from the foot of one box to the head of another; a long line keeps to the
    right, and one to the next fold runs to the right of the upper box.
    """
    x, y = above[0] + WIDTH // 2, above[1] + HEIGHT
    to_x, to_y = below[0] + WIDTH // 2, below[1]
    if 0 < to_y - y <= DOWN:
        return f"M{x} {y}L{to_x} {to_y}"
    folded = to_y < y
    side = (above[0] if folded else max(above[0], below[0])) + WIDTH + ACROSS // 2
    half = DOWN // 2
    return f"M{x} {y}L{side} {y + half}V{to_y - half}L{to_x} {to_y}"
