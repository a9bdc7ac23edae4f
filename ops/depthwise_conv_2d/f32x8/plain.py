"""DepthwiseConv2D of float32 by int8 filters by plain.h: a window at a time, without an FPU."""

from opsmith.op import *
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows
from runtimes.families.owning import by_function_of

from ..i8.plain import MAX_WINDOW, copied_windows
from . import Params


def plan(node: NodeView) -> Plan | Refused:
    """Plan for limited scratch."""
    _, height, width, channels = node["filter"].shape
    if (window := height * width * node["x"].shape[3]) > MAX_WINDOW:
        return Refused(f"a window has {window} bytes, more than {MAX_WINDOW}")
    image = node["x"].elements // node["x"].shape[0]
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(_tables, node),
        {"image": image, "window": window, "scales": channels},
        partial(image_overlap, node),
    )


def _tables(node: NodeView) -> Packed:
    rows = real_rows(DEPTHWISE, node)
    return Packed(np.ascontiguousarray(rows.weights.T), real_channels(rows, 1))


def cost(node: NodeView) -> float:
    """Cost of products, of outputs, of windows that are copied, and of inputs that are
    quantised, in cycles of a Cortex-M4F.
    """
    outputs = DEPTHWISE.cost(4.6, 40.0)(node) + copied_windows(node)
    return outputs + 28.0 * node["x"].elements


PLAIN = Kernel(
    "plain",
    Params,
    plan,
    Packed,
    scratch={"image": i8, "window": i8, "scales": f32},
    requires={"thumb"},
    copies=("memcpy", "memset"),
    cost=cost,
)
KERNELS = (
    PLAIN,
    by_function_of(
        "depthwise_conv_2d/f32x8", PLAIN, replace(PLAIN, name="rv32", requires={"rv32m"})
    ),
)
