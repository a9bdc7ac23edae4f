"""What an op is: the value that an `op.py` registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from toolchain.ir import Array, DType, Tensor, TensorType
from toolchain.op.border import Border
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.declare import Attribute, Decompose, Example, Input, Match, Output, Rename, State
from toolchain.op.kernel import Kernel
from toolchain.op.rows import Rows, elementwise_rows
from toolchain.op.view import NodeView


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


# What a variant may say for itself; its check= comes besides the op's.
HOOKS_OF_VARIANTS = tuple(
    each.name
    for each in fields(Variant)
    if each.name in {other.name for other in fields(Op)} and each.name != "examples"
)
