"""BatchMatMul: products of matrices, either of which may be transposed, in batches that broadcast.

Sums of int8 may also be the output, as int32; LiteRT then takes elements without their zero points.
"""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT
from runtimes.core.narrow_requantization import LEFT
from runtimes.core.narrow_requantization import LIMIT as WIDE_LIMIT
from runtimes.core.notebook import OF_FLOATS, unlike, where
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.broadcast import MAX_RANK, broadcast_shape
from runtimes.families.layer_variants import MOST_FACTOR

from .f32x8 import F32X8, as_layer, is_layer
from .operands import depth, factor, int8_bound, macs, multiplier, turned
from .products import floats, lifted, narrow, plain
from .sums import lifted_sums, narrow_sums, row_distances, sums

RANKS = range(2, MAX_RANK + 1)


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: broadcast batches of a and b, rows of a, and columns of b."""
    (*a, rows, depth), (*b, inner, columns) = (
        turned(node, name, node[name].shape) for name in "ab"
    )
    if depth != inner:
        raise OpError(f"rows of a have {depth} elements, columns of b {inner}")
    return [TensorType(node["y"].dtype, (*broadcast_shape(tuple(a), tuple(b)), rows, columns))]


def int8_problems(node: NodeView) -> Iterator[str]:
    """Problems of int8 quantisation, and of sums that may overflow."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if not problems:
        yield from _overflow(int8_bound(node) > LIMIT, 32)


def plain_problems(node: NodeView) -> Iterator[str]:
    """Problems of int8 sums that may overflow int32."""
    yield from _overflow(depth(node) << 14 > LIMIT, 32)


def int16_problems(node: NodeView) -> Iterator[str]:
    """Problems of int16 quantisation, and of sums that may overflow."""
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if problems:
        return
    yield from symmetric_problems(node, "a", "b", "y")
    yield from _overflow(depth(node) << 30 >= WIDE_LIMIT, 48)
    if multiplier(node)[1] >= LEFT:
        yield "a.scale * b.scale / y.scale must be below 128"


def _overflow(possible: bool, bits: int) -> Iterator[str]:
    if possible:
        yield f"a sum may overflow {bits} bits"


def example(a: DType, b: DType, y: DType) -> tuple[Example, ...]:
    """Examples of two batches times one; of int8, one has a multiplier of 5/4."""
    shapes = {"a": (2, 3, 7), "b": (7, 5), "y": (2, 3, 5)}
    types = {"a": a, "b": b, "y": y}

    def scaled(y_scale: float) -> Example:
        scales = {"a": 0.05, "b": 0.05, "y": y_scale}
        tensors = {
            name: ExampleTensor(t, shapes[name], scale=scales[name] if t in (i8, i16) else None)
            for name, t in types.items()
        }
        return Example(tensors, {"adj_x": False, "adj_y": False})

    return tuple(map(scaled, (0.05, 0.002) if y == i8 else (0.05,)))


LIFTED, NARROW, PLAIN = (
    reference(each, overlap=row_distances, cost=instructions(macs, 8.0, 20.0))
    for each in (lifted_sums, narrow_sums, sums)
)


def taken_by_xnnpack(node: NodeView) -> bool:
    """True if XNNPACK takes an int8 node."""
    return node["b"].zero_point == 0 and factor(node) < MOST_FACTOR


RULES = {  # by the type of y
    i8: {**where(taken_by_xnnpack), **unlike_tflm()},
    **dict.fromkeys((i16, i32), unlike_tflm()),
    f32: unlike(OF_FLOATS),
}
OP = Op(
    "batch_matmul",
    inputs=(Input("a", "A", rank=RANKS), Input("b", "B", rank=RANKS)),
    outputs=(Output("y", "Y"),),
    attributes=(
        Attribute("adj_x", bool, default=False),
        Attribute("adj_y", bool, default=False),
        Attribute("asymmetric_quantize_inputs", bool, default=False),  # of float32 by int8
    ),
    legalize=(Rename("tflite.BATCH_MATMUL", range(1, 6)),),
    infer=infer,
    traits={"from_nothing"},
    hooks=Hooks(macs=macs),
    decompose=Decompose(as_layer, when=is_layer),
    variants=(
        *(
            Variant(
                {"A": a, "B": b, "Y": y},
                (kernel,),
                check=check,
                evaluate=evaluate,
                numerics=RULES[y],
                examples=example(a, b, y),
            )
            for a, b, y, check, evaluate, kernel in (
                (i8, i8, i8, int8_problems, lifted, LIFTED),
                (i8, i8, i32, plain_problems, plain, PLAIN),
                (i16, i16, i16, int16_problems, narrow, NARROW),
                (i16, i8, i16, int16_problems, narrow, NARROW),
                (f32, f32, f32, None, floats, PLAIN),
            )
        ),
        F32X8,
    ),
)
