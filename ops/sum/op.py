"""Sum: the sum along any axes."""

from opsmith.op import *
from opsmith.runtimes.core.accumulator import overflow_problems
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from opsmith.runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from opsmith.runtimes.families.reduction import (
    Axes,
    Folding,
    axes,
    elements_of,
    nothing_problems,
    reduced_elements,
    reduction,
)


@dataclass(frozen=True)
class SumAxes(Axes):
    """The axes, and how a sum becomes an element of y."""

    zero_point_sum: int  # what the zero point of x adds to a sum
    y_zero_point: int
    multiplier: int  # Q31, of x.scale / y.scale
    shift: int


def params(node: NodeView) -> SumAxes:
    """The axes and the scaling of a node."""
    x, y = node["x"], node["y"]
    multiplier, shift = quantize_multiplier(x.scale / y.scale)
    zero_point_sum = x.zero_point * reduced_elements(node)
    return SumAxes(
        **vars(axes(node)),
        zero_point_sum=zero_point_sum,
        y_zero_point=y.zero_point,
        multiplier=multiplier,
        shift=shift,
    )


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    problems = [*per_tensor_problems(node, "x", "y"), *nothing_problems(node)]
    yield from problems
    if node["x"].dtype == i16 and not problems:
        yield from (problems := list(symmetric_problems(node, "x", "y")))
    if not problems:
        low, high = node["x"].dtype.limits
        bound = np.array([reduced_elements(node) * (high - low)])
        yield from overflow_problems(bound, params(node).shift)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The sums in numpy."""
    p, y = params(node), node["y"]
    lifted = elements_of(node, inputs[0]).sum(axis=-1, dtype=np.int64) - p.zero_point_sum
    sums = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.y_zero_point
    return [np.clip(sums, *y.dtype.limits).astype(y.dtype.numpy).reshape(y.shape)]


REFERENCE = Kernel("reference", SumAxes, every_node(params))
SIGNED = Departure(
    "int8 and int16",
    "reads the elements as uint8",
    "the sum of what they are, as in TensorFlow Lite Micro",
)


def quantised(dtype: DType, zero_point: int) -> Variant:
    """The variant of small integers."""
    x, y = (ExampleTensor(dtype, shape, 0.1, zero_point) for shape in ((2, 3, 4), (2, 4)))
    axis = ExampleTensor(i32, (1,), data=np.array([1]))
    return Variant(
        {"T": dtype},
        (REFERENCE,),
        departs=None if dtype == u8 else SIGNED,
        check=check,
        evaluate=evaluate,
        examples=(Example({"x": x, "axis": axis, "y": y}),),
    )


ADDING = Folding(np.add, lambda _: 0, "wrapping_sum")
OP = reduction(
    "sum",
    Rename("tflite.SUM", versions=range(1, 3)),
    (
        *(quantised(dtype, zero_point) for dtype, zero_point in ((i8, 4), (u8, 130), (i16, 0))),
        *map(ADDING.variant, (i32, i64, f32)),
    ),
    traits={"from_nothing"},
)
