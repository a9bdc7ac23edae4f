"""FullyConnected of float32: products are added one by one, as LiteRT's reference does."""

from opsmith.op import *
from runtimes.families.layer_variants import float_variant
from runtimes.families.matmul import MATMUL, row_overlap

from .params import Params, Tables

UNROLLED = 16  # products that the compiler takes apart


def cost(node: NodeView) -> float:
    """Cost of products, many of them in a loop, and of outputs, in cycles of a Cortex-M4F."""
    per_product = 6.0 if node["weights"].shape[1] <= UNROLLED else 10.0
    return MATMUL.cost(per_product, 15.0)(node)


F32 = float_variant(
    MATMUL,
    replace(MATMUL.reference(Params, Tables, row_overlap), cost=cost),
    Example.of(
        x=(1, 12),
        weights=ExampleTensor(f32, (5, 12), data=np.arange(60) / 128),
        bias=ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
    ),
)
