"""Kinds of nodes of a random graph: an operator, element types, and how it is added."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.graphs.builder import Builder, Impossible

ANY = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 bool"
TRIES = 10


@dataclass(frozen=True)
class Kind:
    """Kind of nodes: one operator, one choice of element types, and the function that adds them."""

    op: str  # as TFLite has it; of custom operators, the op here
    types: tuple[str, ...]
    make: Callable[..., object]  # (builder, op, *types); raises Impossible
    weight: int  # how often besides its turn; most have several kernels
    apart: str  # why LiteRT has no answer; "" where it has one

    def add(self, build: Builder) -> bool:
        """Add a node of this kind; False, and the graph unchanged, where none fits."""
        return any(build.undo(lambda: self._added(build)) for _ in range(TRIES))

    def _added(self, build: Builder) -> None:
        nodes, tensors = build.model.content.nodes, len(build.tensors)
        self.make(build, self.op, *self.types)
        if self.apart:
            build.apart[nodes[-1].outputs[0]] = self.apart
            for tensor in [t for t in build.tensors[tensors:] if t.index in nodes[-1].outputs]:
                build.end(tensor)


def kinds(
    make: Callable[..., object], *, weight: int = 0, apart: str = "", **ops: str
) -> tuple[Kind, ...]:
    """Kinds of nodes from operators and their types: `ABS="int8 float32"`, `CAST="int8/bool
    int8/int16"`.
    """
    return tuple(
        Kind(op, tuple(types.split("/")), make, weight, apart)
        for op, choices in ops.items()
        for types in choices.split()
    )


def pairs(firsts: str, seconds: str) -> str:
    """Pairs of each type with each different type: `int8/int32 int8/int64`."""
    return " ".join(f"{one}/{other}" for one in firsts.split() for other in seconds.split())


def impossible_unless(condition: bool) -> None:
    """Raise Impossible where the condition does not hold."""
    if not condition:
        raise Impossible
