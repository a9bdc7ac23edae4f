"""Functions of int8 and uint8 elements as affine functions: see runtimes/core/affine.py."""

from opsmith.op import *
from runtimes.core.affine import AffineConstants, Evaluate, affine
from runtimes.core.notebook import element_slope
from runtimes.core.rescaling import Ints


@dataclass(frozen=True)
class AffineElements:
    """y = clamp((offset + x * multiplier) >> shift)."""

    elements: int
    multiplier: int
    offset: int
    shift: int
    y_min: int
    y_max: int


def affine_elements(evaluate: Evaluate) -> Kernel:
    """Kernel of an affine function y of x, for every core."""

    def plan(node: NodeView) -> Plan | Refused:
        found = element_constants(node, evaluate)
        if isinstance(found, Refused):
            return found
        f, limits = found
        params = AffineElements(node["x"].elements, f.multipliers[0], f.offset, f.shift, *limits)
        return Plan(params, overlap=partial(elementwise, node))

    return Kernel(
        "affine",
        AffineElements,
        plan,
        numerics=ANY_RULE,
        cost=per_element(9.0),
        header="runtimes/core/affine.h",
        function="opsmith::affine_elements",
        arguments=("p", "in.x", "out.y"),
    )


def flipped_elements(evaluate: Evaluate) -> Kernel:
    """Kernel of an affine function y of x, for every core, that flips each byte's highest bit."""

    def plan(node: NodeView) -> Plan | Refused:
        every, outputs = _every_element(node, evaluate)
        if ((outputs.astype(np.int64) ^ every ^ 128) & 255).any():
            return Refused("elements of y are not those of x with the highest bit flipped")
        return Plan(Elements(node["x"].elements), overlap=partial(elementwise, node))

    return Kernel(
        "flipped",
        Elements,
        plan,
        numerics=ANY_RULE,
        cost=per_element(0.9),
        header="runtimes/core/affine.h",
        function="opsmith::flipped_elements",
        arguments=("p", "in.x", "out.y"),
    )


def element_constants(
    node: NodeView, evaluate: Evaluate, fraction_bits: int = 0, less: int = 0
) -> tuple[AffineConstants, tuple[int, int]] | Refused:
    """Affine function that gives a node's y from x - `less`, with bounds of y, or Refused.

    The bounds are those of y's type unless the function needs narrower ones. Of the multiplier's
    bits, `fraction_bits` are a fraction.
    """
    every, outputs = _every_element(node, evaluate)
    slope = element_slope(node)
    whole = node.numerics != Numerics.REFERENCE
    (least, most), (low, high) = node["y"].dtype.limits, (int(outputs.min()), int(outputs.max()))
    for limits in ((least, most), (low, most), (least, high), (low, high)):
        found = affine(outputs, [every - less], [slope], limits, fraction_bits, whole)
        if found is not None:
            return found, limits
    return Refused(f"no multiplier and shift give all 256 elements exactly at scale {slope:.6g}")


def _every_element(node: NodeView, evaluate: Evaluate) -> tuple[Ints, Array]:
    """Elements that x may have, and the element of y for each."""
    low, high = node["x"].dtype.limits
    every = np.arange(low, high + 1, dtype=np.int64)
    (outputs,) = evaluate(node, [every])
    return every, outputs
