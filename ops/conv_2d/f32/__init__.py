"""Conv2D of float32, bit-exact with LiteRT's reference kernel."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.image_filter import BY_ROWS
from runtimes.families.layer_variants import float_variant
from runtimes.families.real_convolution import real_reference


def reference_cost(node: NodeView) -> float:
    """Cost of outputs, of products, and of taps, each of which is a run of products."""
    return CONVOLUTION.cost(6.3 + 6.0 / node["filter"].shape[3], 20.0)(node)


F32 = float_variant(
    CONVOLUTION,
    real_reference(reference_cost, Code()),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=(1, 5, 6, 3),
        filter=ExampleTensor(f32, (4, 3, 3, 3), data=np.arange(108) / 100),
        bias=ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=(1, 5, 6, 4),
        filter=ExampleTensor(f32, (4, 3, 3, 2), data=np.arange(72) / 100),
        bias=ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
        y=(1, 5, 6, 4),
    ),
    hooks=BY_ROWS,
)
