"""SVDF of int8, with a state of int16 or int8."""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_channel import bias_of
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.owning import with_least

from .params import FACTS, Params, macs, ratios


@dataclass(frozen=True)
class Tables:
    """Features, weights over time, and biases, in the model's order."""

    features: NDArray[np.int8]  # [filters][depth]
    time: NDArray[np.int16]  # [filters][memory]
    bias: NDArray[np.int32]  # [units]


@dataclass(frozen=True)
class ByteTables:
    """Features, weights over time, and biases, for a state of int8."""

    features: NDArray[np.int8]  # [filters][depth]
    time: NDArray[np.int8]  # [filters][memory]
    bias: NDArray[np.int32]  # [units]


def integers(state: DType, tables: type[Any]) -> Variant:
    """int8 variant with weights over time of the state's type."""
    plan = every_node(
        partial(of_facts, Params, facts=FACTS), partial(of_facts, tables, facts=FACTS)
    )
    example = Example.of(
        {"rank": 2, "activation": "RELU"},
        x=ExampleTensor(i8, (1, 8), scale=0.05),
        features=ExampleTensor(i8, (6, 8), scale=0.01, data=np.arange(48)),
        time=ExampleTensor(state, (6, 4), scale=0.001, data=np.arange(24)),
        state=ExampleTensor(state, (1, 24), scale=0.01),
        bias=ExampleTensor(i32, (3,), data=np.array([10, -10, 0])),
        y=ExampleTensor(i8, (1, 3), scale=0.05),
    )
    reference = Kernel("reference", Params, plan, tables, cost=instructions(macs, 8.0, 40.0))
    return Variant(
        {"T": i8, "F": i8, "W": state, "S": state, "B": i32},
        (reference,),
        check=check,
        evaluate=evaluate,
        numerics={**unlike_tflm(), **(OPTIMISED if state == i8 else {})},
        examples=(example, with_least(example, "features")),
    )


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation and bias that this arithmetic cannot take."""
    names = ("x", "features", "time", "state", "y")
    yield from (problems := list(per_tensor_problems(node, *names)))
    if problems:
        return
    symmetric = ("features", "time") if node["state"].dtype == i8 else ("features", "time", "state")
    yield from zero_problems(node, *symmetric)
    bias, units = node.get("bias"), node["y"].shape[1]
    if bias is not None and bias.elements != units:
        yield f"bias has {bias.elements} elements instead of {units}"
    if node["x"].shape[1] * 255 * 128 > LIMIT:
        yield "a sum of features may overflow 32 bits"
    ratios(node)  # raises OpError where they have no multiplier


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; the state is updated. Sums over time wrap at 32 bits."""
    p = of_facts(Params, node, FACTS)
    x, state = inputs[0].astype(np.int64) - p.x_zero_point, inputs[3]
    sums = x @ node["features"].data.astype(np.int64).T
    latest = multiply_by_quantized_multiplier(sums, p.state_multiplier, p.state_shift)
    rows = state.reshape(p.batches, -1, p.memory)
    rows[..., :-1] = rows[..., 1:].copy()
    rows[..., -1] = np.clip(latest + p.state_zero_point, *node["state"].dtype.limits)
    moments = rows.astype(np.int64) - p.state_zero_point
    filtered = (moments * node["time"].data).sum(axis=-1)
    units = filtered.reshape(p.batches, p.units, p.rank).sum(axis=-1) + bias_of(node)
    wrapped = units.astype(np.int32).astype(np.int64)
    y = multiply_by_quantized_multiplier(wrapped, p.y_multiplier, p.y_shift) + p.y_zero_point
    return [np.clip(y, *i8.limits).astype(np.int8)]
