"""L2Normalization: the elements along the last axis, divided by the root of their squares' sum."""

from opsmith.op import *
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier
from opsmith.runtimes.core.inverse_root import inverse_root
from opsmith.runtimes.core.per_tensor import per_tensor_problems
from opsmith.runtimes.families.params import Rows, by_name, row_count, row_problems
from opsmith.runtimes.families.unary import same_shape

OUTPUT_BITS = 7  # y has scale 1/128
ZERO_POINTS = {i8: 0, u8: 128}  # of y
MAX_DEPTH = 33025  # more squares of 255 do not fit 32 bits
EPSILON = np.float32(1e-6)  # the least norm of float32


@dataclass(frozen=True)
class LiftedRows(Rows):
    """Rows of bytes, and the zero point of x."""

    x_zero_point: int


def check_bytes(node: NodeView) -> Iterator[str]:
    """Problems of x's last dimension, and of quantisation that the arithmetic of bytes cannot
    take.
    """
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


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, which may be one place: rows are done one by one, the last pass by
    elements.
    """
    return {"x": Distance(forward=0)}


def of_bytes(dtype: DType) -> Variant:
    """Variant of int8 or uint8."""
    x = ExampleTensor(dtype, (2, 12), scale=0.1, zero_point=4)
    y = ExampleTensor(dtype, (2, 12), scale=1 / 128, zero_point=ZERO_POINTS[dtype])
    plan, cost = every_node(by_name(LiftedRows), overlap=overlap), instructions(row_count, 370, 25)
    reference = Kernel("reference", LiftedRows, plan, cost=cost)
    return Variant(
        {"T": dtype},
        (reference,),
        check=check_bytes,
        evaluate=evaluate,
        examples=(Example({"x": x, "y": y}),),
    )


X = ExampleTensor(f32, (2, 12))
REAL = Kernel(
    "reference",
    Rows,
    every_node(by_name(Rows), overlap=overlap),
    cost=instructions(row_count, 40.0, 14.5),
)
OP = same_shape(
    "l2_normalization",
    Rename("tflite.L2_NORMALIZATION", range(1, 3), FUSED),
    variants=(
        of_bytes(i8),
        of_bytes(u8),
        Variant(
            {"T": f32},
            (REAL,),
            evaluate=evaluate_real,
            examples=(Example({"x": X, "y": X}),),
        ),
    ),
    attributes=(Attribute("activation", str, default="NONE", choices=("NONE",)),),
    check=row_problems,
)
