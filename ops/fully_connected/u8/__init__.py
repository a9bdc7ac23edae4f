"""FullyConnected of uint8, whose weights have a zero point, too: TFLite's first quantisation."""

from opsmith.op import *
from runtimes.families.layer import Quantized
from runtimes.families.layer_variants import uint8_variant
from runtimes.families.matmul import MATMUL, Sizes, row_overlap
from runtimes.families.owning import with_least


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, Sizes):
    """Sizes, zero points, and bounds of y."""

    weights_zero_point: int


@dataclass(frozen=True)
class Tables:
    """Weights in the model's order, biases, and scale."""

    weights: NDArray[np.uint8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [1]


EXAMPLE = Example.of(
    x=ExampleTensor(u8, (1, 12), scale=0.05, zero_point=120),
    weights=ExampleTensor(u8, (5, 12), scale=0.01, zero_point=9, data=np.arange(60)),
    bias=ExampleTensor(i32, (5,), data=np.arange(5) * 500),
    y=ExampleTensor(u8, (1, 5), scale=0.9, zero_point=0),
)
U8 = uint8_variant(
    MATMUL,
    MATMUL.reference(Params, Tables, row_overlap, (7.0, 170.0)),
    EXAMPLE,
    with_least(EXAMPLE, "weights"),
)
