"""SVDF of float32: sums of four lanes, in LiteRT's order."""

from opsmith.op import *
from runtimes.core.per_channel import bias_of
from runtimes.core.tflm import unlike_tflm

LANES = 4
BOUNDS = {  # of y, for each activation
    "NONE": (None, None),
    "RELU": (0.0, None),
    "RELU_N1_TO_1": (-1.0, 1.0),
    "RELU6": (0.0, 6.0),
}


@dataclass(frozen=True, kw_only=True)
class Params:
    """Sizes, and bounds of y, if any."""

    batches: int
    depth: int  # elements of x in a batch
    units: int  # elements of y in a batch
    rank: int  # filters of a unit
    memory: int  # elements of the state for a filter
    has_min: bool
    has_max: bool
    real_min: float  # float32
    real_max: float


@dataclass(frozen=True)
class Tables:
    """Features, weights over time, and biases, in the model's order."""

    features: NDArray[np.float32]  # [filters][depth]
    time: NDArray[np.float32]  # [filters][memory]
    bias: NDArray[np.float32]  # [units]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about a bias that LiteRT refuses, and about an activation that LiteRT lacks."""
    bias, units = node.get("bias"), node["y"].shape[1]
    if bias is not None and bias.elements != units:
        yield f"bias has {bias.elements} elements instead of {units}"
    if node.attributes["activation"] not in BOUNDS:
        yield f"activation {node.attributes['activation']} is not one of {', '.join(BOUNDS)}"


def bound(node: NodeView, end: int) -> float | None:
    """Least or greatest element of y, if it has one."""
    return BOUNDS[node.attributes["activation"]][end]


FACTS: Facts = {
    "batches": lambda node: node["x"].shape[0],
    "depth": lambda node: node["x"].shape[1],
    "units": lambda node: node["y"].shape[1],
    "memory": lambda node: node["time"].shape[1],
    "has_min": lambda node: bound(node, 0) is not None,
    "has_max": lambda node: bound(node, 1) is not None,
    "real_min": lambda node: bound(node, 0) or 0.0,
    "real_max": lambda node: bound(node, 1) or 0.0,
    "features": lambda node: node["features"].data,
    "time": lambda node: node["time"].data,
    "bias": bias_of,
}


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; the state is updated."""
    with np.errstate(over="ignore", invalid="ignore"):
        latest = sum_by_four(inputs[0][:, np.newaxis] * node["features"].data)
    return [filtered_over_time(node, latest, inputs[3], node["time"].data)]


def filtered_over_time(node: NodeView, latest: Array, state: Array, time: Array) -> Array:
    """y after the state has moved and taken in the latest products with the features."""
    p = of_facts(Params, node, FACTS)
    rows = state.reshape(p.batches, -1, p.memory)
    with np.errstate(over="ignore", invalid="ignore"):
        rows[..., :-1] = rows[..., 1:].copy()
        rows[..., -1] = latest
        filtered = sum_by_four(rows * time)
        y = sum_by_four(filtered.reshape(p.batches, p.units, p.rank)) + bias_of(node)
    if p.has_min:
        y = np.where(y > p.real_min, y, np.float32(p.real_min))
    if p.has_max:
        y = np.where(y < p.real_max, y, np.float32(p.real_max))
    return y


def sum_by_four(terms: Array) -> Array:
    """Sums over the last axis: four sums of every fourth term, added up, then the terms left."""
    whole = terms.shape[-1] // LANES * LANES
    lanes = np.zeros((*terms.shape[:-1], LANES), np.float32)
    for start in range(0, whole, LANES):
        lanes = lanes + terms[..., start : start + LANES]
    total = lanes[..., 0] + lanes[..., 1] + lanes[..., 2] + lanes[..., 3]
    for at in range(whole, terms.shape[-1]):
        total = total + terms[..., at]
    return total


PLAN = every_node(partial(of_facts, Params, facts=FACTS), partial(of_facts, Tables, facts=FACTS))
REFERENCE = Kernel("reference", Params, PLAN, Tables)
F32 = Variant(
    {"T": f32, "F": f32, "W": f32, "S": f32, "B": f32},
    (REFERENCE,),
    folder="f32",
    check=check,
    evaluate=evaluate,
    numerics=unlike_tflm(),
    examples=(
        Example.of(
            {"rank": 2, "activation": "RELU"},
            x=(1, 8),
            features=ExampleTensor(f32, (6, 8), data=np.arange(48) / 50),
            time=ExampleTensor(f32, (6, 4), data=np.arange(24) / 30),
            state=(1, 24),
            bias=ExampleTensor(f32, (3,), data=np.array([0.5, -1, 0])),
        ),
    ),
)
