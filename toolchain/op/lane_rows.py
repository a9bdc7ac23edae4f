"""Kernel rows of ops whose int8 elements need those of two inputs alone, several at a time."""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.ir.types import i8
from toolchain.op.broadcast import one_run
from toolchain.op.cost import per_element
from toolchain.op.describe import Kernel
from toolchain.op.view import NodeView


@dataclass(frozen=True)
class ElementsShape:
    """What a kernel may know at compile time."""

    elements: int


def _shape(node: NodeView) -> ElementsShape:
    return ElementsShape(node["y"].elements)


def lane_rows() -> tuple[Kernel, ...]:
    """The rows of y of a and b: `cmsis_mve.h` and `cmsis_dsp.h`, where tensors have one shape."""
    helium = Kernel(
        "cmsis_mve.h",
        dtypes=(i8,),
        requires={"mve"},
        cost=per_element(0.4),
        when=one_run,
        shape=_shape,
    )
    dsp = Kernel(
        "cmsis_dsp.h",
        dtypes=(i8,),
        requires={"dsp"},
        cost=per_element(2.0),
        when=one_run,
        shape=_shape,
    )
    return helium, dsp
