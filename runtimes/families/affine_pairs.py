"""Rescaled sums of pairs computed as affine functions of both elements: see
runtimes/core/affine.py.

Elements are int8, or uint8, which multipliers meet 128 less.
"""

from dataclasses import field
from functools import lru_cache

from opsmith.ir import Quantization
from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.affine import BYTES, FRACTION_BITS, AffineConstants, Evaluate, affine
from runtimes.core.notebook import pair_slopes, scale_ratios
from runtimes.families.broadcast import Pairs, pairs


@dataclass(frozen=True)
class AffinePairs(Pairs):
    """y = clamp((offset + a * a_multiplier / 2^8 + b * b_multiplier / 2^8) >> shift)."""

    a_multiplier: int  # of which 8 bits are a fraction
    b_multiplier: int
    offset: int
    shift: int
    activation_min: int
    activation_max: int


def affine_pairs(evaluate: Evaluate, signs: tuple[int, int]) -> Kernel:
    """Kernel of y = signs[0] * a + signs[1] * b, for every core."""
    return Kernel(
        "affine",
        AffinePairs,
        partial(pair_plan, evaluate, signs),
        numerics=ANY_RULE,
        cost=per_element(20.0),
        code=Code(instance=120, general=600),
        header="runtimes/core/affine.h",
        function="opsmith::affine_pairs",
        arguments=("p", "in.a", "in.b", "out.y"),
    )


def pair_plan(evaluate: Evaluate, signs: tuple[int, int], node: NodeView) -> Plan | Refused:
    """Plan with AffinePairs of a node y = signs[0] * a + signs[1] * b, or Refused if not affine."""
    found = pair_constants(node, evaluate, signs)
    if isinstance(found, Refused):
        return found
    params = AffinePairs(
        **vars(pairs(node)),
        a_multiplier=found.multipliers[0],
        b_multiplier=found.multipliers[1],
        offset=found.offset,
        shift=found.shift,
        **bounds(node),
    )
    return Plan(params, overlap=partial(elementwise, node))


@dataclass(frozen=True)
class _Sum:
    """Facts of a sum that decide its affine constants, by which equal sums share one answer."""

    evaluate: Evaluate
    signs: tuple[int, int]
    fraction_bits: int
    centred: bool
    quantizations: tuple[Quantization | None, ...]  # of a, b and y
    clamp: tuple[int, int]
    numerics: Numerics
    values: tuple[tuple[int, ...], ...]  # of constant a and b, which others never have; or none
    node: NodeView = field(compare=False)


def pair_constants(
    node: NodeView,
    evaluate: Evaluate,
    signs: tuple[int, int],
    fraction_bits: int = FRACTION_BITS,
    centred: bool = False,
) -> AffineConstants | Refused:
    """Affine function that a node y = signs[0] * a + signs[1] * b is, or Refused.

    `evaluate` depends on the elements, their quantisation, the clamp and the rule alone. With
    `centred`, the function gives int8 for a y of uint8, too: 128 less.
    """
    quantizations = tuple(node[name].quantization for name in ("a", "b", "y"))
    rule, clamp, values = node.numerics, clamp_range(node), tuple(_values(node[n]) for n in "ab")
    given = _Sum(evaluate, signs, fraction_bits, centred, quantizations, clamp, rule, values, node)
    return _constants(given)


def _values(x: Tensor) -> tuple[int, ...]:
    """Distinct elements of a constant; none of a computed tensor."""
    return () if x.constant is None else tuple(map(int, np.unique(x.constant.array)))


@lru_cache(maxsize=64)
def _constants(given: _Sum) -> AffineConstants | Refused:
    y = given.node["y"]
    more = centre(y)
    a, b = (np.array(each) - more if each else BYTES for each in given.values)
    inputs = [a[:, None], b[None, :]]
    (outputs,) = given.evaluate(given.node, [each + more for each in inputs])
    less = more if given.centred else 0
    clamp = given.clamp[0] - less, given.clamp[1] - less
    whole, plain = given.numerics != Numerics.REFERENCE, scale_ratios(given.node)
    for slopes in dict.fromkeys((tuple(pair_slopes(given.node)), tuple(plain))):
        signed = [sign * slope for sign, slope in zip(given.signs, slopes, strict=True)]
        wanted = outputs.astype(np.int64) - less
        found = affine(wanted, inputs, signed, clamp, given.fraction_bits, whole)
        if found is not None:
            return found
    scales = f"{plain[0]:.6g} and {plain[1]:.6g}"
    return Refused(
        f"no multipliers and shift give all {len(a) * len(b)} pairs exactly at scales {scales}"
    )


def centre(y: Tensor) -> int:
    """Difference of uint8 elements from int8 elements of equal value: 128, or 0 for int8."""
    return y.dtype.limits[0] + 128
