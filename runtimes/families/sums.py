"""Sums and differences of two tensors: ADD and SUB, and their arithmetic for quantised elements."""

from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.affine import Evaluate
from runtimes.core.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
)
from runtimes.core.notebook import (
    OF_UINT8,
    OPTIMISED,
    Rules,
    few_axes,
    single_quotient,
    sum_multipliers,
    unlike,
    where,
)
from runtimes.families.affine_pairs import affine_pairs, pair_constants
from runtimes.families.binary import (
    Function,
    activated,
    example,
    floats,
    integers,
    pairs_kind,
    quantised,
    zero_points,
)
from runtimes.families.broadcast import Pairs, pairs

REFERENCE_COST = 32.0  # instructions per element
LEFT_SHIFT = {i8: 20, u8: 20, i16: 15}  # bits of headroom: kLeftShift of binary.h
# of ADD and SUB: int16 whose scales are powers of two; set where a model does not say
POT_SCALE = Attribute("pot_scale_int16", bool, default=True)
POT_TOLERANCE = 1e-3  # of the logarithm of a scale (TFLite: CheckedLog2)
Signs = tuple[int, int]  # y = signs[0] * a + signs[1] * b


@dataclass(frozen=True, kw_only=True)
class SumScales:
    """Zero points, multipliers and shifts of a, b and y at a common scale, and bounds of y."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_multiplier: int  # Q31
    a_shift: int
    b_multiplier: int
    b_shift: int
    y_multiplier: int
    y_shift: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class SumPairs(SumScales, Pairs):
    """Walk through pairs of tensors that broadcast, and scales of their sum."""


@dataclass(frozen=True, kw_only=True)
class ShortPairs(SumPairs):
    """Walk through pairs of int16 tensors, and scales of their sum."""

    shifts: bool  # by -a_shift and -b_shift to the right, and multipliers mean nothing


def sum_of_two(
    name: str, source: Rename, function: Function, signs: Signs, hooks: Hooks, **others: Any
) -> Op:
    """Op whose y is the sum or the difference of a and b, by `function`, activated.

    `others` are further arguments of `activated`.
    """
    return activated(
        name,
        source,
        variants=(
            *(quantised_sum(dtype, signs) for dtype in (i8, u8, i16)),
            integers(function, REFERENCE_COST),
            integers(function, REFERENCE_COST, i64),
            floats(function, REFERENCE_COST),
        ),
        attributes=(POT_SCALE,),
        hooks=hooks,
        **others,
    )


def quantised_sum(dtype: DType, signs: Signs) -> Variant:
    """int8, uint8 or int16 variant of a sum or a difference."""
    compute = partial(_evaluate, signs)
    params, fill = (ShortPairs, short_pairs) if dtype == i16 else (SumPairs, sum_pairs)
    proved = () if dtype == i16 else (affine_pairs(compute, signs),)
    shapes: tuple[Sequence[tuple[int, ...]], ...] = (((4, 5), (4, 5)), ((1,), (4, 5)), ((7,), (7,)))
    definition = reference(fill, cost=per_element(REFERENCE_COST))
    numerics = {i8: _exact_constants(compute, signs), u8: unlike(OF_UINT8), i16: OPTIMISED}
    function = {(1, 1): "wrapping_sum", (1, -1): "wrapping_difference"}[signs]
    return quantised(
        dtype,
        (*proved, definition),
        compute,
        kind=quantised_kind(params, dtype, function),
        check=partial(_check_shifts, signs) if dtype == i16 else None,
        examples=tuple(example(dtype, a, b) for a, b in shapes),
        numerics=numerics[dtype],
    )


def quantised_kind(
    params: type, dtype: DType, function: str, headroom: int | None = None
) -> Kind | None:
    """Kind of a variant whose function takes operands at a common scale."""
    bits = LEFT_SHIFT[dtype] if headroom is None else headroom
    shifts = {"MAY_SHIFT": ""} if params is ShortPairs else {}
    return pairs_kind("quantised", function, HEADROOM=str(bits), PAIRS=params.__name__, **shifts)


def sum_pairs(node: NodeView) -> SumPairs:
    """Walk and scales of a node's sum."""
    return SumPairs(**vars(pairs(node)), **vars(sum_scales(node)))


def short_pairs(node: NodeView) -> ShortPairs:
    """Walk and scales of an int16 node's sum."""
    found = _shifts(node)
    if found is None:
        return ShortPairs(**vars(sum_pairs(node)), shifts=False)
    (a_shift, b_shift), unused = found, ("a_multiplier", "b_multiplier", "y_multiplier", "y_shift")
    scales: dict[str, Any] = dict.fromkeys(unused, 0) | {"a_shift": a_shift, "b_shift": b_shift}
    return ShortPairs(
        **vars(pairs(node)), **zero_points(node), **scales, **bounds(node), shifts=True
    )


def _shifts(node: NodeView) -> tuple[int, int] | None:
    """Bits by which TFLite shifts a and b left; None where it multiplies instead."""
    logarithms = [math.log2(node[name].scale) for name in "aby"]
    far = any(abs(each - round(each)) >= POT_TOLERANCE for each in logarithms)
    if far or node["y"].dtype != i16 or not node.attributes["pot_scale_int16"]:
        return None
    a, b, y = map(round, logarithms)
    return a - y, b - y


def _check_shifts(signs: Signs, node: NodeView) -> Iterator[str]:
    """Problems of scales that are powers of two, which LiteRT refuses.

    LiteRT's shift overflows from 16 bits on, and its sum then reads past the smaller tensor.
    """
    found = _shifts(node)
    if found is None:
        return
    if max(found) != 0 or min(found) < -15:
        yield (
            "pot_scale_int16 is set: the scale of y must be the larger of those of a and b,"
            " and at most 2^15 times the smaller"
        )
    if signs == (1, 1) and node["a"].shape != node["b"].shape:
        yield "pot_scale_int16 is set, and scales are powers of two: a and b must have one shape"


def sum_scales(node: NodeView) -> SumScales:
    """Scales of a node's sum: both operands go to twice the larger of their scales."""
    headroom, y = 1 << LEFT_SHIFT[node["y"].dtype], node["y"].scale
    return common_scales(node, common_scale(node) / (headroom * y), **bounds(node))


def common_scale(node: NodeView) -> float:
    """Twice the larger of the scales of a and b."""
    return 2.0 * max(node["a"].scale, node["b"].scale)


def common_scales(node: NodeView, y_ratio: float, **bounds: int) -> SumScales:
    """Scales that bring operands to one scale; `y_ratio` is their function's scale over y's."""
    common = common_scale(node)
    return SumScales(
        **zero_points(node),
        **_smaller_than_one("a", node["a"].scale / common),
        **_smaller_than_one("b", node["b"].scale / common),
        **_smaller_than_one("y", y_ratio),
        **bounds,
    )


def _smaller_than_one(name: str, ratio: float) -> dict[str, Any]:
    if not ratio < 1:
        raise OpError(f"the scale ratio {ratio} must be below 1")
    multiplier, shift = quantize_multiplier(ratio)
    return {f"{name}_multiplier": multiplier, f"{name}_shift": shift}


def _evaluate(signs: Signs, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    def total(a: Array, b: Array) -> Array:
        found: Array = signs[0] * a + signs[1] * b
        return found

    if node.numerics == Numerics.NOTEBOOK:
        return [_of_21_bits(signs, node, inputs)]
    found = _shifts(node)
    if found is None:
        p, headroom = sum_scales(node), LEFT_SHIFT[node["y"].dtype]
        return [rescaled(p, headroom, total, node, inputs)]
    shifted = (
        rounding_divide_by_pot(x.astype(np.int64), -shift)
        for x, shift in zip(inputs, found, strict=True)
    )
    return [np.clip(total(*shifted), *clamp_range(node)).astype(np.int16)]


def taken_by_xnnpack(node: NodeView) -> bool:
    """True if XNNPACK takes an int8 node."""
    ratios = [single_quotient(node[name].scale, node["y"].scale) for name in "ab"]
    return few_axes(node) and min(ratios) >= 2.0**-10 and max(ratios) < 2.0**8


def _exact_constants(evaluate: Evaluate, signs: Signs) -> Rules:
    """Rules by which int8 nodes that XNNPACK takes are reproduced, where constants give all pairs:
    no other kernel computes its sums.
    """
    (taken,) = where(taken_by_xnnpack).values()

    def reason(node: NodeView) -> str | None:
        if not_taken := taken(node):
            return not_taken
        found = pair_constants(replace(node, numerics=Numerics.NOTEBOOK), evaluate, signs)
        return found.reason if isinstance(found, Refused) else ""

    return {Numerics.NOTEBOOK: reason}


def _of_21_bits(signs: Signs, node: NodeView, inputs: Sequence[Array]) -> Array:
    """y as XNNPACK computes a sum (qs8-vadd): rounded once, halves up."""
    multipliers, shift = sum_multipliers(node)
    found: Array = np.asarray(1 << shift - 1)
    for name, sign, multiplier, x in zip("ab", signs, multipliers, inputs, strict=True):
        found = found + sign * multiplier * (x.astype(np.int64) - node[name].zero_point)
    y = (found >> shift) + node["y"].zero_point
    return np.asarray(np.clip(y, *clamp_range(node)), node["y"].dtype.numpy)


def rescaled(
    p: SumScales, headroom: int, function: Function, node: NodeView, inputs: Sequence[Array]
) -> Array:
    """Elements of a function of both operands, each with `headroom` bits, in numpy."""

    def scaled(x: Array, zero_point: int, multiplier: int, shift: int) -> Array:
        lifted = (x.astype(np.int64) - zero_point) << headroom
        return multiply_by_quantized_multiplier(lifted, multiplier, shift)

    a = scaled(inputs[0], p.a_zero_point, p.a_multiplier, p.a_shift)
    b = scaled(inputs[1], p.b_zero_point, p.b_multiplier, p.b_shift)
    found = multiply_by_quantized_multiplier(function(a, b), p.y_multiplier, p.y_shift)
    y = found + p.y_zero_point
    return np.clip(y, p.activation_min, p.activation_max).astype(node["y"].dtype.numpy)
