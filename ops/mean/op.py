"""Mean: the mean along any axes."""

import math
from dataclasses import replace

from opsmith.op import *
from opsmith.op.rows import Rows
from opsmith.runtimes.core.accumulator import overflow_problems
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier
from opsmith.runtimes.core.notebook import ALWAYS, OF_UINT8, by_single, unlike
from opsmith.runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from opsmith.runtimes.families.reduction import (
    Axes,
    axes,
    elements_of,
    keeps_channels,
    lane_problem,
    mean_scaling,
    reduced_axes,
    reduced_elements,
    reduced_line,
    reduction,
)


@dataclass(frozen=True)
class MeanAxes(Axes):
    """The axes, and what makes a mean of a sum."""

    zero_point_sum: int  # what the zero point of x adds to a sum
    output_zero_point: int
    multiplier: int  # Q31: x.scale / y.scale / elements of a mean
    shift: int


def params(node: NodeView) -> MeanAxes:
    """The axes and the scaling of a node."""
    multiplier, shift = mean_scaling(node, reduced_elements(node))
    return MeanAxes(
        **vars(axes(node)),
        zero_point_sum=node["x"].zero_point * reduced_elements(node),
        output_zero_point=node["y"].zero_point,
        multiplier=multiplier,
        shift=shift,
    )


def check(node: NodeView) -> Iterator[str]:
    """Problems of the quantisation with the arithmetic."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if node["x"].dtype == i16 and not problems:
        yield from (problems := list(symmetric_problems(node, "x", "y")))
    if not problems and reduced_elements(node):
        low, high = node["x"].dtype.limits
        bound = np.array([reduced_elements(node) * (high - low)])
        yield from overflow_problems(bound, mean_scaling(node, reduced_elements(node))[1])


def rows(node: NodeView) -> Rows | None:
    """A pixel that is made of all rows of an image, or of their sums, where these are smaller."""
    x, y = node["x"], node["y"]
    if len(x.shape) != 4 or reduced_axes(node) != {1, 2} or len(y.shape) != 4:
        return None
    height, width = x.shape[1:3]
    by_q31 = x.dtype == i8 and node.numerics != Numerics.NOTEBOOK  # as mean_rows has it
    apart = by_q31 and (height - 1) * width > 4
    return Rows(height, height, one_by_one={"rows": height} if apart else None)


def means_of_none(node: NodeView) -> Sequence[Array]:
    """LiteRT's means of no elements: NaN, and of integers 0, whatever their zero point."""
    y = node["y"]
    return [np.full(y.shape, math.nan if y.dtype == f32 else 0, y.dtype.numpy)]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means in numpy."""
    if not reduced_elements(node):
        return means_of_none(node)
    sums = inputs[0].astype(np.int64).sum(axis=tuple(reduced_axes(node)))
    y = node["y"]
    return [means(node, sums).astype(y.dtype.numpy).reshape(y.shape)]


def means(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    return np.asarray(np.clip(_SCALED[node.numerics](node, sums), *node["y"].dtype.limits))


def _by_q31(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    p = node.once(params)
    lifted = sums - p.zero_point_sum
    return multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.output_zero_point


def _by_single(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    return by_single(sums, *reduced_line(node, mean=True))


_SCALED = {Numerics.REFERENCE: _by_q31, Numerics.NOTEBOOK: _by_single}


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The means of nothing but least, and of nothing but greatest elements."""
    x, elements = ranges[node["x"].id], reduced_elements(node)
    found = Range(*(means(node, end * elements) for end in (x.low, x.high)))
    if keeps_channels(node):
        return [found]
    widest = Range(found.low.min(keepdims=True), found.high.max(keepdims=True))
    return [widest.spread(channels_of(node["y"]))]


def averaged(per_element: float, per_mean: float) -> Callable[[NodeView], float]:
    """The cost of a mean: instructions for each element of x plus those for each of y."""
    return instructions(lambda node: node["x"].elements, per_element, per_mean)


def quotients(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means of integers in numpy: sums wrap at 64 bits, and are cut towards zero."""
    if not reduced_elements(node):
        return means_of_none(node)
    with np.errstate(over="ignore"):
        sums = elements_of(node, inputs[0]).sum(axis=-1, dtype=np.int64)
    whole, rest = np.divmod(sums, reduced_elements(node))
    means = whole + ((rest != 0) & (sums < 0))
    return [means.astype(node["y"].dtype.numpy).reshape(node["y"].shape)]


def real_means(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means of float32 in numpy: sums from the first element to the last."""
    if not reduced_elements(node):
        return means_of_none(node)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.accumulate(elements_of(node, inputs[0]), axis=-1)[:, -1] + np.float32(0)
        return [(sums / np.float32(reduced_elements(node))).reshape(node["y"].shape)]


def quantised(dtype: DType, *kernels: Kernel, zero_point: int) -> Variant:
    """The variant of small integers, with kernels besides the reference."""
    x, y = (ExampleTensor(dtype, shape, 0.1, zero_point) for shape in ((1, 5, 6, 8), (1, 8)))
    return Variant(
        {"T": dtype},
        kernels=(*kernels, REFERENCE),
        check=check,
        evaluate=evaluate,
        numerics={i8: ALWAYS, u8: unlike(OF_UINT8)}.get(dtype, {}),
        hooks=Hooks(channels=Channels(ranges=value_range)),
        examples=tuple(
            Example({"x": x, "axis": AXIS, "y": each}) for each in (y, replace(y, scale=0.0871))
        ),
    )


def plain(
    dtype: DType,
    means: Callable[[NodeView, Sequence[Array]], Sequence[Array]],
) -> Variant:
    """The variant of elements that are the numbers themselves."""
    x, y = (ExampleTensor(dtype, shape) for shape in ((1, 5, 6, 8), (1, 8)))
    return Variant(
        {"T": dtype},
        kernels=(PLAIN,),
        evaluate=means,
        examples=(Example({"x": x, "axis": AXIS, "y": y}),),
    )


AXIS = ExampleTensor(i32, (2,), data=np.array([1, 2]))
PLAN = every_node(params)
REFERENCE = Kernel("reference", MeanAxes, PLAN, cost=averaged(3.9, 45.0))
PLAIN = Kernel("reference", Axes, every_node(axes))
BYTES = (Kernel("lanes", MeanAxes, refusing(PLAN, lane_problem), cost=averaged(2.2, 41.0)),)
OP = reduction(
    "mean",
    Rename("tflite.MEAN", versions=range(1, 4)),
    (
        quantised(i8, *BYTES, zero_point=4),
        quantised(u8, *BYTES, zero_point=130),
        quantised(i16, zero_point=0),
        plain(i32, quotients),
        plain(i64, quotients),
        plain(f32, real_means),
    ),
    hooks=Hooks(streaming=Streaming(rows, one_by_one="mean_rows")),
    traits={"from_nothing"},
)
