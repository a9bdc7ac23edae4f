"""Views: ops whose output has the bytes of x in another shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from runtimes.families.movement import EVERY_TYPE, HEADER, movement
from runtimes.gpu.kernel import of_family
from toolchain.op import (
    Array,
    Decompose,
    GraphBuilder,
    Kernel,
    NodeView,
    Op,
    Rename,
    every_node,
)


def _reshape(node: NodeView, builder: GraphBuilder) -> None:
    sizes = node["y"].shape or (0,)  # the shape of a scalar, as reshape takes it
    builder.node("reshape", [node["x"]], [node["y"]], new_shape=sizes)


AS_RESHAPE = Decompose(_reshape)


def view(
    name: str,
    source: Rename,
    shape: Callable[[NodeView], tuple[int, ...]],
    decompose: Decompose | None = AS_RESHAPE,
    **fields: Any,
) -> Op:
    """An op whose y has this shape. Its nodes become those of reshape, of which the compiler knows
    most.

    `fields` are further ones of `movement`, except evaluate and traits.
    """
    return movement(
        name,
        source,
        lambda node: [shape(node)],
        COPIED,
        EVERY_TYPE,
        evaluate=_evaluate,
        faster=(COPIED_ON_GPU,),
        traits={"view"},
        decompose=decompose,
        **fields,
    )


def _evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    return [inputs[0].reshape(node["y"].shape)]


@dataclass(frozen=True)
class CopyParams:
    """How much is copied."""

    bytes: int


COPIED = Kernel(
    "reference",
    CopyParams,
    every_node(lambda node: CopyParams(node["x"].bytes)),
    header=HEADER,
    function="opsmith::movement::copy",
    arguments=("p", "in.x", "out.y"),
)
COPIED_ON_GPU = of_family(COPIED, "movement.cl", "copy", ("p", "in.x", "out.y"))
