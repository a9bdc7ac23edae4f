"""Int8 elements at a new quantisation as an affine function of each: see affine.py."""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.ir.types import i8
from toolchain.op.affine import BYTES, Affine, Evaluate, affine
from toolchain.op.view import NodeView


@dataclass(frozen=True)
class AffineElements:
    """What a kernel may know at compile time."""

    elements: int
    multiplier: int
    offset: int
    shift: int
    y_min: int
    y_max: int


def element_constants(node: NodeView, evaluate: Evaluate) -> Affine | None:
    """The affine function that node y of x is, if it is one. Its multiplier has no fraction."""
    x, y = node["x"], node["y"]
    if x.dtype != i8 or y.dtype != i8:
        return None
    (outputs,) = evaluate(node, [BYTES])
    limits = (int(outputs.min()), int(outputs.max()))
    return affine(outputs, [BYTES], [x.scale / y.scale], limits, fraction_bits=0)


def affine_elements(node: NodeView, evaluate: Evaluate) -> AffineElements:
    """The Params of a node that is an affine function, clamped to the outputs that there are."""
    found = element_constants(node, evaluate)
    assert found is not None
    (outputs,) = evaluate(node, [BYTES])
    return AffineElements(
        elements=node["x"].elements,
        multiplier=found.multipliers[0],
        offset=found.offset,
        shift=found.shift,
        y_min=int(outputs.min()),
        y_max=int(outputs.max()),
    )
