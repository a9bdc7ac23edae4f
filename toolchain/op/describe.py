"""What an op is: the values that an `op.py` is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from toolchain.ir import Array, DType, Tensor, TensorType
from toolchain.op.border import Border
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.overlap import Distance, Overlap, elementwise
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
    """An input, by name. `type` is an element type, or the name of a type variable: 'T'."""

    name: str
    type: DType | str
    constant: bool = False  # must be known at build time; reaches kernels through tables only
    optional: bool = False  # may be absent
    variadic: bool = False  # the last input only: any number of tensors of one type
    state: bool = False  # a variable tensor of the model, which kernels may change


@dataclass(frozen=True)
class Output:
    """An output, by name. `type` is an element type, or the name of a type variable: 'T'."""

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
class Code:
    """About how large and how fast the machine code of a kernel is. Sizes in bytes."""

    instance: int = 430  # for one Params, beside others
    general: int = 1200  # for any Params, told at run time
    slowdown: float = 1.35  # instructions of the general form, of those of an instance


@dataclass(frozen=True)
class Plan:
    """How a kernel computes a node.

    `params` is a frozen dataclass: what the kernel may know at compile time. `tables()` returns one
    whose fields are numpy arrays: constants that it gets by pointer; asked only of a kernel that is
    chosen. A `reversed` among the params is set by the memory plan: to walk backward.
    """

    params: Any
    tables: Callable[[], Any] | None = None
    scratch: Mapping[str, int] = field(default_factory=dict)  # elements of each declared buffer
    # how far y may lie over inputs that are not read again, by input; without it: not at all
    overlap: Callable[[], Mapping[str, Distance]] | None = None
    # bytes that its tables grow by, over those of the smallest kernel: it has to be bought
    growth: int = 0
    # how its bytes for this node may differ from the reference's, "" where they cannot: then it is
    # taken only where prefer= names it
    inexact: str = ""


@dataclass(frozen=True)
class Refused:
    """Why a kernel does not compute a node, for the report: "filter is 5x5, not 3x3"."""

    reason: str


@dataclass(frozen=True)
class Kernel:
    """One implementation of a variant: a C++ header, and a function that plans it for a node.

    The file of kernel `dsp` is dsp.h in the folder of its variant, or of its op; its function there
    is an overload `opsmith::<op>::dsp(params, in, out, ...)`. The annotations of `params` and
    `tables` are the source of the C++ structs.
    """

    name: str
    params: type
    plan: Callable[[NodeView], Plan | Refused]  # annotated `-> Plan` where it takes every node
    tables: type | None = None
    scratch: Mapping[str, DType] = field(default_factory=dict)  # buffers while it runs, by name
    requires: frozenset[str] | set[str] = frozenset()  # features of core and runtime
    excludes: frozenset[str] | set[str] = frozenset()  # features of cores that it is not for
    # of memcpy, memmove and memset: what it calls for whole rows; a kernel that requires features
    # and calls others has lost its intrinsics, which a test looks for
    copies: tuple[str, ...] = ()
    over_composite: bool = False  # taken even where the op could be decomposed
    cost: Callable[[NodeView], float] | None = None  # instructions that the node takes, about
    code: Code = Code()  # for what instances cost and gain
    # A kernel that exists already: its C++ name, where `<T>` is replaced by the element type, and
    # its arguments as expressions over in, out, p, tables, scratch and state.
    function: str = ""
    arguments: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # C++ files of the folder that are compiled with it
    defines: Mapping[str, str] = field(default_factory=dict)  # for its header and sources
    libraries: tuple[str, ...] = ()  # that the firmware links: 'm'
    # Where its C++ is, as it is included, when not in the folder of its variant or op: of a kernel
    # that a family or a backend brings, which says function= and arguments=, too.
    header: str = ""
    folder: str = ""  # within the op's; as its variant says
    backend: Path | None = None  # the folder of the backend that brings it; set when it is loaded

    @property
    def path(self) -> str:
        """What messages call it: its name, after the folder of its variant: `i8/dsp`."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def source(self) -> str:
        """Its header: as it is included, or as a path in the op's folder."""
        return self.header or f"{self.path}.h"

    @property
    def beside(self) -> bool:
        """Whether its header lies with its registration: not that of a family, say."""
        if self.backend is None:
            return not self.header
        return self.header.startswith(f"{self.backend.name}/")

    @property
    def takes_every_node(self) -> bool:
        """Whether its plan never refuses, as the annotation says."""
        return returns_plan(self.plan)


def returns_plan(function: Callable[..., Any]) -> bool:
    """Whether a function says that it returns a Plan, and nothing else."""
    return getattr(function, "__annotations__", {}).get("return") in (Plan, "Plan")


def every_node(
    params: Callable[[NodeView], Any],
    tables: Callable[[NodeView], Any] | None = None,
    overlap: Overlap | None = None,
    scratch: Mapping[str, Callable[[NodeView], int]] | None = None,
) -> Callable[[NodeView], Plan]:
    """What plans a kernel that takes every node, from functions of the node."""

    def plan(node: NodeView) -> Plan:
        return Plan(
            params(node),
            None if tables is None else partial(tables, node),
            {name: elements(node) for name, elements in (scratch or {}).items()},
            None if overlap is None else partial(overlap, node),
        )

    return plan


@dataclass(frozen=True)
class KernelsFor:
    """Kernels that a backend brings for one variant of an op that it does not own.

    `<backend>/<op>.py` exports KERNELS, a tuple of these. Their C++ is `<backend>/<op>.h`: kernel
    `fast` is an overload `opsmith::<op>::<backend>::fast(params, in, out, ...)`, as declared in the
    generated header `<backend>/<op>.op.h`.
    """

    types: Mapping[str, DType]  # of the variant
    kernels: tuple[Kernel, ...]


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
class Variant:
    """An op at one combination of element types, and who computes it there.

    Where a variant is more than a file it has a folder in the op's; its C++ is in a namespace of
    that name in the op's. What a hook of the op says holds unless the variant has its own.
    """

    types: Mapping[str, DType]  # of each type variable of the op's inputs and outputs
    kernels: tuple[Kernel, ...]  # those that win at equal cost first; the last takes every node
    folder: str = ""
    # Its kernels only move elements, and get pointers to void; the `<T>` of an existing function is
    # an integer as wide as an element. Nodes of such variants share instances of one function.
    untyped: bool = False
    check: Callable[[NodeView], Iterable[str]] | None = None  # besides the op's
    evaluate: Callable[..., Sequence[Array]] | None = None
    value_range: Callable[[NodeView, Ranges], Sequence[Range]] | None = None
    live_channels: Callable[[NodeView, Masks, Ranges], Masks] | None = None
    keep_channels: Callable[[NodeView, Masks, Ranges], Mapping[str, Tensor]] | None = None
    takes_border: Callable[[NodeView, Border], Mapping[str, Any] | None] | None = None
    takes_affine: Callable[[NodeView, ChannelAffine, bool], Mapping[str, Tensor] | None] | None = (
        None
    )
    rows: Callable[[NodeView], Rows | None] | None = None
    examples: tuple[Example, ...] = ()  # nodes that instantiate its kernels


@dataclass(frozen=True)
class Op:
    """An op: what it is called, takes and gives, what it means, and who computes it.

    Inputs and outputs whose type differs among variants name a type variable: 'T'.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    infer: Callable[[NodeView], Sequence[TensorType]]
    variants: tuple[Variant, ...]
    legalize: tuple[Rename, ...] = ()
    attributes: tuple[Attribute, ...] = ()
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
    # y is the first input with this around it; None: with what other ops could not take over
    border: Callable[[NodeView], Border | None] | None = None
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
    examples: tuple[Example, ...] = ()  # nodes that instantiate kernels, of any variants

    @property
    def variables(self) -> tuple[str, ...]:
        """The type variables, in the order of C++ template parameters."""
        return tuple(self.variants[0].types) if self.variants else ()

    @property
    def all_examples(self) -> list[Example]:
        """The examples of the op and of its variants."""
        return [*self.examples, *(each for v in self.variants for each in v.examples)]

    def rows_of(self, node: NodeView) -> Rows | None:
        """How the node makes its output row by row; trait 'elementwise' implies it."""
        implied = elementwise_rows if "elementwise" in self.traits else None
        hook = self.rows or implied
        return None if hook is None else hook(node)


@dataclass(frozen=True)
class TypedOp(Op):
    """An op at one of its variants: hooks are those of the variant, where it has its own."""

    variant: Variant = Variant({}, ())

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Who computes it."""
        return self.variant.kernels

    @property
    def c_types(self) -> dict[str, str]:
        """The C++ type of each type variable, as kernels see it."""
        return {
            name: "void" if self.variant.untyped else dtype.c
            for name, dtype in self.variant.types.items()
        }

    def checked(self, node: NodeView) -> list[str]:
        """Sentences about what the node cannot be."""
        rules = [rule for rule in (self.check, self.variant.check) if rule is not None]
        return [sentence for rule in rules for sentence in rule(node)]

    def overlap_of(self, node: NodeView, plan: Plan, kernel: Kernel) -> Mapping[str, Distance]:
        """How near the output of a kernel may come to its inputs, by input.

        Trait 'elementwise' implies it, but for functions that exist already: who knows them?
        """
        if plan.overlap is not None:
            return plan.overlap()
        implied = "elementwise" in self.traits and not kernel.function
        return elementwise(node) if implied else {}

    def symbol(self, kernel: Kernel) -> str:
        """The C++ function: an overload of the kernel's name, or its own."""
        if kernel.function:
            types = list(self.variant.types.values())
            return kernel.function.replace("<T>", f"<{self._element(types[0])}>" if types else "")
        return kernel.name

    def _element(self, dtype: DType) -> str:
        return f"int{8 * dtype.size}_t" if self.variant.untyped else dtype.c


_OF_VARIANTS = (
    "evaluate",
    "value_range",
    "live_channels",
    "keep_channels",
    "takes_border",
    "takes_affine",
    "rows",
)


def typed(op: Op, variant: Variant) -> TypedOp:
    """The op at this variant."""
    values = {each.name: getattr(op, each.name) for each in fields(Op)}
    own = {name: getattr(variant, name) for name in _OF_VARIANTS}
    return TypedOp(
        **{**values, **{name: hook for name, hook in own.items() if hook is not None}},
        variant=variant,
    )
