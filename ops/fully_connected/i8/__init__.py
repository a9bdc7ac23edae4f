"""FullyConnected of int8.

The sums are requantised in double precision, round(double(sum) * scale), as LiteRT's reference
kernel does; TFLM and CMSIS-NN use Q31 fixed point instead, and differ by 1 on rare values.
"""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT, accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_of
from runtimes.families.layer import weights_zero_point
from runtimes.families.layer_variants import by_xnnpack, int8_variant
from runtimes.families.matmul import MATMUL, operand_problems, row_overlap, scales
from runtimes.families.owning import with_least

from .params import Params


@dataclass(frozen=True)
class Tables:
    """Weights in the model's order, biases, and scales."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    yield from (problems := list(operand_problems(node)))
    if problems:
        return
    zero_point = weights_zero_point(node["weights"])
    bounds = accumulator_bounds(node["x"], node["weights"].data, bias_of(node), zero_point)
    yield from (problems := list(overflow_problems(bounds, bias=bias_of(node))))
    if not problems and np.any(bounds * scales(node) > LIMIT):
        yield "a scaled sum may overflow 32 bits"


REFERENCE = MATMUL.reference(Params, Tables, row_overlap, (6.8, 170.0))
X = ExampleTensor(i8, (1, 12), scale=0.05, zero_point=-3)
Y = ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4)
WEIGHTS = np.arange(60) % 100
BIAS = np.array([2000, 1018, 1794, 1918, 488])
EXAMPLES = (
    Example.of(
        x=X,
        weights=ExampleTensor(i8, (5, 12), scale=0.0113, data=WEIGHTS),
        bias=ExampleTensor(i32, (5,), scale=0.000565, data=BIAS),
        y=Y,
    ),
    Example.of(
        x=ExampleTensor(i8, (6, 12), scale=0.05, zero_point=-3),
        weights=ExampleTensor(i8, (5, 12), scale=0.02, data=WEIGHTS),
        y=ExampleTensor(i8, (6, 5), scale=0.1, zero_point=4),
    ),
    Example.of(
        x=ExampleTensor(i8, (1, 256), scale=0.05, zero_point=-3),
        weights=ExampleTensor(
            i8,
            (5, 256),
            scale=(0.0002637, 0.0113, 0.0127, 0.0219, 1.9731),
            data=np.arange(1280) % 100 - 50,
        ),
        bias=ExampleTensor(i32, (5,), scale=0.000565, data=BIAS),
        y=Y,
    ),
    Example.of(
        x=ExampleTensor(i8, (6, 12), scale=0.05, zero_point=-3),
        weights=ExampleTensor(i8, (10, 12), scale=(*[0.0113] * 9, 99.0), data=np.arange(120) % 100),
        y=ExampleTensor(i8, (6, 10), scale=0.1, zero_point=4),
    ),
    Example.of(x=X, weights=ExampleTensor(i8, (5, 12), scale=0.0113, data=WEIGHTS % 3), y=Y),
    Example.of(
        x=ExampleTensor(i8, (1, 256), scale=0.05, zero_point=-3),
        weights=ExampleTensor(i8, (5, 256), scale=0.0113, data=np.arange(1280) % 100 - 50),
        y=Y,
    ),
)
I8 = int8_variant(
    MATMUL,
    check,
    REFERENCE,
    *EXAMPLES,
    *(with_least(each, "weights") for each in EXAMPLES),
    numerics={**by_xnnpack("weights", biased=False), Numerics.TFLM: lambda node: ""},
)
