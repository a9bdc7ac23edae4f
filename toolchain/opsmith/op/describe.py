"""What an op is: the value that an `op.py` registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from opsmith.ir import Array, DType, TensorType
from opsmith.op.declare import Attribute, Decompose, Example, Input, Match, Output, Rename, State
from opsmith.op.departure import Departure
from opsmith.op.hooks import Hooks
from opsmith.op.kernel import Kernel
from opsmith.op.rows import Rows, elementwise_rows
from opsmith.op.view import NodeView


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
    that name in the op's. What the op says holds unless the variant has its own.
    """

    types: Mapping[str, DType]  # of each type variable of the op's inputs and outputs
    # those that win at equal cost first; the last takes every node. None where `decompose` does
    kernels: tuple[Kernel, ...] = ()
    folder: str = ""
    # Its kernels only move elements, and get pointers to void; the `<T>` of an existing function is
    # an integer as wide as an element. Nodes of such variants share instances of one function.
    untyped: bool = False
    # Units in the last place by which its floats may differ from LiteRT's, whose math library is
    # another; every kernel still gives the bytes of `evaluate`.
    ulps: int = 0
    ulps_at: float = 0.0  # where terms cancel: the magnitude whose unit bounds smaller floats, too
    # How its floats may differ for this node alone; "" where they cannot. Set where `ulps` is not.
    inexact: Callable[[NodeView], str] | None = None
    departs: Departure | None = None  # where its bytes are right, and LiteRT's are not
    check: Callable[[NodeView], Iterable[str]] | None = None  # besides the op's
    evaluate: Callable[..., Sequence[Array]] | None = None
    hooks: Hooks = Hooks()  # noqa: RUF009 frozen
    examples: tuple[Example, ...] = ()  # nodes that instantiate its kernels

    @property
    def reference(self) -> Kernel | None:
        """The op's own kernel that takes every node; None where all of them become other ops."""
        return next((k for k in self.kernels[-1:] if k.backend is None), None)

    @property
    def only_runtime(self) -> str:
        """The one runtime that can compute it; "" where some kernel is for any."""
        runtimes = {kernel.runtime for kernel in self.kernels}
        return runtimes.pop() if len(runtimes) == 1 else ""


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
    hooks: Hooks = Hooks()  # noqa: RUF009 frozen
    departs: Departure | None = None  # of variants that have none of their own
    states: tuple[State, ...] = ()
    decompose: Decompose | None = None
    match: Match | None = None
    examples: tuple[Example, ...] = ()  # nodes that instantiate kernels, of any variants
    # Conan packages of the libraries that its kernels call: "fastmath/1.2", "fft/[>=2 <3]"
    requires: tuple[str, ...] = ()
    api: int = 1  # the version of the op API that it is written for

    @property
    def variables(self) -> tuple[str, ...]:
        """The type variables, in the order of C++ template parameters."""
        return tuple(self.variants[0].types) if self.variants else ()

    @cached_property
    def types(self) -> Mapping[str, tuple[DType, ...]]:
        """The element types that each type variable has in some variant, in their order."""
        return {
            name: tuple(dict.fromkeys(variant.types[name] for variant in self.variants))
            for name in self.variables
        }

    @property
    def composite(self) -> bool:
        """Whether nodes must become other ops, where `when` of its decompose= holds."""
        none = any(variant.reference is None for variant in self.variants)
        return self.decompose is not None and (self.decompose.required or none)

    @property
    def all_examples(self) -> list[Example]:
        """The examples of the op and of its variants."""
        return [*self.examples, *(each for v in self.variants for each in v.examples)]

    def with_hooks(self, hooks: Hooks) -> Op:
        """The op with these hooks, too; they go before its own."""
        return replace(self, hooks=self.hooks | hooks)

    def rows_of(self, node: NodeView) -> Rows | None:
        """How the node makes its output row by row; trait 'elementwise' implies it."""
        implied = elementwise_rows if "elementwise" in self.traits else None
        hook = self.hooks.streaming.rows or implied
        return None if hook is None else hook(node)
