"""LogSoftmax: x minus the logarithm of the sum of exp(x) along the last axis."""

from opsmith.op import *
from runtimes.core.exponential import (
    DIFFERENCE_BITS,
    exponentials_of_differences,
    farthest_difference,
    logarithm,
)
from runtimes.core.fixed_point import (
    doubling_high_mul,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
)
from runtimes.core.notebook import OPTIMISED, OTHER_FORMULA
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.real_exponential import real_exponential
from runtimes.core.real_logarithm import real_logarithm
from runtimes.families.unary import same_shape

SUM_BITS = 12  # integer bits of the sum of exponentials, Q12.19
MAX_DEPTH = (1 << SUM_BITS) - 1  # more ones overflow the sum
OUTPUT_SCALE = 1 / 16  # what TFLite demands of y, whose zero point is its greatest element
OUTPUT_SHIFT = 22  # from Q5.26 to sixteenths
LARGEST_SCALE = float((1 << 31) - 1)  # LiteRT caps the scale of differences


@dataclass(frozen=True)
class DifferenceRows(Rows):
    """Rows, and scalings of differences from a row's largest element to Q5.26, and back."""

    multiplier: int  # Q31
    shift: int
    farthest: int  # the difference that Q5.26 holds
    reverse_multiplier: int  # Q31
    reverse_shift: int


@dataclass(frozen=True)
class Tables:
    """Table of exp(-difference) of two elements."""

    exponential: NDArray[np.int32]  # [256], Q0.31: of the largest element minus this one


def check_bytes(node: NodeView) -> Iterator[str]:
    """Problems of x's last dimension, and of quantisation beyond the arithmetic of bytes."""
    x, y = node["x"], node["y"]
    if x.shape and x.shape[-1] > MAX_DEPTH:
        yield f"the last dimension of x {x.type} is larger than {MAX_DEPTH}"
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if problems:
        return
    if (y.scale, y.zero_point) != (OUTPUT_SCALE, y.dtype.limits[1]):
        yield f"y must have scale 1/16 and zero point {y.dtype.limits[1]}"
    if not difference_scale(node) > 2:
        yield f"the scale {x.scale} of x is not above 2^-25"


def difference_scale(node: NodeView) -> float:
    """Factor from a difference of elements to Q5.26."""
    return min(node["x"].scale * (1 << (31 - DIFFERENCE_BITS)), LARGEST_SCALE)


def params(node: NodeView) -> DifferenceRows:
    """Rows and scaling of a node. Where Q5.26 holds no difference, only 0 is scaled."""
    scale = difference_scale(node)
    fraction, shift = math.frexp(scale)
    reverse = quantize_multiplier(2.0**-shift / (math.floor(fraction * 2.0**31 + 0.5) / 2.0**31))
    multiplier, left = quantize_multiplier(scale) if shift <= 30 else (0, 0)
    return by_name(
        DifferenceRows,
        multiplier=lambda _: multiplier,
        shift=lambda _: left,
        farthest=lambda _: min(farthest_difference(shift), 255),
        reverse_multiplier=lambda _: reverse[0],
        reverse_shift=lambda _: reverse[1],
    )(node)


def tables(node: NodeView) -> Tables:
    """Table of exp(-difference) for every difference of two elements."""
    return Tables(exponentials_of_differences(difference_scale(node)))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Logarithms of bytes, in numpy."""
    p, dtype, x = params(node), node["y"].dtype, inputs[0].astype(np.int64)
    differences = x - x.max(axis=-1, keepdims=True)
    exponentials = tables(node).exponential.astype(np.int64)[-differences]
    sums = rounding_divide_by_pot(exponentials, SUM_BITS).sum(axis=-1, keepdims=True)
    logarithms = logarithm(sums)
    back = doubling_high_mul(logarithms - (1 << 31), p.reverse_multiplier)
    least = np.maximum(-p.farthest - 1, rounding_divide_by_pot(back, -p.reverse_shift))
    held = differences > least
    scaled = multiply_by_quantized_multiplier(np.where(held, differences, 0), p.multiplier, p.shift)
    low, high = dtype.limits
    y = np.clip(rounding_divide_by_pot(scaled - logarithms, OUTPUT_SHIFT) + high, low, high)
    return [np.where(held, y, low).astype(dtype.numpy)]


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Logarithms of float32 in numpy, with sums from the first element of a row to its last."""
    x = inputs[0]
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.fmax.reduce(x, axis=-1, keepdims=True, initial=np.finfo(np.float32).min)
        sums = np.add.accumulate(real_exponential(x - largest), axis=-1)[..., -1:]
        return [x - largest - real_logarithm(sums)]


OVERLAP = {"x": Distance(forward=0)}  # rows are done one by one, the last pass by elements


def of_bytes(dtype: DType) -> Variant:
    """Variant of int8 or uint8."""
    y = ExampleTensor(dtype, None, scale=OUTPUT_SCALE, zero_point=dtype.limits[1])
    cost = instructions(row_count, 360, 34)
    return Variant(
        {"T": dtype},
        (reference(params, tables, OVERLAP, cost=cost),),
        check=check_bytes,
        evaluate=evaluate,
        numerics=OPTIMISED,
        examples=(Example.of(x=(1, 12), y=y),),
    )


REAL = reference(
    Rows,
    overlap=OVERLAP,
    cost=instructions(row_count, 200.0, 104.0),
    functions=("real_exponential", "real_logarithm"),
)
OP = same_shape(
    "log_softmax",
    Rename("tflite.LOG_SOFTMAX", versions=range(1, 3)),
    variants=(
        of_bytes(i8),
        of_bytes(u8),
        Variant(
            {"T": f32},
            (REAL,),
            evaluate=evaluate_real,
            numerics=OTHER_FORMULA,
            examples=(Example.of(x=(1, 12)),),
        ),
    ),
    check=row_problems,
)
