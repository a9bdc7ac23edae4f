"""Description of an op: the value that an `op.py` registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
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
    """Kind of a variant that a family makes, to which backends refer to bring kernels for it.

    Backend `gpu` does so in `gpu/<family>.py`, with `KernelsFor(name, …)`.
    """

    family: str  # module of runtimes/families: 'binary'
    name: str  # 'floats'
    facts: Mapping[str, Any] = field(default_factory=dict)  # what tells variants apart


@dataclass(frozen=True)
class KernelsFor:
    """Kernels for variants of an op. KERNELS of a file is a tuple of KernelsFor, or of plain
    kernels.

    A file of the op's folder brings its own kernels, whose C++ lies beside it; a file in the folder
    of a variant brings kernels for variants of that folder. Plain kernels are for EVERY variant.

    A backend's file `<backend>/<op>.py` brings kernels for an op that it does not own, and
    `<backend>/<family>.py` for variants of a family, by the name of their kind. The C++ is
    `<backend>/<op>.h` or `<backend>/<family>.h`: kernel `fast` is an overload
    `opsmith::<op>::<backend>::fast(params, in, out, ...)`, as declared in the generated header
    `<backend>/<op>.op.h`, or the function that the kernel names.
    """

    # element types that variants have, the name of their kind, or EVERY variant
    types: Mapping[str, DType] | str
    # kernels, or functions that make some for the variant from what its op registers
    kernels: tuple[Kernel | Callable[[Variant], Kernel | tuple[Kernel, ...]], ...]


@dataclass(frozen=True)
class Variant:
    """An op at one combination of element types, with the kernels that compute it.

    A variant that is more than a file has a folder in the op's folder; its C++ is in a namespace of
    the folder's name inside the op's. Declarations of the op hold unless the variant has its own.
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
        """Kernel of the op's own that takes every node; None where every node becomes other ops."""
        return next((k for k in self.kernels[-1:] if k.backend is None), None)

    @property
    def only_runtime(self) -> str:
        """Only runtime whose kernels compute the variant; "" where a kernel is for any."""
        runtimes = {kernel.runtime for kernel in self.kernels}
        return runtimes.pop() if len(runtimes) == 1 else ""


def of_types(
    types: Mapping[str, Iterable[DType]], *kernels: Kernel, **fields: Any
) -> tuple[Variant, ...]:
    """Variants for all combinations of element types of these type variables, with equal kernels.

    `fields` are further ones of Variant.
    """
    return tuple(
        Variant(dict(zip(types, each, strict=True)), kernels, **fields)
        for each in product(*types.values())
    )


@dataclass(frozen=True)
class Op:
    """An op: its name, inputs and outputs, meaning, and variants with kernels.

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
        """Type variables of the op, in the order of C++ template parameters."""
        return tuple(self.variants[0].types) if self.variants else ()

    @cached_property
    def types(self) -> Mapping[str, tuple[DType, ...]]:
        """Element types that each type variable has in any variant, in the order of variants."""
        return {
            name: tuple(dict.fromkeys(variant.types[name] for variant in self.variants))
            for name in self.variables
        }

    @property
    def composite(self) -> bool:
        """True if nodes must become other ops, where `when` of the op's decomposition holds."""
        none = any(variant.reference is None for variant in self.variants)
        return self.decompose is not None and (self.decompose.required or none)

    @property
    def all_examples(self) -> list[Example]:
        """Examples of the op and of all its variants, with element types."""
        first = self.variants[0].types if self.variants else {}
        owned = [(each, first) for each in self.examples]
        owned += [(each, v.types) for v in self.variants for each in v.examples]
        return [each.typed((*self.inputs, *self.outputs), types) for each, types in owned]

    def with_hooks(self, hooks: Hooks) -> Op:
        """Op with further hooks, which take precedence over its own."""
        return replace(self, hooks=self.hooks | hooks)

    def rows_of(self, node: NodeView) -> RowWindow | None:
        """Window by which the node computes its output by rows; trait 'elementwise' implies one."""
        implied = elementwise_rows if "elementwise" in self.traits else None
        hook = self.hooks.streaming.rows or implied
        return None if hook is None else hook(node)
