"""Softmax: exp(beta * x) along the last axis, scaled so that the sum is 1."""

from opsmith.op import *
from runtimes.core.exponential import (
    DIFFERENCE_BITS,
    exponentials_of_differences,
    reciprocal_of_one_plus,
)
from runtimes.core.fixed_point import doubling_high_mul, rounding_divide_by_pot
from runtimes.core.notebook import ALWAYS, OPTIMISED, OTHER_FORMULA
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.real_exponential import real_exponential
from runtimes.families.unary import same_shape

from .int16 import INT16
from .rules import by_table, overlap

SUM_BITS = 12  # integer bits of the sum of exponentials, Q12.19
# Smaller ones round to 0 in the sum, which is 2^19 or more: in y of up to 16 bits they do, too.
COUNTS = 1 << (SUM_BITS - 1)
# more ones overflow the sum
MAX_DEPTHS = {i8: (1 << SUM_BITS) - 1, u8: (1 << SUM_BITS) - 1, i16: (1 << 16) - 1}
# 1 / scale and zero point that TFLite demands of y, by the types of x and y
OUTPUTS = {
    (i8, i8): (256, -128),
    (i8, i16): (65536, -32768),
    (u8, i16): (65536, -32768),
    (i16, i16): (32768, 0),
}


@dataclass(frozen=True)
class Tables:
    """Table of exp(-difference) of two elements."""

    exponential: NDArray[np.int32]  # [farthest + 1], Q0.31: of the largest element minus this one


@dataclass(frozen=True)
class ByteRows(Rows):
    """Rows of bytes, and the end of the table."""

    farthest: int  # the difference in which all larger ones count like it


def check(node: NodeView) -> Iterator[str]:
    """Problems of x's last dimension and of y's quantisation, for every variant."""
    x, y = node["x"], node["y"]
    yield from row_problems(node)
    if not x.dtype.is_integer:
        return
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if x.shape and x.shape[-1] > MAX_DEPTHS[x.dtype]:
        yield f"the last dimension of x {x.type} is larger than {MAX_DEPTHS[x.dtype]}"
    if not problems and (x.dtype, y.dtype) in OUTPUTS:
        steps, zero_point = OUTPUTS[x.dtype, y.dtype]
        if y.zero_point != zero_point or abs(y.scale * steps - 1) > 0.001:
            yield f"y must have scale 1/{steps} and zero point {zero_point}"


def check_bytes(node: NodeView) -> Iterator[str]:
    """Problems of beta with the arithmetic of bytes."""
    quantized = node["x"].quantization is not None
    if quantized and difference_scale(node) <= 1:
        yield f"beta {node.attributes['beta']} times the scale of x is not above 2^-26"


def difference_scale(node: NodeView) -> float:
    """Factor from a difference of elements to Q5.26."""
    return float(node.attributes["beta"] * node["x"].scale * (1 << (31 - DIFFERENCE_BITS)))


def tables(node: NodeView) -> Tables:
    """Table of exp(-difference) for every difference of two elements that counts; 0 for others."""
    found = exponentials_of_differences(difference_scale(node))
    farthest = int(np.flatnonzero(found >= COUNTS)[-1]) + 1
    return Tables(np.append(found[:farthest], np.int32(0))[: len(found)])


def last_of_table(node: NodeView) -> int:
    """Greatest difference in the table of exponentials."""
    return len(tables(node).exponential) - 1


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Softmax of bytes, in numpy."""
    if node.numerics == Numerics.NOTEBOOK:
        return by_table(node, inputs)
    x, dtype = inputs[0].astype(np.int64), node["y"].dtype
    found = exponentials_of_differences(difference_scale(node)).astype(np.int64)
    exponentials = found[x.max(axis=-1, keepdims=True) - x]
    sums = rounding_divide_by_pot(exponentials, SUM_BITS).sum(axis=-1, keepdims=True)
    zeros = 32 - np.frexp(sums.astype(np.float64))[1].astype(np.int64)  # leading ones, of 32 bits
    scale = reciprocal_of_one_plus((sums << zeros) - (1 << 31))
    exponent = SUM_BITS - zeros + 31 - 8 * dtype.size
    shares = rounding_divide_by_pot(doubling_high_mul(exponentials, scale), exponent)
    return [np.clip(shares + dtype.limits[0], *dtype.limits).astype(dtype.numpy)]


@dataclass(frozen=True)
class RealRows(Rows):
    """Rows of float32, and beta."""

    beta: float  # a float32


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Softmax of float32 in numpy, with sums from the first element of a row to its last."""
    x, beta = inputs[0], np.float32(node.attributes["beta"])
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.fmax.reduce(x, axis=-1, keepdims=True, initial=np.finfo(np.float32).min)
        exponentials = real_exponential((x - largest) * beta)
        return [exponentials / np.add.accumulate(exponentials, axis=-1)[..., -1:]]


def of_bytes(x_type: DType, y_type: DType, kernel: Kernel) -> Variant:
    """Variant of int8 or uint8; y may have 16 bits."""
    steps, zero_point = OUTPUTS.get((x_type, y_type), (256, 0))
    x = ExampleTensor(x_type, (6, 12), scale=0.1, zero_point=4)
    y = ExampleTensor(y_type, (6, 12), scale=1 / steps, zero_point=zero_point)
    return Variant(
        {"T": x_type, "U": y_type},
        (kernel,),
        check=check_bytes,
        evaluate=evaluate,
        numerics=OPTIMISED if y_type == i16 else ALWAYS,
        interpreted=True,
        examples=(Example.of({"beta": 1.0}, x=x, y=y),),
    )


BYTE_ROWS = by_name(ByteRows, farthest=last_of_table)
REFERENCE = reference(BYTE_ROWS, tables, overlap=overlap, cost=instructions(row_count, 110.0, 30.0))
# y has other elements than x, and cannot lie on it.
WIDENING = reference(BYTE_ROWS, tables)
REAL = reference(
    RealRows,
    overlap=overlap,
    cost=instructions(row_count, 60.0, 62.0),
    functions=("real_exponential",),
)
OP = same_shape(
    "softmax",
    Rename("tflite.SOFTMAX", versions=range(1, 4)),
    variants=(
        of_bytes(i8, i8, REFERENCE),
        of_bytes(u8, u8, REFERENCE),
        of_bytes(i8, i16, WIDENING),
        of_bytes(u8, i16, WIDENING),
        INT16,
        Variant(
            {"T": f32, "U": f32},
            (REAL,),
            evaluate=evaluate_real,
            numerics=OTHER_FORMULA,
            examples=(Example.of({"beta": 1.0}, x=(1, 12)),),
        ),
    ),
    y="U",
    attributes=(Attribute("beta", float),),
    check=check,
)
