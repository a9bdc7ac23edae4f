"""LSTM of float32, whose functions and orders of additions are those of LiteRT on x86.

LiteRT computes functions four elements at a time, and elements that fill no vector by the C
library: the place of a gate in LiteRT's scratch buffer decides which. Sums are those of a product
of a matrix and a vector, or of two matrices where several batches are time major. LiteRT adds long
sums of the latter in parts whose sizes follow its machine's caches; here they are added in one.
"""

from opsmith.op import *
from opsmith.op import f32 as float32
from runtimes.core.lane_dot import Floats
from runtimes.core.matrix_dot import DEEPEST, matrix_dots
from runtimes.core.tflm import unlike_tflm
from runtimes.core.vector_functions import logistic_in_place, vector_hyperbolic_tangent

from ..cell import (
    BIASES,
    GATES,
    RECURRENT,
    SIZES,
    WEIGHTS,
    CoupledSizes,
    clip_problems,
    constant_examples,
    macs,
    over_steps,
    stacked,
)

ONE = np.float32(1)
SLOTS = ("input", "cell", "forget", "output")  # gates in the order of LiteRT's scratch buffer


@dataclass(frozen=True, kw_only=True)
class Params(CoupledSizes):
    """Sizes, and the bound of cells."""

    cell_clip: float  # float32; 0: none


@dataclass(frozen=True)
class Tables:
    """Weights and biases of the input, forget, cell and output gates."""

    weights: NDArray[np.float32]  # [4][cells][depth]
    recurrent: NDArray[np.float32]  # [4][cells][cells]
    bias: NDArray[np.float32]  # [4][cells]


FACTS: Facts = {
    **SIZES,
    "cell_clip": lambda node: float(np.float32(node.attributes["cell_clip"])),
    "weights": lambda node: stacked(node, WEIGHTS),
    "recurrent": lambda node: stacked(node, RECURRENT),
    "bias": lambda node: stacked(node, BIASES),
}
params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def check(node: NodeView) -> Iterator[str]:
    """Problems of an activation that Keras does not have, and of the clip."""
    if node.attributes["activation"] != "TANH":
        yield f"activation {node.attributes['activation']} is not supported: it must be TANH"
    yield from clip_problems(node)


def inexact(node: NodeView) -> str:
    """Error of long sums, in which machines with LiteRT differ; "" for short sums."""
    p = params(node)
    if not p.time_major or p.batches == 1 or max(p.depth, p.cells) <= DEEPEST:
        return ""
    long = f"sums of more than {DEEPEST} products, which LiteRT adds up as its machine's caches are"
    return f"{long}: by about {spread(max(p.depth, p.cells)):.0e} of the largest product"


def spread(products: int) -> float:
    """Distance of outputs for two orders of additions, as a share of the largest product.

    Rounding errors add up like the steps of a random walk, in both orders.
    """
    return float(2 * np.sqrt(products) * np.finfo(np.float32).eps)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; both states are updated."""
    return [over_steps(node, inputs, partial(_step, params(node), constants(node)))]


def _step(p: Params, tables: Tables, x: Floats, h: Floats, cells: Floats) -> tuple[Floats, Floats]:
    """Output and cells after one step: [batches][cells] each."""

    def gate(name: str) -> Floats:
        i = GATES.index(name)
        of_x = _products(p, x, tables.weights[i]) + tables.bias[i]
        return np.asarray(_products(p, h, tables.recurrent[i]) + of_x, np.float32)

    return stepped(p, gate, cells)


def stepped(p: Params, gate: Callable[[str], Floats], cells: Floats) -> tuple[Floats, Floats]:
    """Output and cells after one step, from the gates before their functions."""
    forget = _logistic(p, "forget", gate("forget"))
    update = ONE - forget if p.coupled else _logistic(p, "input", gate("input"))
    cells = forget * cells + vector_hyperbolic_tangent(gate("cell")) * update
    if p.cell_clip > 0:
        clip = np.float32(p.cell_clip)
        cells = np.maximum(np.fmin(cells, clip), -clip)  # which replaces NaN
    output = _logistic(p, "output", gate("output"))
    return output * vector_hyperbolic_tangent(cells), cells


def _products(p: Params, x: Floats, weights: Floats) -> Floats:
    """Products [batches][cells], of all batches at once where they are time major."""
    if p.time_major:
        return matrix_dots(x, weights)
    return np.concatenate([matrix_dots(row[np.newaxis], weights) for row in x])


def _logistic(p: Params, gate: str, x: Floats) -> Floats:
    """Logistic function of a gate [batches][cells], by the place of each element in a vector."""
    first = (SLOTS.index(gate) - p.coupled) * x.size
    if p.time_major:
        return logistic_in_place(x.reshape(-1), first).reshape(x.shape)
    rows = [logistic_in_place(row, first + i * p.cells) for i, row in enumerate(x)]
    return np.stack(rows)


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, constants),
    Tables,
    cost=instructions(macs, 5.1, 1210.0),
)
F32 = Variant(
    dict.fromkeys("TWCB", float32),
    (REFERENCE,),
    folder="f32",
    inexact=inexact,
    check=check,
    evaluate=evaluate,
    numerics=unlike_tflm(),
    examples=(
        Example(
            {
                "x": ExampleTensor(float32, (1, 3, 5)),
                **constant_examples(float32, float32, depth=5, cells=4),
                "output_state": ExampleTensor(float32, (1, 4)),
                "cell_state": ExampleTensor(float32, (1, 4)),
                "y": ExampleTensor(float32, (1, 3, 4)),
            },
        ),
    ),
)
