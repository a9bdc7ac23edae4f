"""Quantize: float32 to quantised elements, or quantised elements to another quantisation.

Only TensorFlow Lite Micro converts int8 to int32.
"""

from itertools import product

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.notebook import OF_UINT8, OPTIMISED, by_256ths, single_quotient, unlike, where
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.unary import double_ratio, quantised, rescaled, unary


@dataclass(frozen=True)
class QuantizeParams:
    """Number of elements, and the quantisation of y."""

    elements: int
    y_zero_point: int
    y_scale: float  # a float32
    y_min: int
    y_max: int


quantization = by_name(
    QuantizeParams,
    y_min=lambda node: node["y"].dtype.limits[0],
    y_max=lambda node: node["y"].dtype.limits[1],
)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Nearest elements, in numpy."""
    p = quantization(node)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = inputs[0].astype(np.float32) / np.float32(p.y_scale)
    # In double precision the sum with a half is exact, and so the nearest integer is found.
    wide = np.nan_to_num(scaled.astype(np.float64), nan=-np.inf)
    rounded = np.trunc(wide + np.copysign(0.5, wide)) + p.y_zero_point
    return [np.clip(rounded, p.y_min, p.y_max).astype(node["y"].dtype.numpy)]


REFERENCE = reference(quantization, cost=per_element(26.0))


def beyond_integers(node: NodeView, inputs: Sequence[Array]) -> bool:
    """True if an element is NaN, or more scales than int32 can count."""
    scaled = np.abs(inputs[0].astype(np.float64)) / node["y"].scale
    return not bool((scaled < 2.0**31).all())


BEYOND_INTEGERS = Departure(
    "a float that is 2^31 scales or more from zero, infinite or NaN",
    "converts it to an int32 that cannot hold it, which C++ leaves undefined",
    "the nearest element, and for NaN the least",
    beyond_integers,
)


def nearest(dtype: DType) -> Variant:
    """Variant from float32 to this type."""
    return Variant(
        {"T": f32, "U": dtype},
        (REFERENCE,),
        departs=BEYOND_INTEGERS,
        check=lambda node: per_tensor_problems(node, "y"),
        evaluate=evaluate,
        numerics=OPTIMISED if dtype == i16 else unlike("XNNPACK rounds halves to even"),
        examples=(Example.of(x=(200,)),),
    )


def shifted(node: NodeView) -> Iterator[str]:
    """Problems of quantisations in which int16 may have any zero point, as in LiteRT."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if problems:
        return
    yield from symmetric_problems(node, *(n for n in ("x", "y") if node[n].dtype == i32))
    if node["y"].dtype == i16 and node["y"].zero_point:
        x, (_, left) = node["x"], quantize_multiplier(double_ratio(node), wraps=True)
        farthest = max(abs(end - x.zero_point) for end in x.dtype.limits)
        if farthest << max(left, 0) >= 2**31 - 2**16:
            yield "x.scale / y.scale is so large that elements of x leave 32 bits"


def of_256ths(node: NodeView, x: Array) -> Array:
    """Bytes converted to another quantisation, in XNNPACK's 256ths."""
    ratio = single_quotient(node["x"].scale, node["y"].scale)
    lifted = x.astype(np.int64) - node["x"].zero_point
    found = by_256ths(lifted, ratio) + node["y"].zero_point
    return np.asarray(np.clip(found, *node["y"].dtype.limits))


def taken_by_xnnpack(node: NodeView) -> bool:
    """True if XNNPACK takes an int8 node."""
    return 1 / 256 <= single_quotient(node["x"].scale, node["y"].scale) <= 128


BY_256THS = {Numerics.NOTEBOOK: of_256ths}
OTHER = dict.fromkeys(((u8, u8), (i8, u8), (u8, i8)), unlike(OF_UINT8))
RULES = {(i8, i8): where(taken_by_xnnpack), **OTHER}
RESCALED = (
    *product((i8, u8), (i8, u8, i16)),
    *product((i16,), (i8, i16, i32)),
    *product((i32,), (i8, i16)),
)
OP = unary(
    "quantize",
    Rename("tflite.QUANTIZE", versions=range(1, 7)),
    variants=(
        *map(nearest, (i8, u8, i16)),
        *(
            rescaled(
                {"T": x, "U": y},
                double_ratio,
                check=quantised if x == y else shifted,
                numerics=RULES.get((x, y), {}),
                rules=BY_256THS if (x, y) == (i8, i8) else {},
            )
            for x, y in RESCALED
        ),
        replace(
            rescaled({"T": i8, "U": i32}, double_ratio, check=shifted),
            departs=no_kernel("int8 to int32"),
        ),
    ),
    y="U",
)
