"""What an op is: the values that an `op.py` is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolchain.ir import Array, DType, Tensor, TensorType
from toolchain.op.border import Border
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.fields import returned_class
from toolchain.op.overlap import Overlap, elementwise
from toolchain.op.rows import Rows, elementwise_rows
from toolchain.op.view import GraphBuilder, GraphReader, NodeView


class OpError(Exception):
    """Raised by an op's functions about a node that the op cannot be: one sentence for the user."""


@dataclass(frozen=True)
class Convert:
    """A source option that becomes an attribute of another name and value."""

    attribute: str
    value: Callable[[Any], Any]  # raises OpError, ValueError or TypeError for what it cannot take


@dataclass(frozen=True)
class Rename:
    """A source op that becomes this op: the legalizer's rule."""

    source: str  # 'tflite.CONV_2D', 'tflite.CUSTOM.MyOp'
    versions: range = range(1, 2)  # of the source op that are understood
    # source option -> attribute, for those whose names differ
    attributes: Mapping[str, str | Convert] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()  # source options that change nothing here
    # source input index for each declared input, where the order differs
    inputs: tuple[int, ...] | None = None
    # how the options of a CUSTOM op are read: bytes -> names and values
    options: Callable[[bytes], Mapping[str, Any]] | None = None
    when: Callable[[NodeView], bool] | None = None  # holds for the nodes that become this op
    overrides: str = ""  # the op that claims the same source and steps back where this one holds
    reason: str = ""  # why it does, for the report


@dataclass(frozen=True)
class Input:
    """An input, by name. `type` is an element type or the name of a domain variable."""

    name: str
    type: DType | str
    constant: bool = False  # must be known at build time; reaches kernels through tables only
    optional: bool = False  # may be absent
    variadic: bool = False  # the last input only: any number of tensors of one type
    state: bool = False  # a variable tensor of the model, which kernels may change


@dataclass(frozen=True)
class Output:
    """An output, by name. `type` is an element type or the name of a domain variable."""

    name: str
    type: DType | str
    variadic: bool = False  # the last output only: any number of tensors of one type


@dataclass(frozen=True)
class ListOf:
    """The type of an attribute that is a tuple of scalars."""

    type: type


@dataclass(frozen=True)
class Attribute:
    """A typed constant of a node. Without a default it must be present.

    `type` is bool, int, float, str or bytes, `ListOf(type)` for a tuple of one of them, or an
    element type for a numpy array of any shape.
    """

    name: str
    type: type | ListOf | DType
    default: Any = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class State:
    """A buffer of a node that survives invoke(): zero before the first, or as `initial` says."""

    name: str
    type: DType
    elements: Callable[[NodeView], int]
    initial: Callable[[NodeView], Array] | None = None


@dataclass(frozen=True)
class Scratch:
    """A buffer that a kernel needs only while it runs; planned with everything else."""

    name: str
    type: DType
    elements: Callable[[NodeView], int]


@dataclass(frozen=True)
class Code:
    """About how large and how fast the machine code of a kernel is. Sizes in bytes."""

    instance: int = 430  # for one Params, beside others
    general: int = 1200  # for any Params, told at run time
    slowdown: float = 1.35  # instructions of the general form, of those of an instance


@dataclass(frozen=True)
class Kernel:
    """One implementation: a C++ header in the op's folder. The last row is the reference."""

    source: str  # 'reference.h'; the symbol is <op>_<dtypes>_<stem>
    dtypes: tuple[DType, ...] = ()  # of the first domain variable; empty: all
    requires: frozenset[str] | set[str] = frozenset()  # features of core and runtime
    excludes: frozenset[str] | set[str] = frozenset()  # features of cores that it is not for
    when: Callable[[NodeView], bool] | None = None  # holds for the nodes it can compute
    params: Callable[[NodeView], Any] | None = None  # in place of the op's
    tables: Callable[[NodeView], Any] | None = None  # in place of the op's
    scratch: tuple[Scratch, ...] = ()
    # of memcpy, memmove and memset: what it calls for whole rows; a row that requires features and
    # calls others has lost its intrinsics, which a test looks for
    copies: tuple[str, ...] = ()
    # how far y may lie over inputs that are not read again; without it: not at all
    overlap: Overlap | None = None
    over_composite: bool = False  # taken even where the op could be decomposed
    cost: Callable[[NodeView], float] | None = None  # instructions that the node takes, about
    # bytes that its tables grow by, over those of the smallest row: such a row has to be bought
    growth: Callable[[NodeView], int] | None = None
    code: Code = Code()  # for what instances cost and gain
    # how its bytes for this node may differ from the reference's, "" where they cannot: then it is
    # taken only where prefer= names it
    inexact: Callable[[NodeView], str] | None = None
    # A kernel that exists already: its C++ name, where `<T>` is replaced by the element type, and
    # its arguments as expressions over in, out, p, tables, scratch and state.
    function: str = ""
    arguments: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # C++ files of the folder that are compiled with it
    defines: Mapping[str, str] = field(default_factory=dict)  # for its header and sources
    libraries: tuple[str, ...] = ()  # that the firmware links: 'm'

    @property
    def backend(self) -> str:
        """The last part of the symbol: the file's stem."""
        return self.source.partition(".")[0]


@dataclass(frozen=True)
class Decompose:
    """How a node becomes other ops. `into` adds them to the builder; the node then goes."""

    into: Callable[[NodeView, GraphBuilder], None]
    when: Callable[[NodeView], bool] = lambda node: True


@dataclass(frozen=True)
class Match:
    """How a subgraph becomes one node of this op.

    `find` is asked for every node of op `root`, the last of the subgraph, and returns what the new
    node takes, gives and knows, or None where the subgraph is another.
    """

    root: str
    find: Callable[[NodeView, GraphReader], Matched | None]


@dataclass(frozen=True)
class Matched:
    """A subgraph that an op can take the place of."""

    nodes: tuple[str, ...]  # names of all nodes that go, the root among them
    inputs: Mapping[str, str]  # declared input -> tensor id
    outputs: Mapping[str, str]  # declared output -> tensor id
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ExampleTensor:
    """A tensor of an example: constant when it has data."""

    dtype: DType
    shape: tuple[int, ...]
    scale: float | tuple[float, ...] | None = None
    zero_point: int = 0
    axis: int = 0
    data: Array | None = None


@dataclass(frozen=True)
class Example:
    """A node of an op, for compiling and testing its kernels: tensors by declared name."""

    tensors: Mapping[str, ExampleTensor | Sequence[ExampleTensor]]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Op:
    """An op: what it is called, takes and gives, what it means, and who computes it.

    `params(node)` returns a frozen dataclass: what a kernel may know at compile time.
    `tables(node)` returns one whose fields are numpy arrays: constants that kernels get by pointer.
    The annotations of their return values are the source of the C++ structs.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    infer: Callable[[NodeView], Sequence[TensorType]]
    params: Callable[[NodeView], Any]
    kernels: tuple[Kernel, ...]
    legalize: tuple[Rename, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    domains: Mapping[str, tuple[DType, ...]] = field(default_factory=dict)
    tables: Callable[[NodeView], Any] | None = None
    check: Callable[[NodeView], Iterable[str]] | None = None  # sentences about what it cannot be
    # (node, inputs) -> outputs, in numpy. With states also (…, state), a dict of arrays to change.
    evaluate: Callable[..., Sequence[Array]] | None = None
    traits: frozenset[str] | set[str] = frozenset()
    # where the inputs, side by side, are the output: the byte offset of each in it
    parts: Callable[[NodeView], Sequence[int] | None] | None = None
    part: Callable[[NodeView], int | None] | None = None  # where y lies in x
    # for trait 'clamps': the activation or bounds of this node, when another op can do it
    clamp: Callable[[NodeView], str | tuple[int, int] | None] | None = None
    # y is the first input with its axes in this order
    permutation: Callable[[NodeView], tuple[int, ...]] | None = None
    # (node, order) -> what its constants become, by name, for y in this order instead
    permuted: Callable[[NodeView, Sequence[int]], Mapping[str, Tensor]] | None = None
    border: Callable[[NodeView], Border] | None = None  # y is the first input with this around it
    # (node, border of its first input) -> the attributes that change when it gets it without
    takes_border: Callable[[NodeView, Border], Mapping[str, Any] | None] | None = None
    # y is one of its inputs times a factor, or plus an addend, of each channel, and activated
    affine: Callable[[NodeView], ChannelAffine | None] | None = None
    # (node, affine of its y, exactly) -> the constants, by name, with which it gives that; None
    # where it cannot, or where some bit of y could differ and `exactly` forbids it
    takes_affine: Callable[[NodeView, ChannelAffine, bool], Mapping[str, Tensor] | None] | None = (
        None
    )
    # whether y, which has the type of the first input, is that input byte for byte
    identity: Callable[[NodeView], bool] | None = None
    # whether another node of the op, from y back to the type of x, gives x for every x
    restores: Callable[[NodeView], bool] | None = None
    # (node, ranges of its tensors) -> the range of each output; none: anything of its type
    value_range: Callable[[NodeView, Ranges], Sequence[Range]] | None = None
    # (node, live channels, ranges) -> the live channels of its tensors: at least those given, and
    # of what it reads all that they depend on
    live_channels: Callable[[NodeView, Masks, Ranges], Masks] | None = None
    # (node, live channels, ranges) -> what its constants become, by name, without the others
    keep_channels: Callable[[NodeView, Masks, Ranges], Mapping[str, Tensor]] | None = None
    macs: Callable[[NodeView], int] | None = None  # multiplications with weights
    # how it makes its output row by row; None: not at all
    rows: Callable[[NodeView], Rows | None] | None = None
    one_by_one: str = ""  # the op of which `rows=` may give the attributes
    states: tuple[State, ...] = ()
    decompose: Decompose | None = None
    match: Match | None = None
    examples: tuple[Example, ...] = ()  # nodes that instantiate every kernel

    def params_of(self, kernel: Kernel) -> Callable[[NodeView], Any]:
        """The function that gives this kernel's Params."""
        return kernel.params or self.params

    def tables_of(self, kernel: Kernel) -> Callable[[NodeView], Any] | None:
        """The function that gives this kernel's Tables, or None when it has none."""
        return kernel.tables or self.tables

    def overlap_of(self, kernel: Kernel) -> Overlap | None:
        """How near this kernel's output may come to its inputs.

        Trait 'elementwise' implies it, but for functions that exist already: who knows them?
        """
        implied = "elementwise" in self.traits and not kernel.function
        return kernel.overlap or (elementwise if implied else None)

    def rows_of(self, node: NodeView) -> Rows | None:
        """How the node makes its output row by row; trait 'elementwise' implies it."""
        implied = elementwise_rows if "elementwise" in self.traits else None
        hook = self.rows or implied
        return None if hook is None else hook(node)

    def params_struct(self, kernel: Kernel) -> str:
        """The C++ name of this kernel's Params struct."""
        return returned_class(self.params_of(kernel)).__name__

    def symbol(self, kernel: Kernel, dtypes: Sequence[DType]) -> str:
        """The C++ function that computes these types: <op>_<dtypes>_<backend>, or its own."""
        if kernel.function:
            return kernel.function.replace("<T>", f"<{dtypes[0].c}>" if dtypes else "")
        return "_".join([self.name, *(dtype.short for dtype in dtypes), kernel.backend])
