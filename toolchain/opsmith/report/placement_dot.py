"""Draw where nodes run as a graph for Graphviz: sides by colour, what crosses in red."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.board.device import PROCESSOR, shown_ns

COLORS = {PROCESSOR: "#fdb462", None: "#d9d9d9"}  # None: nothing runs
DEVICE_COLOR, CROSSING = "#80b1d3", "#c00000"


def placement_dot(model: Mapping[str, Any]) -> str:
    """The nodes of model.json, and an edge for each tensor that one writes and another reads."""
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
    """Lines of DOT."""

    sizes: Mapping[str, int]
    crossing: set[tuple[str, str | None]]  # tensor, and the node that it is copied for
    written: dict[str, str] = field(default_factory=dict)  # tensor -> who wrote it last

    def node(self, name: str, node: Mapping[str, Any], where: Mapping[str, Any]) -> Iterator[str]:
        """A box, and an edge for each tensor that the node reads."""
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
        """An edge from where the tensor was written, if anything in the graph did."""
        if tensor in self.written:
            label = _quoted(f"{tensor}\n{self.sizes.get(tensor, 0):,} B")
            red = f", color={_quoted(CROSSING)}" if (tensor, reader) in self.crossing else ""
            yield f"  {_quoted(self.written[tensor])} -> {_quoted(to)} [label={label}{red}];"


def _end(kind: str, tensor: str) -> str:
    """An input or output of the model."""
    name = _quoted(f"{kind} {tensor}")
    return f"  {name} [shape=ellipse, label={_quoted(tensor)}, fillcolor=white];"


def _quoted(text: str) -> str:
    """Text as a string of DOT."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
