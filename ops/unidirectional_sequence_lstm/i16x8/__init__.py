"""LSTM of int16 by int8 weights, as in TensorFlow Lite Micro; LiteRT has none.

Gates are Q3.12 and become Q0.15 by samples of the logistic function; products are rounded in Q31
fixed point. y has the quantisation of the output state.
"""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.core.narrow_requantization import LEFT, LIMIT, LOWEST
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.core.rescaling import Narrow
from runtimes.families.sigmoid import logistic_at, tangent_at

from ..cell import (
    BIASES,
    GATES,
    RECURRENT,
    WEIGHTS,
    cell_problems,
    constant_examples,
    coupled,
    gate_multipliers,
    macs,
    over_steps,
    stacked,
)
from .params import FACTS, ONE, OPERANDS, Ints, Params


@dataclass(frozen=True)
class Tables:
    """Weights and biases of the four gates, and samples of the logistic function."""

    weights: NDArray[np.int8]  # [4][cells][depth]
    recurrent: NDArray[np.int8]  # [4][cells][cells]
    bias: NDArray[np.int64]  # [4][cells]
    samples: NDArray[np.uint16]  # of the logistic function, times 2^16


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    if coupled(node):
        yield "the input gate must have weights"
        return
    if node.attributes["activation"] != "TANH":
        yield f"activation {node.attributes['activation']} is not supported"
    names = ("x", *WEIGHTS, *RECURRENT, "output_state", "cell_state")
    yield from (problems := list(per_tensor_problems(node, *names)))
    if not problems:
        yield from zero_problems(node, *names)
        yield from cell_problems(node)
        yield from _sum_problems(node)
        of_facts(Params, node, FACTS)  # raises OpError where there is no multiplier


def _sum_problems(node: NodeView) -> Iterator[str]:
    for x, names in OPERANDS.items():
        biases = stacked(node, BIASES) if x == "x" else np.zeros(len(GATES), np.int64)
        pairs = zip(names, gate_multipliers(node, x, names), biases, strict=True)
        for name, (multiplier, shift), bias in pairs:
            sums = np.abs(node[name].data.astype(np.int64)).sum(axis=1) * LOWEST
            bound = int((sums + np.abs(bias)).max())
            if shift >= LEFT or bound >= LIMIT or bound * multiplier >= 1 << (62 - shift):
                yield f"{name}: a sum may overflow"


params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; both states are updated."""
    return [over_steps(node, inputs, partial(_step, params(node), constants(node)))]


def _step(p: Params, tables: Tables, x: Ints, h: Ints, cells: Ints) -> tuple[Ints, Ints]:
    """Output and cells after one step: [batches][cells] each."""

    def position(name: str) -> Ints:
        i = GATES.index(name)
        of_x = x @ tables.weights[i].T.astype(np.int64) + tables.bias[i]
        of_h = h @ tables.recurrent[i].T.astype(np.int64)
        scaled = _narrowed(of_x, p.x_multiplier[i], p.x_shift[i])
        return 3 * _saturated(scaled + _narrowed(of_h, p.h_multiplier[i], p.h_shift[i]))

    def product(a: Ints, b: Ints, multiplier: int, shift: int) -> Ints:
        return _saturated(multiply_by_quantized_multiplier(a * b, multiplier, shift))

    kept = product(logistic_at(position("forget")), cells, p.kept_multiplier, p.kept_shift)
    update, candidate = logistic_at(position("input")), tangent_at(position("cell"))
    cells = _saturated(kept + product(update, candidate, p.added_multiplier, p.added_shift))
    if p.cell_clip:
        cells = np.clip(cells, -p.cell_clip, p.cell_clip)
    half = 1 << p.cell_shift >> 1
    shown = tangent_at((cells * p.cell_multiplier + half) >> p.cell_shift)
    output = logistic_at(position("output"))
    return product(shown, output, p.y_multiplier, p.y_shift), cells


def _narrowed(sums: Ints, multiplier: int, shift: int) -> Ints:
    rescaling = Narrow(np.int16(multiplier).tobytes(), np.int8(shift).tobytes())
    return _saturated(rescaling(sums))


def _saturated(x: Ints) -> Ints:
    return np.clip(x, *i16.limits)


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, constants),
    Tables,
    cost=instructions(macs, 6.0, 360.0),
)
I16X8 = Variant(
    {"T": i16, "W": i8, "C": i16, "B": i64},
    (REFERENCE,),
    folder="i16x8",
    departs=no_kernel("int16"),
    check=check,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 3, 5), scale=0.001),
                **constant_examples(i8, i64, depth=5, cells=4, scale=0.01),
                "output_state": ExampleTensor(i16, (1, 4), scale=ONE),
                "cell_state": ExampleTensor(i16, (1, 4), scale=2.0**-11),
                "y": ExampleTensor(i16, (1, 3, 4), scale=ONE),
            }
        ),
    ),
)
