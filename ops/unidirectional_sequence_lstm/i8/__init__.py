"""LSTM of int8: gates are Q3.12 and become Q0.15, cells are int16 whose scale is a power of two.

LiteRT quantises y like the last of five intermediate tensors, which the op needs for nothing else.
"""

from opsmith.op import *
from runtimes.core.accumulator import overflow_problems
from runtimes.core.fixed_activation import fixed_logistic, fixed_tanh
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, rounding_divide_by_pot
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.owning import with_least

from ..cell import GATES, RECURRENT, WEIGHTS, cell_problems, constant_examples, macs, over_steps
from .params import FACTS, HIDDEN, Ints, Params, sum_bounds, y_multiplier


@dataclass(frozen=True)
class Tables:
    """Weights and biases of the four gates; biases include zero points."""

    weights: NDArray[np.int8]  # [4][cells][depth]
    recurrent: NDArray[np.int8]  # [4][cells][cells]
    bias: NDArray[np.int32]  # [4][cells]
    recurrent_bias: NDArray[np.int32]  # [4][cells]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    weights = [name for name in (*WEIGHTS, *RECURRENT) if node.get(name) is not None]
    names = ("x", *weights, "output_state", "cell_state", "y")
    scales = node.attributes["intermediate_scales"]
    yield from (problems := list(per_tensor_problems(node, *names)))
    if len(scales) != HIDDEN + 1 or not scales[HIDDEN]:
        yield "the last of its five intermediate tensors must be quantised: y is as it says"
    elif not problems:
        yield from zero_problems(node, *weights, "cell_state")
        yield from cell_problems(node)
        yield from _sum_problems(node)
        y_multiplier(node)  # raises OpError where there is none


def _sum_problems(node: NodeView) -> Iterator[str]:
    for name, bounds, shift in sum_bounds(node):
        yield from (f"{name}: {each}" for each in overflow_problems(bounds, shift))


params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; both states are updated."""
    step = partial(_step, params(node), constants(node))
    return [over_steps(node, inputs, step)]


def _step(p: Params, tables: Tables, x: Ints, h: Ints, cells: Ints) -> tuple[Ints, Ints]:
    """Output and cells after one step: [batches][cells] each."""

    def gate(name: str) -> Ints:
        i = GATES.index(name)
        of_x = x @ tables.weights[i].T.astype(np.int64) + tables.bias[i]
        of_h = h @ tables.recurrent[i].T.astype(np.int64) + tables.recurrent_bias[i]
        scaled = _saturated(multiply_by_quantized_multiplier(of_x, p.x_multiplier[i], p.x_shift[i]))
        more = multiply_by_quantized_multiplier(of_h, p.h_multiplier[i], p.h_shift[i])
        return _saturated(scaled + more)

    forget = fixed_logistic(gate("forget"))
    update = i16.limits[1] - forget if p.coupled else fixed_logistic(gate("input"))
    kept = rounding_divide_by_pot(forget * cells, 15)
    added = rounding_divide_by_pot(update * fixed_tanh(gate("cell"), 3), 15 + p.cell_bits)
    cells = _saturated(kept + added)
    if p.cell_clip:
        cells = np.clip(cells, -p.cell_clip, p.cell_clip)
    product = fixed_logistic(gate("output")) * fixed_tanh(cells, p.cell_bits)
    y = multiply_by_quantized_multiplier(product, p.y_multiplier, p.y_shift) + p.y_zero_point
    return np.clip(y, *i8.limits), cells


def _saturated(x: Ints) -> Ints:
    return np.clip(x, *i16.limits)


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, constants),
    Tables,
    cost=instructions(macs, 8.0, 900.0),
)
EXAMPLE = Example(
    {
        "x": ExampleTensor(i8, (1, 3, 5), scale=0.05, zero_point=-3),
        **constant_examples(i8, i32, depth=5, cells=4, scale=0.01),
        "output_state": ExampleTensor(i8, (1, 4), scale=1 / 128),
        "cell_state": ExampleTensor(i16, (1, 4), scale=2.0**-11),
        "y": ExampleTensor(i8, (1, 3, 4), scale=1 / 128),
    },
    {
        "intermediate_scales": (0.0, 0.0, 0.0, 0.0, 1 / 128),
        "intermediate_zero_points": (0, 0, 0, 0, 0),
    },
)
I8 = Variant(
    {"T": i8, "W": i8, "C": i16, "B": i32},
    (REFERENCE,),
    folder="i8",
    check=check,
    evaluate=evaluate,
    numerics=unlike_tflm(),
    examples=(
        EXAMPLE,
        with_least(EXAMPLE, *WEIGHTS, *RECURRENT),
    ),
)
