"""Toy ops whose kernels walk in known orders, and the traces of these walks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opsmith.ir import Graph, Node
from opsmith.op.alias import Alias, aliases
from opsmith.op.declare import Attribute
from opsmith.op.describe import Op
from opsmith.op.hooks import Hooks, Views
from opsmith.op.kernel import Kernel, every_node
from opsmith.op.overlap import (
    Distance,
    Overlap,
    PixelWalk,
    Taps,
    channel_distance,
    pixel_distance,
    window_walk,
)
from opsmith.op.view import NodeView
from tests.unit.graphs import COPY, JOIN, SCRATCHES, VIEW, ops
from tests.unit.graphs import op as toy
from tests.unit.transform.plan_checker import Access

WINDOW = ("size", "pixels", "window", "stride", "dilation", "padding")
SCRATCH_BYTES = {"scratch_1": 1, "scratch_70": 70}
BLOCK = 3


def walk(node: NodeView | Node) -> PixelWalk:
    """Walk of a toy kernel over an image of one row."""
    a = node.attributes
    return window_walk(1, Taps(1, 1, 1, 1, 1, 0), Taps(*(a[name] for name in WINDOW)))


def mixes(node: NodeView) -> dict[str, Distance]:
    a = node.attributes
    return {"x": pixel_distance(walk(node), a["x_channels"], a["y_channels"], BLOCK)}


def separates(node: NodeView) -> dict[str, Distance]:
    a = node.attributes
    return {"x": channel_distance(walk(node), a["x_channels"], a["y_channels"] // a["x_channels"])}


def _window(name: str, overlap: Overlap) -> Op:
    attributes = tuple(Attribute(each, int) for each in (*WINDOW, "x_channels", "y_channels"))
    kernel = Kernel("reference", Params, every_node(_params, overlap=overlap))
    return toy(name, attributes=attributes, kernels=(kernel,))


@dataclass(frozen=True)
class Params:
    """Params of the kernels of windows."""

    reversed: bool = False


def _params(node: NodeView) -> Params:
    return Params()


MIX, SEPARATE = _window("mix", mixes), _window("separate", separates)
PAIR = toy("pair", ("a", "b"), traits={"elementwise"})
SPLIT = toy(
    "split",
    attributes=(Attribute("at", int),),
    hooks=Hooks(views=Views(part=lambda n: n.attributes["at"])),
)


def offsets(node: NodeView) -> list[int]:
    """Offsets of the inputs that are present, laid out one after the other."""
    sizes = [tensor.bytes for name in "xbc" if (tensor := node.get(name)) is not None]
    return [0, *_sums(sizes[:-1])]


CONCAT = toy("concat", ("x", "b?", "c?"), hooks=Hooks(views=Views(parts=offsets)))
OPS = ops(COPY, JOIN, VIEW, *SCRATCHES, MIX, SEPARATE, PAIR, SPLIT, CONCAT)


def _sums(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[: i + 1]) for i in range(len(sizes))]


def views(graph: Graph, node: Node) -> tuple[Alias, ...]:
    return aliases(graph, node, OPS.of(graph, node))


def trace(graph: Graph, node: Node) -> Iterator[Access]:
    """Trace of every read and write of a toy kernel, in order."""
    if node.op in ("mix", "separate"):
        yield from _window_trace(graph, node)
    elif node.op == "pair":
        yield from _pair_trace(graph, node)
    else:
        yield from _plain_trace(graph, node)


def _plain_trace(graph: Graph, node: Node) -> Iterator[Access]:
    """Trace of a kernel that reads all, writes all, and reads all once more."""
    (y,) = node.outputs
    reads = [
        Access(name, 0, graph.tensors[name].bytes)
        for name in node.inputs
        if name is not None and graph.tensors[name].constant is None
    ]
    yield from reads
    if node.op in SCRATCH_BYTES:
        yield Access(f"{node.name}.s", 0, SCRATCH_BYTES[node.op], True)
    yield Access(y, 0, graph.tensors[y].bytes, True)
    yield from reads


def _pair_trace(graph: Graph, node: Node) -> Iterator[Access]:
    (y,) = node.outputs
    for i in range(graph.tensors[y].bytes):
        for x in dict.fromkeys(node.inputs):
            assert x is not None
            if graph.tensors[x].constant is None:
                at = min(i, graph.tensors[x].bytes - 1)
                yield Access(x, at, at + 1)
        yield Access(y, i, i + 1, True)


def _window_trace(graph: Graph, node: Node) -> Iterator[Access]:
    a, (x,), (y,) = node.attributes, node.inputs, node.outputs
    assert x is not None
    constant = graph.tensors[x].constant is not None
    pixels = list(range(a["pixels"]))
    for p in reversed(pixels) if node.reversed else pixels:
        origin = p * a["stride"] - a["padding"]
        taps = [origin + i * a["dilation"] for i in range(a["window"])]
        inside = [tap for tap in taps if 0 <= tap < a["size"]]
        step = _mixed if node.op == "mix" else _separate
        accesses = step(node, x, y, p, inside)
        yield from (each for each in accesses if each.writes or not constant)


def _mixed(node: Node, x: str, y: str, p: int, taps: Sequence[int]) -> Iterator[Access]:
    a = node.attributes
    for start in range(0, a["y_channels"], BLOCK):
        yield from (Access(x, t * a["x_channels"], (t + 1) * a["x_channels"]) for t in taps)
        at = p * a["y_channels"]
        yield Access(y, at + start, at + min(start + BLOCK, a["y_channels"]), True)


def _separate(node: Node, x: str, y: str, p: int, taps: Sequence[int]) -> Iterator[Access]:
    a = node.attributes
    channels = list(range(a["y_channels"]))
    for c in reversed(channels) if node.reversed else channels:
        source = c // (a["y_channels"] // a["x_channels"])
        for t in taps:
            yield Access(x, t * a["x_channels"] + source, t * a["x_channels"] + source + 1)
        yield Access(y, p * a["y_channels"] + c, p * a["y_channels"] + c + 1, True)
