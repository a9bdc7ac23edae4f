"""SVDF of float32 by int8 weights: x is quantised at run time, the memory stays float32."""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT
from runtimes.core.dynamic_range import quantised
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.families.dynamic_range import NO_RANGE, WeightRows, weight_scales

from .. import f32 as real

LARGEST_PRODUCT = 255 * 128


@dataclass(frozen=True, kw_only=True)
class Params(real.Params):
    """Params of float32, and the quantisation of weights and x."""

    features_scale: float  # a float32
    time_scale: float
    asymmetric_quantize_inputs: bool  # by the range of x, not by its largest magnitude


@dataclass(frozen=True)
class Tables:
    """Features, weights over time, and biases, in the model's order."""

    features: NDArray[np.int8]  # [filters][depth]
    time: NDArray[np.int8]  # [filters][memory]
    bias: NDArray[np.float32]  # [units]


def check(node: NodeView) -> Iterator[str]:
    """Problems of float32, and of weights that are not quantised symmetrically per tensor."""
    yield from real.check(node)
    yield from (problems := list(per_tensor_problems(node, "features", "time")))
    if not problems:
        yield from zero_problems(node, "features", "time")
    if node["x"].shape[1] * LARGEST_PRODUCT > LIMIT:
        yield "a sum of features may overflow 32 bits"


FACTS = {
    **real.FACTS,
    "features_scale": lambda node: float(np.float32(node["features"].scale)),
    "time_scale": lambda node: float(np.float32(node["time"].scale)),
}


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a row of x, which is quantised before its elements of y are written."""
    params = of_facts(Params, node, FACTS)
    return Plan(params, partial(of_facts, Tables, node, FACTS), {"row": params.depth})


def feature_rows(node: NodeView) -> WeightRows:
    """Rows of the features of all filters, whose biases of -0 change no sum."""
    features = node["features"].data
    scale = weight_scales(node["features"], len(features))
    return WeightRows(features, scale, np.full(len(features), -0.0, np.float32))


def products(per_feature: float, per_filter: float) -> Callable[[NodeView], float]:
    """Cost of products with features, of filters, and of their memories."""

    def cost(node: NodeView) -> float:
        filters, depth = node["features"].shape
        memory = node["time"].shape[1]
        return node["x"].shape[0] * filters * (per_feature * depth + per_filter + 15.0 * memory)

    return cost


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; the state is updated."""
    p = of_facts(Params, node, FACTS)
    elements, scale = quantised(inputs[0], p.asymmetric_quantize_inputs)
    sums = (elements @ node["features"].data.astype(np.int64).T).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        latest = sums * (scale * np.float32(p.features_scale))
    time = node["time"].data.astype(np.float32) * np.float32(p.time_scale)
    return [real.filtered_over_time(node, latest, inputs[3], time)]


F32X8 = Variant(
    {"T": f32, "F": i8, "W": i8, "S": f32, "B": f32},
    (Kernel("reference", Params, plan, Tables, scratch={"row": i8}, cost=products(9.5, 40.0)),),
    folder="f32x8",
    departs=NO_RANGE,
    check=check,
    evaluate=evaluate,
    examples=(
        Example.of(
            {"rank": 2, "activation": "RELU"},
            x=(1, 8),
            features=ExampleTensor(i8, (6, 8), scale=0.01, data=np.arange(48)),
            time=ExampleTensor(i8, (6, 4), scale=0.02, data=np.arange(24)),
            state=(1, 24),
            bias=ExampleTensor(f32, (3,), data=np.array([0.5, -1, 0])),
        ),
    ),
)
