"""Sides of nodes in builds whose runtime has a device: lines of the build, and three files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.board.device import PROCESSOR, shown_ns
from opsmith.report.placement_svg import placement_svg

COLORS = {PROCESSOR: "#fdb462", None: "#d9d9d9"}  # None: nothing runs
DEVICE_COLOR, CROSSING = "#80b1d3", "#c00000"

PLACEMENT = ("placement.txt", "placement.dot", "placement.svg")


def placement_files(model: Mapping[str, Any]) -> dict[str, str]:
    """Contents of files of `PLACEMENT`, from model.json; none for a runtime without a device."""
    if "placement" not in model:
        return {}
    text = "\n".join([*_text(model), ""])
    return dict(zip(PLACEMENT, (text, placement_dot(model), placement_svg(model)), strict=True))


def placement_lines(model: Mapping[str, Any]) -> list[str]:
    """Lines of totals: each side, the borders between sides, and the sum."""
    if "placement" not in model:
        return []
    placed = model["placement"]
    lines = _side_lines(placed)
    borders = f"{_counted(len(placed['borders']), 'border')}, {placed['bytes']:,} B cross"
    spent = f"about {shown_ns(placed['border_ns'])} of {shown_ns(placed['ns'])}"
    lines.append(f"  {borders}, {spent}: placement.txt")
    if placed["sides"][placed["device"]]["nodes"] == 0:
        what = f"  nothing runs on {placed['device']}, which would take longer or has no kernels"
        lines.append(f"{what}: a runtime without a device makes a smaller program")
    return lines


def _side_lines(placed: Mapping[str, Any]) -> list[str]:
    return [
        f"  {name:6}{_counted(side['nodes'], 'node'):>16}, about {shown_ns(side['ns'])}"
        for name, side in placed["sides"].items()
    ]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _text(model: Mapping[str, Any]) -> Iterator[str]:
    """Lines of the nodes in order, with the borders between them."""
    placed = model["placement"]
    yield f"{model['name']}: estimated times on {' and '.join(placed['sides'])}"
    yield from _side_lines(placed)
    borders = _counted(len(placed["borders"]), "border")
    yield f"  all: about {shown_ns(placed['ns'])}; {borders}: {shown_ns(placed['border_ns'])}"
    yield ""
    for index, (node, where) in enumerate(zip(model["nodes"], placed["nodes"], strict=True)):
        yield from _borders(placed, index)
        side = where["side"] or "-"
        named = f"{index} {node['name']} ({node['op']}, {node['kernel']})"
        yield f"{side:6} {shown_ns(where['ns']):>10}  {named}: {where['why']}"
    yield from _borders(placed, None)


def _borders(placed: Mapping[str, Any], before: int | None) -> Iterator[str]:
    for border in placed["borders"]:
        if border["before"] == before:
            crossed = (
                f"{each['id']} ({each['bytes']:,} B, for {each['reader'] or 'what follows'})"
                for each in border["tensors"]
            )
            what = f"border to {border['to']}, {shown_ns(border['ns'])}: {border['why']}"
            yield f"---- {what}; crossing: {', '.join(crossed) or 'nothing'}"


def placement_dot(model: Mapping[str, Any]) -> str:
    """Graph of model.json in DOT, with an edge for each tensor between its writer and a reader."""
    placed = model["placement"]
    drawing = _Drawing(
        {tensor["id"]: tensor["bytes"] for tensor in model["tensors"]},
        {
            (each["id"], each["reader"])
            for border in placed["borders"]
            for each in border["tensors"]
        },
    )
    lines = [f"digraph {_quoted(model['name'])} {{", "  node [shape=box, style=filled];"]
    for tensor in model["inputs"]:
        lines.append(_end("in", tensor["id"]))
        drawing.written[tensor["id"]] = f"in {tensor['id']}"
    for i, (node, where) in enumerate(zip(model["nodes"], placed["nodes"], strict=True)):
        lines += drawing.node(str(i), node, where)
    for tensor in model["outputs"]:
        lines.append(_end("out", tensor["id"]))
        lines += drawing.edge(tensor["id"], f"out {tensor['id']}", None)
    return "\n".join([*lines, "}", ""])


@dataclass
class _Drawing:
    """Writer of DOT lines."""

    sizes: Mapping[str, int]
    crossing: set[tuple[str, str | None]]  # pairs of a tensor and the node that it is copied for
    written: dict[str, str] = field(default_factory=dict)  # tensor -> its last writer

    def node(self, name: str, node: Mapping[str, Any], where: Mapping[str, Any]) -> Iterator[str]:
        """DOT lines of a node, and of an edge for each tensor that it reads."""
        label = f"{name} {node['op']}\n{node['name']}\n{node['kernel']}, {shown_ns(where['ns'])}"
        color = COLORS.get(where["side"], DEVICE_COLOR)
        yield (
            f"  {_quoted(name)} [label={_quoted(label)}, fillcolor={_quoted(color)}, "
            f"tooltip={_quoted(where['why'])}];"
        )
        for tensor in where["reads"]:
            yield from self.edge(tensor, name, node["name"])
        self.written |= dict.fromkeys(node["outputs"], name)

    def edge(self, tensor: str, to: str, reader: str | None) -> Iterator[str]:
        """DOT line of an edge from the writer of a tensor, if a node or input writes it."""
        if tensor in self.written:
            label = _quoted(f"{tensor}\n{self.sizes.get(tensor, 0):,} B")
            red = f", color={_quoted(CROSSING)}" if (tensor, reader) in self.crossing else ""
            yield f"  {_quoted(self.written[tensor])} -> {_quoted(to)} [label={label}{red}];"


def _end(kind: str, tensor: str) -> str:
    """DOT line of an input or output of the model."""
    name = _quoted(f"{kind} {tensor}")
    return f"  {name} [shape=ellipse, label={_quoted(tensor)}, fillcolor=white];"


def _quoted(text: str) -> str:
    """Text as a quoted string of DOT."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
