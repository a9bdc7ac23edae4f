"""ReductionMean: the mean along neighbouring axes, by a function that exists already.

The function is in a namespace of its author's and takes pointers and sizes, not our structs: the
kernel says which. It takes the place of the shipped op where it can.
"""

import math

from opsmith.op import *
from runtimes.families.means import (
    mean_examples,
    mean_problems,
    quantized_means,
    real_means,
    rescaling,
)
from runtimes.families.reduction import reduced_axes, reduced_elements, reduction


@dataclass(frozen=True)
class Params:
    """Sizes of the three axes, the mean being along the middle one, and how a sum becomes it."""

    outer: int
    reduced: int
    inner: int
    zero_point_sum: int = 0  # these four are of quantised values
    output_zero_point: int = 0
    multiplier: int = 0
    shift: int = 0


def neighbours(node: NodeView) -> bool:
    """Whether the axes follow one another, as the function wants them."""
    try:
        axes = sorted(reduced_axes(node))
    except OpError:
        return False
    return bool(axes) and axes[-1] - axes[0] == len(axes) - 1


def params(node: NodeView) -> Params:
    """The sizes before, of and after the axes, and the scaling."""
    shape, axes = node["x"].shape, sorted(reduced_axes(node))
    sizes = math.prod(shape[: axes[0]]), reduced_elements(node), math.prod(shape[axes[-1] + 1 :])
    return Params(*sizes, **(rescaling(node) if node["x"].dtype == i8 else {}))


RESCALE = "{p.zero_point_sum, p.output_zero_point, p.multiplier, p.shift}"
KERNEL = Kernel(
    "reduction_mean",
    Params,
    every_node(params),
    function="my_ops::ReductionMean<T>",
    arguments=("in.x", "out.y", "p.outer", "p.reduced", "p.inner", RESCALE),
)
REASON = "one loop instead of eight, and float32"
OP = reduction(
    "reduction_mean",
    Rename("tflite.MEAN", versions=range(1, 4), when=neighbours, overrides="mean", reason=REASON),
    (
        Variant({"T": i8}, (KERNEL,), check=mean_problems, evaluate=quantized_means),
        Variant({"T": f32}, (KERNEL,), evaluate=real_means),
    ),
    examples=mean_examples(ExampleTensor(f32, (1, 5, 6, 8))),
)
