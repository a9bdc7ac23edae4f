"""What an op is: the values that an `op.py` is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolchain.ir import Array, DType, TensorType
from toolchain.op.fields import returned_class
from toolchain.op.view import NodeView


class OpError(Exception):
    """Raised by an op's functions about a node that the op cannot be: one sentence for the user."""


@dataclass(frozen=True)
class Rename:
    """A source op that becomes this op: the legalizer's rule."""

    source: str  # 'tflite.CONV_2D', 'tflite.CUSTOM.MyOp'
    versions: range = range(1, 2)  # of the source op that are understood
    attributes: Mapping[str, str] = field(default_factory=dict)  # source option -> attribute
    ignore: tuple[str, ...] = ()  # source options that change nothing here
    # source input index for each declared input, where the order differs
    inputs: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Input:
    """An input, by name. `type` is an element type or the name of a domain variable."""

    name: str
    type: DType | str
    constant: bool = False  # must be known at build time; reaches kernels through tables only
    optional: bool = False  # may be absent


@dataclass(frozen=True)
class Output:
    """An output, by name. `type` is an element type or the name of a domain variable."""

    name: str
    type: DType | str


@dataclass(frozen=True)
class Attribute:
    """A typed constant of a node. Without a default it must be present."""

    name: str
    type: type  # bool, int, float, str or tuple
    default: Any = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Scratch:
    """A buffer that a kernel needs only while it runs; planned with everything else."""

    name: str
    type: DType
    elements: Callable[[NodeView], int]


@dataclass(frozen=True)
class Kernel:
    """One implementation: a C++ header in the op's folder. The last row is the reference."""

    source: str  # 'reference.h'; the symbol is <op>_<dtypes>_<stem>
    dtypes: tuple[DType, ...] = ()  # of the first domain variable; empty: all
    requires: frozenset[str] | set[str] = frozenset()  # features of core and runtime
    when: Callable[[NodeView], bool] | None = None  # holds for the nodes it can compute
    shape: Callable[[NodeView], Any] | None = None  # in place of the op's
    tables: Callable[[NodeView], Any] | None = None  # in place of the op's
    scratch: tuple[Scratch, ...] = ()

    @property
    def backend(self) -> str:
        """The last part of the symbol: the file's stem."""
        return self.source.partition(".")[0]


@dataclass(frozen=True)
class Op:
    """An op: what it is called, takes and gives, what it means, and who computes it.

    `shape(node)` returns a frozen dataclass: what a kernel may know at compile time.
    `tables(node)` returns
    one whose fields are numpy arrays: constants that kernels get by pointer. The annotations of
    their return values are the source of the C++ structs.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    infer: Callable[[NodeView], Sequence[TensorType]]
    shape: Callable[[NodeView], Any]
    kernels: tuple[Kernel, ...]
    legalize: tuple[Rename, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    domains: Mapping[str, tuple[DType, ...]] = field(default_factory=dict)
    tables: Callable[[NodeView], Any] | None = None
    check: Callable[[NodeView], Iterable[str]] | None = None  # sentences about what it cannot be
    evaluate: Callable[[NodeView, Sequence[Array]], Sequence[Array]] | None = None
    traits: frozenset[str] | set[str] = frozenset()
    # for trait 'clamps': the activation that this node is, when another op can do it in passing
    clamp: Callable[[NodeView], str | None] | None = None

    def shape_of(self, kernel: Kernel) -> Callable[[NodeView], Any]:
        """The function that gives this kernel's Shape."""
        return kernel.shape or self.shape

    def tables_of(self, kernel: Kernel) -> Callable[[NodeView], Any] | None:
        """The function that gives this kernel's Tables, or None when it has none."""
        return kernel.tables or self.tables

    def shape_struct(self, kernel: Kernel) -> str:
        """The C++ name of this kernel's Shape struct."""
        return returned_class(self.shape_of(kernel)).__name__

    def symbol(self, kernel: Kernel, dtypes: Iterable[DType]) -> str:
        """The C++ function that computes these types: <op>_<dtypes>_<backend>."""
        return "_".join([self.name, *(dtype.short for dtype in dtypes), kernel.backend])
