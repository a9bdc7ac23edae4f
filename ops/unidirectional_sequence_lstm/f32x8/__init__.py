"""LSTM of float32 by int8 weights: x and the last output are quantised in each step."""

from opsmith.op import *
from runtimes.core.accumulator import LIMIT
from runtimes.core.dynamic_range import quantised
from runtimes.core.lane_dot import Floats
from runtimes.core.notebook import OPTIMISED
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.dynamic_range import NO_RANGE, WeightRows

from .. import f32 as real
from ..cell import GATES, RECURRENT, WEIGHTS, constant_examples, macs, over_steps

LARGEST_PRODUCT = 255 * 128
SCRATCH = {"row": i8, "last": i8}


@dataclass(frozen=True, kw_only=True)
class Params(real.Params):
    """Params of float32, and the quantisation of x and the last output."""

    asymmetric_quantize_inputs: bool  # by their range, not by their largest magnitude


@dataclass(frozen=True)
class Tables:
    """Weights, scales and biases of the input, forget, cell and output gates."""

    weights: NDArray[np.int8]  # [4][cells][depth]
    recurrent: NDArray[np.int8]  # [4][cells][cells]
    bias: NDArray[np.float32]  # [4][cells]
    weights_scale: NDArray[np.float32]  # [4]
    recurrent_scale: NDArray[np.float32]  # [4]


def scales(node: NodeView, names: Sequence[str]) -> NDArray[np.float32]:
    """Scales of the weights of all gates; 0 for a gate without weights."""
    found = (node.get(name) for name in names)
    return np.array([0.0 if each is None else each.scale for each in found], np.float32)


FACTS: Facts = {
    **real.FACTS,
    "weights_scale": lambda node: scales(node, WEIGHTS),
    "recurrent_scale": lambda node: scales(node, RECURRENT),
}
params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def gate_rows(node: NodeView) -> tuple[WeightRows, WeightRows]:
    """Rows of all gates, of x and of the last output, whose biases of -0 change no sum."""
    found = constants(node)
    scales, none = (found.weights_scale, found.recurrent_scale), np.full_like(found.bias, -0.0)
    x, h = (
        WeightRows(rows.reshape(bias.size, -1), np.repeat(scale, bias.shape[1]), bias.ravel())
        for rows, scale, bias in zip(
            (found.weights, found.recurrent), scales, (found.bias, none), strict=True
        )
    )
    return x, h


def check(node: NodeView) -> Iterator[str]:
    """Problems of float32, and of weights that are not quantised symmetrically per tensor."""
    yield from real.check(node)
    names = [name for name in (*WEIGHTS, *RECURRENT) if node.get(name) is not None]
    yield from (problems := list(per_tensor_problems(node, *names)))
    if not problems:
        yield from zero_problems(node, *names)
    p = params(node)
    if max(p.depth, p.cells) * LARGEST_PRODUCT > LIMIT:
        yield "a sum may overflow 32 bits"


def plan(node: NodeView) -> Plan:
    """Plan with scratch for a row of x and the last output, which each step quantises."""
    p = params(node)
    return Plan(p, partial(constants, node), {"row": p.depth, "last": p.cells})


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; both states are updated."""
    return [over_steps(node, inputs, partial(_step, params(node), constants(node)))]


def _step(p: Params, tables: Tables, x: Floats, h: Floats, cells: Floats) -> tuple[Floats, Floats]:
    """Output and cells after one step: [batches][cells] each."""
    rows, lasts = (quantised(each, p.asymmetric_quantize_inputs) for each in (x, h))

    def gate(name: str) -> Floats:
        i = GATES.index(name)
        of_x = tables.bias[i] + _products(rows, tables.weights[i], tables.weights_scale[i])
        of_h = _products(lasts, tables.recurrent[i], tables.recurrent_scale[i])
        return np.asarray(of_x + of_h, np.float32)

    return real.stepped(p, gate, cells)


def _products(rows: tuple[Array, Floats], weights: NDArray[np.int8], scale: np.float32) -> Floats:
    """Products [batches][cells] of quantised rows and weights, as float32."""
    elements, of_rows = rows
    sums: Floats = (elements @ weights.astype(np.int64).T).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        return sums * (of_rows * scale)


F32X8 = Variant(
    {"T": f32, "W": i8, "C": f32, "B": f32},
    (
        Kernel(
            "reference",
            Params,
            plan,
            Tables,
            scratch=SCRATCH,
            cost=instructions(macs, 9.5, 760.0),
        ),
    ),
    folder="f32x8",
    departs=NO_RANGE,
    check=check,
    evaluate=evaluate,
    numerics={**OPTIMISED, **unlike_tflm()},
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (1, 3, 5)),
                **constant_examples(i8, f32, depth=5, cells=4, scale=0.01),
                "output_state": ExampleTensor(f32, (1, 4)),
                "cell_state": ExampleTensor(f32, (1, 4)),
                "y": ExampleTensor(f32, (1, 3, 4)),
            },
        ),
    ),
)
