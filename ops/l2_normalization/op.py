"""L2Normalization: the elements along the last axis, divided by the root of their squares' sum."""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.inverse_root import inverse_root
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.unary import same_shape

OUTPUT_BITS = 7  # y has scale 1/128
ZERO_POINTS = {i8: 0, u8: 128}  # of y
MAX_DEPTH = 33025  # more squares of 255 do not fit 32 bits
EPSILON = np.float32(1e-6)  # the least norm of float32


@dataclass(frozen=True)
class LiftedRows(Rows):
    """Rows of bytes, and the zero point of x."""

    x_zero_point: int


def check_bytes(node: NodeView) -> Iterator[str]:
    """Problems of x's last dimension, and of quantisation beyond the arithmetic of bytes."""
    x, y = node["x"], node["y"]
    if x.shape and x.shape[-1] > MAX_DEPTH:
        yield f"the last dimension of x {x.type} is larger than {MAX_DEPTH}"
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems and (y.scale, y.zero_point) != (1 / 128, ZERO_POINTS[y.dtype]):
        yield f"y must have scale 1/128 and zero point {ZERO_POINTS[y.dtype]}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Quotients of bytes in numpy: LiteRT shifts int8 after the multiplication, uint8 before."""
    dtype = node["y"].dtype
    x = inputs[0].astype(np.int64) - node["x"].zero_point
    multiplier, shift = inverse_root((x * x).sum(axis=-1, keepdims=True))
    before, after = (0, OUTPUT_BITS) if dtype == i8 else (OUTPUT_BITS, 0)
    y = multiply_by_quantized_multiplier(x << before, multiplier, shift + after)
    return [np.clip(y + ZERO_POINTS[dtype], *dtype.limits).astype(dtype.numpy)]


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Quotients of float32 in numpy, with sums from the first element of a row to its last."""
    (x,) = inputs
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.add.accumulate(x * x, axis=-1)[..., -1:])
        return [x / np.where(norms < EPSILON, EPSILON, norms)]


OVERLAP = {"x": Distance(forward=0)}  # rows are done one by one, the last pass by elements


def of_bytes(dtype: DType) -> Variant:
    """Variant of int8 or uint8."""
    y = ExampleTensor(dtype, None, scale=1 / 128, zero_point=ZERO_POINTS[dtype])
    return Variant(
        {"T": dtype},
        (reference(LiftedRows, overlap=OVERLAP, cost=instructions(row_count, 370, 25)),),
        check=check_bytes,
        evaluate=evaluate,
        examples=(Example.of(x=(2, 12), y=y),),
    )


REAL = reference(Rows, overlap=OVERLAP, cost=instructions(row_count, 40.0, 14.5))
OP = same_shape(
    "l2_normalization",
    Rename("tflite.L2_NORMALIZATION", range(1, 3), FUSED),
    variants=(
        of_bytes(i8),
        of_bytes(u8),
        Variant({"T": f32}, (REAL,), evaluate=evaluate_real, examples=(Example.of(x=(2, 12)),)),
    ),
    attributes=(Attribute("activation", str, default="NONE", choices=("NONE",)),),
    check=row_problems,
)
