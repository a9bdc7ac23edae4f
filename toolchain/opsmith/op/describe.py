"""Description of an op: the value that an `op.py` registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from opsmith.ir import Array, DType, Numerics, TensorType
from opsmith.op.declare import Attribute, Decompose, Example, Input, Match, Output, Rename, State
from opsmith.op.departure import Departure
from opsmith.op.hooks import Hooks
from opsmith.op.kernel import Kernel
from opsmith.op.rows import RowWindow, elementwise_rows
from opsmith.op.view import NodeView

EVERY = "*"


@dataclass(frozen=True)
class Kind:
    """Kind of a variant that a family makes, by which backends bring kernels for it.

    Backend `gpu` does so in `gpu/<family>.py`, as KernelsFor the name.
    """

    family: str  # module of runtimes/families: 'binary'
    name: str  # 'floats'
    facts: Mapping[str, Any] = field(default_factory=dict)  # what tells variants apart


@dataclass(frozen=True)
class KernelsFor:
    """Kernels for variants of an op, in KERNELS of a file: a tuple of these, or of kernels alone.

    A file of the op's folder brings its own kernels, whose C++ lies beside it; one in the folder of
    a variant brings them for variants of that folder. Kernels alone are for EVERY variant.

    A backend's file `<backend>/<op>.py` brings kernels for an op that it does not own, and
    `<backend>/<family>.py` for variants of a family, by the name of their kind. Their C++ is
    `<backend>/<op>.h` or `<backend>/<family>.h`: kernel `fast` is an overload
    `opsmith::<op>::<backend>::fast(params, in, out, ...)`, as declared in the generated header
    `<backend>/<op>.op.h`, or the function that it says.
    """

    # element types that variants have, the name of their kind, or EVERY variant
    types: Mapping[str, DType] | str
    # kernels, or functions that make some for the variant from what its op registers
    kernels: tuple[Kernel | Callable[[Variant], Kernel | tuple[Kernel, ...]], ...]


@dataclass(frozen=True)
class Variant:
    """An op at one combination of element types, and who computes it there.

    Where a variant is more than a file it has a folder in the op's; its C++ is in a namespace of
    that name in the op's. What the op says holds unless the variant has its own.
    """

    types: Mapping[str, DType]  # element type of each type variable of the op's inputs and outputs
    # that its op or family defines for every core, besides those that files register; the last
    # takes every node
    kernels: tuple[Kernel, ...] = ()
    # folder of the op's with its kernels, and namespace of their C++; none for those of the op's
    # folder
    folder: str = ""
    kind: Kind | None = None  # of a variant that a family makes
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
    # Rules that may give other elements than the reference's. Of a node: "" where `evaluate` and
    # kernels follow it, None where the elements are the same, else why it is not reproduced.
    numerics: Mapping[Numerics, Callable[[NodeView], str | None]] = field(default_factory=dict)
    interpreted: bool = False  # by LiteRT's own kernel, also where XNNPACK takes nodes
    check: Callable[[NodeView], Iterable[str]] | None = None  # besides the op's
    evaluate: Callable[..., Sequence[Array]] | None = None  # in place of the op's
    # that go before the op's
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

    name: str  # of the folder, too
    # operands by name, in the order of the source operator unless a Rename says otherwise
    inputs: tuple[Input, ...]
    # node -> types and shapes of the outputs; raises OpError with a sentence
    infer: Callable[[NodeView], Sequence[TensorType]]
    variants: tuple[Variant, ...]  # one for each combination of element types
    outputs: tuple[Output, ...] = (Output("y", "T"),)  # results by name
    legalize: tuple[Rename, ...] = ()  # source operators that become this op
    attributes: tuple[Attribute, ...] = ()  # typed constants of a node
    # node -> sentences about what the op cannot be, such as a missing quantisation
    check: Callable[[NodeView], Iterable[str]] | None = None
    # (node, inputs) -> outputs in numpy, for folding constants and as an oracle; with states also
    # (…, state), a dict of arrays to change. Of its inputs it may change none but states
    evaluate: Callable[..., Sequence[Array]] | None = None
    # what the compiler may do: `elementwise`; `view`, y is the bytes of x; `fuses_activation`, has
    # an attribute `activation`; `of_shapes`, y follows from types and shapes alone; `from_nothing`,
    # `evaluate` holds for inputs without elements; `placeholder`, not finished
    traits: frozenset[str] | set[str] = frozenset()
    # how its nodes take part in transforms
    hooks: Hooks = Hooks()  # noqa: RUF009 frozen
    departs: Departure | None = None  # of variants that have none of their own
    states: tuple[State, ...] = ()  # buffers that survive invoke()
    # how a node becomes other ops, where all of these are supported and no kernel that fits says
    # `over_composite`
    decompose: Decompose | None = None
    match: Match | None = None  # subgraphs that one node of this op takes the place of
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
        """True if nodes must become other ops, where `when` of its decompose= holds."""
        none = any(variant.reference is None for variant in self.variants)
        return self.decompose is not None and (self.decompose.required or none)

    @property
    def all_examples(self) -> list[Example]:
        """The examples of the op and of its variants."""
        return [*self.examples, *(each for v in self.variants for each in v.examples)]

    def with_hooks(self, hooks: Hooks) -> Op:
        """The op with these hooks, too; they go before its own."""
        return replace(self, hooks=self.hooks | hooks)

    def rows_of(self, node: NodeView) -> RowWindow | None:
        """Window by which the node makes its output row by row; trait 'elementwise' implies it."""
        implied = elementwise_rows if "elementwise" in self.traits else None
        hook = self.hooks.streaming.rows or implied
        return None if hook is None else hook(node)
