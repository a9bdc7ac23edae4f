"""The graph: frozen values that every stage takes and returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from opsmith.ir.choice import KernelChoice
from opsmith.ir.flow import STRAIGHT, Flow, always_written, conditions
from opsmith.ir.plan import MemoryPlan
from opsmith.ir.types import DType, i8
from opsmith.numerics import Numerics

Array = NDArray[Any]


@dataclass(frozen=True)
class Quantization:
    """Affine quantisation: real = scale * (value - zero_point), per tensor or along one axis."""

    scales: tuple[float, ...]  # float32 values
    zero_points: tuple[int, ...]  # one per scale
    axis: int = 0

    @property
    def per_channel(self) -> bool:
        """True if there are several scales, one per index of the axis."""
        return len(self.scales) > 1


@dataclass(frozen=True, eq=False)
class Constant:
    """Bytes of a constant tensor. Compared by identity, since arrays have no useful equality."""

    array: Array
    computed: bool = False  # nodes of the model compute it, and the file does not store it
    stored: int = 0  # its bytes in the model, if it was widened

    def __post_init__(self) -> None:
        self.array.flags.writeable = False


@dataclass(frozen=True)
class TensorType:
    """Element type and shape of a tensor: the values of shape inference."""

    dtype: DType
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{'x'.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Tensor:
    """A tensor of the graph: type, shape and, where known, quantisation and constant."""

    id: str  # unique C identifier, used by emitted code and the plan
    name: str  # as in the source file; any text
    dtype: DType
    shape: tuple[int, ...]
    quantization: Quantization | None = None
    constant: Constant | None = None
    variable: bool = False  # state that survives invoke()
    initial: str | None = None  # of a variable: constant with its value before the first invoke()
    joined: bool = False  # written by nodes of several blocks
    ranged: bool = False  # the file has its range, min and max, instead of a scale
    packed: int = 0  # bits per element, if the file packs several into each byte
    expected: tuple[int, ...] = ()  # of an input: what it must hold, whatever the graph reads of it

    @property
    def mutable(self) -> bool:
        """True if nodes may write the tensor more than once, so that its readers' order matters."""
        return self.variable or self.joined

    @property
    def type(self) -> TensorType:
        """Element type and shape of the tensor."""
        return TensorType(self.dtype, self.shape)

    @property
    def elements(self) -> int:
        """Number of elements of the tensor."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Size of the tensor in bytes, without padding."""
        return self.elements * self.dtype.size

    @property
    def start(self) -> int:
        """Value of every byte of a variable without `initial` before the first invoke(), as in
        LiteRT: the zero point for int8.
        """
        if self.dtype != i8 or self.quantization is None or self.quantization.per_channel:
            return 0
        return self.zero_point

    @property
    def data(self) -> Array:
        """Elements of a constant tensor, in its shape; read-only."""
        assert self.constant is not None, f"tensor {self.id} is not constant"
        return self.constant.array

    @property
    def scale(self) -> float:
        """Scale of a tensor with per-tensor quantisation."""
        assert self.quantization is not None, f"tensor {self.id} is not quantised"
        return self.quantization.scales[0]

    @property
    def zero_point(self) -> int:
        """Zero point of a tensor with per-tensor quantisation."""
        assert self.quantization is not None, f"tensor {self.id} is not quantised"
        return self.quantization.zero_points[0]


@dataclass(frozen=True)
class Node:
    """A node of the graph: the use of an op on tensors."""

    name: str  # unique, a C identifier
    op: str  # 'tflite.CONV_2D' before legalize, 'conv_2d' after
    inputs: tuple[str | None, ...]  # tensor ids; None: an omitted optional input
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # its place in the model: 'operator 3 (CONV_2D)'
    version: int = 1  # version of the source operator
    kernel: KernelChoice | None = None
    remarks: tuple[str, ...] = ()  # notes of rewrites, for the report
    reversed: bool = False  # the plan needs a kernel that walks from the last pixel to the first
    block: int = 0  # number of its block in the graph's flow
    # the rule of its elements, where that gives others than the reference's
    numerics: Numerics = Numerics.REFERENCE


@dataclass(frozen=True)
class Timing:
    """Arrival of the rows of a streamed tensor: row i in pass first + i * every."""

    first: int
    every: int
    rows: int  # number of rows of the whole tensor

    @property
    def last(self) -> int:
        """Pass in which the last row arrives."""
        return self.first + (self.rows - 1) * self.every


@dataclass(frozen=True)
class Held:
    """Buffer of the plan with the newest rows of a streamed tensor, oldest first."""

    tensor: str  # tensor of the one row that arrives
    buffer: str  # name of the buffer in the plan
    depth: int  # rows of the buffer, including the row that arrives
    row_bytes: int
    views: Mapping[str, int]  # tensor that nodes read -> row of the buffer at which it begins
    last: int  # index of the node after which the oldest row is dropped; -1: before an arrival
    copied: bool  # the row that arrives is computed elsewhere, and copied into the buffer
    value: int | None  # element of rows outside of the image, if any are read
    before: bool  # rows above the image are read
    after: bool  # rows below it are read


@dataclass(frozen=True)
class Stream:
    """Successive nodes that run in passes, once for every row that arrives."""

    frames: bool  # for ever, the other nodes after every pass; else for one image, then the others
    input: Tensor  # the whole input tensor
    row: str  # the tensor that a row of it becomes, unless it goes straight into a buffer
    nodes: int  # N nodes run in every pass where a row of theirs is due
    passes: int  # until the other nodes can run
    timing: Mapping[str, Timing]  # for each tensor of one row
    eager: Mapping[str, Timing]  # node -> its timing, if it runs for each row that it reads
    held: tuple[Held, ...]
    gathered: Mapping[str, str]  # tensor of one row -> the whole tensor that other nodes read
    # tensor of one row -> the whole tensor of the arena that it is copied from; empty where the
    # application pushes the rows
    taken: Mapping[str, str] = field(default_factory=dict)
    first: int = 0  # index of the first of the N nodes; those before it run once, before the passes

    @property
    def end(self) -> int:
        """Index of the first node that runs after the passes."""
        return self.first + self.nodes

    def when(self, node: Node) -> Timing | None:
        """Passes in which a node runs; None where the node runs after all passes."""
        return self.eager.get(node.name, self.timing.get(node.outputs[0]))

    def runs(self, node: Node) -> int:
        """Number of runs of a node for one image, or one more frame, without unread rows."""
        at = None if self.frames else self.when(node)
        return 1 if at is None else min(at.rows, (self.passes - 1 - at.first) // at.every + 1)


@dataclass(frozen=True)
class Graph:
    """A model. Nodes are in the order of the flow's blocks, and of execution within a block."""

    name: str  # C identifier
    tensors: Mapping[str, Tensor]
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    plan: MemoryPlan | None = None
    stream: Stream | None = None
    flow: Flow = STRAIGHT

    @property
    def pushed(self) -> Stream | None:
        """Stream of the graph if the application pushes rows of the input; else None."""
        return None if self.stream is None or self.stream.taken else self.stream

    def producers(self) -> dict[str, int]:
        """Index of the node that writes each tensor, by tensor id; without mutable tensors."""
        return {
            name: i
            for i, node in enumerate(self.nodes)
            for name in node.outputs
            if not self.tensors[name].mutable
        }

    def consumers(self) -> dict[str, list[int]]:
        """Indices of the nodes that read each tensor, ascending, by tensor id."""
        found: dict[str, list[int]] = {name: [] for name in self.tensors}
        for i, node in enumerate(self.nodes):
            for name in dict.fromkeys(n for n in node.inputs if n is not None):
                found[name].append(i)
        return found

    def changes_state(self, node: Node) -> bool:
        """True if a node may write a variable; any node that reads a variable may change it."""
        operands = (*node.inputs, *node.outputs)
        return any(name is not None and self.tensors[name].variable for name in operands)

    def needed_nodes(self) -> set[str]:
        """Names of nodes on which an output or condition depends, or that may change a state."""
        wanted = {*self.outputs, *conditions(self.flow)}
        wanted |= {tensor.initial for tensor in self.tensors.values() if tensor.initial}
        found, before = set[str](), -1
        while before < len(found):  # what a loop writes last, its next pass reads first
            before = len(found)
            for node in reversed(self.nodes):
                needed = self.changes_state(node) or not wanted.isdisjoint(node.outputs)
                if needed or not node.outputs:
                    found.add(node.name)
                    wanted.update(name for name in node.inputs if name is not None)
        return found

    def sometimes_written(self) -> set[str]:
        """Tensors that nodes write in some runs and not in others."""
        written: dict[int, set[str]] = {}
        for node in self.nodes:
            written.setdefault(node.block, set()).update(node.outputs)
        return set().union(*written.values()) - always_written(self.flow, written)

    def with_nodes(self, nodes: tuple[Node, ...], /, **tensors: Tensor) -> Graph:
        """Graph with new nodes, and tensors added or replaced; unused tensors are dropped."""
        everything = {**self.tensors, **tensors}
        used: set[str | None] = {*self.inputs, *self.outputs, *conditions(self.flow)}
        for node in nodes:
            used.update((*node.inputs, *node.outputs))
        used |= {tensor.initial for name, tensor in everything.items() if name in used}
        kept = {name: tensor for name, tensor in everything.items() if name in used}
        return replace(self, nodes=nodes, tensors=kept)
