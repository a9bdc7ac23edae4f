"""Mean: the mean along any axes."""

from opsmith.op import *
from opsmith.op.rows import RowWindow
from runtimes.core.notebook import ALWAYS, OF_FLOATS, OF_UINT8, unlike
from runtimes.families.means import (
    image_rows,
    mean_examples,
    mean_problems,
    quantized_means,
    quotients,
    real_means,
    rescaling,
    scaled_means,
)
from runtimes.families.reduction import (
    Axes,
    axes,
    keeps_channels,
    lane_problem,
    reduced_elements,
    reducing,
    reduction,
)


@dataclass(frozen=True)
class MeanAxes(Axes):
    """Axes of a reduction, and the constants that make a mean of a sum."""

    zero_point_sum: int  # what the zero point of x adds to a sum
    output_zero_point: int
    multiplier: int  # Q31: x.scale / y.scale / elements of a mean
    shift: int


def params(node: NodeView) -> MeanAxes:
    """Axes and scaling of a node."""
    return MeanAxes(**vars(axes(node)), **rescaling(node))


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows for a pixel of all rows of an image, or of their sums where smaller."""
    x, height = node["x"], image_rows(node)
    if height is None:
        return None
    width = x.shape[2]
    by_q31 = x.dtype == i8 and node.numerics != Numerics.NOTEBOOK  # as mean_rows has it
    apart = by_q31 and (height - 1) * width > 4
    return RowWindow(height, height, one_by_one={"rows": height} if apart else None)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: from the mean of least elements to the mean of greatest elements."""
    x, elements = ranges[node["x"].id], reduced_elements(node)
    found = Range(*(scaled_means(node, end * elements) for end in (x.low, x.high)))
    if keeps_channels(node):
        return [found]
    widest = Range(found.low.min(keepdims=True), found.high.max(keepdims=True))
    return [widest.spread(channels_of(node["y"]))]


def quantised(dtype: DType, *kernels: Kernel, zero_point: int) -> Variant:
    """Variant of small integers, with `kernels` besides the reference."""
    return Variant(
        {"T": dtype},
        kernels=(*kernels, REFERENCE),
        check=mean_problems,
        evaluate=quantized_means,
        numerics={i8: ALWAYS, u8: unlike(OF_UINT8)}.get(dtype, {}),
        hooks=Hooks(channels=Channels(ranges=value_range)),
        examples=mean_examples(ExampleTensor(dtype, IMAGE, 0.1, zero_point), 0.0871),
    )


def plain(dtype: DType, means: Callable[[NodeView, Sequence[Array]], Sequence[Array]]) -> Variant:
    """Variant of elements that are numbers without quantisation."""
    return Variant(
        {"T": dtype},
        kernels=(PLAIN,),
        evaluate=means,
        numerics=unlike(OF_FLOATS) if dtype == f32 else {},
        examples=mean_examples(ExampleTensor(dtype, IMAGE)),
    )


IMAGE = (1, 5, 6, 8)
PLAN = every_node(params)
REFERENCE = reference(params, cost=reducing(3.9, 45.0))
PLAIN = Kernel("reference", Axes, every_node(axes), cost=reducing(2.8, 8.0))
BYTES = (Kernel("lanes", MeanAxes, refusing(PLAN, lane_problem), cost=reducing(2.2, 41.0)),)
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
