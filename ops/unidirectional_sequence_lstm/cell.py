"""Operands of an LSTM, and facts of nodes of all element types."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier

GROUP = 256  # work-items for a batch
GROUPS = 16  # that a GPU computes at a time, at least; fewer leave part of it idle
# (x, output, cells) -> output and cells one step later, of all batches
Step = Callable[[Array, Array, Array], tuple[Array, Array]]

GATE_SCALE = np.float32(2.0**-12)  # of sums
GATES = ("input", "forget", "cell", "output")
WEIGHTS = tuple(f"{gate}_weights" for gate in GATES)  # [cells][depth]
RECURRENT = tuple(f"{gate}_recurrent" for gate in GATES)  # [cells][cells]
BIASES = tuple(f"{gate}_bias" for gate in GATES)
PEEPHOLES = ("input_peephole", "forget_peephole", "output_peephole")
NORMS = tuple(f"{gate}_norm" for gate in GATES)


def coupled(node: NodeView) -> bool:
    """True if the input gate is one minus the forget gate, and has no weights."""
    return node.get("input_weights") is None


def gates(node: NodeView) -> tuple[str, ...]:
    """Gates that have weights."""
    return GATES[1:] if coupled(node) else GATES


def macs(node: NodeView) -> int:
    """Number of multiplications with weights, of x and of the previous output."""
    rows = node["x"].elements // node["x"].shape[2]
    weights = node["forget_weights"].elements + node["forget_recurrent"].elements
    return rows * len(gates(node)) * weights


def stacked(node: NodeView, names: Sequence[str]) -> Array:
    """Constants of these names for all gates; zeros for a gate without weights."""
    forget = node[names[1]].data
    found = (node.get(name) for name in names)
    return np.stack([np.zeros_like(forget) if each is None else each.data for each in found])


def by_cells(constants: NDArray[Any]) -> NDArray[Any]:
    """Constants [4][cells][any] as [4 * cells][any]: the four gates of each cell together."""
    swapped = np.swapaxes(constants, 0, 1)
    return swapped.reshape(-1, *swapped.shape[2:])


def operand_problems(node: NodeView) -> Iterator[str]:
    """Sentences about inputs that belong together, and inputs that are not supported."""
    of_input = [node.get(names[0]) is None for names in (WEIGHTS, RECURRENT, BIASES)]
    if len({*of_input}) > 1:
        yield "the input gate must have weights, recurrent weights and a bias, or none of them"
    unsupported = {
        "peephole weights": PEEPHOLES,
        "projection weights": ("projection_weights", "projection_bias"),
        "coefficients of layer normalisation": NORMS,
    }
    for what, names in unsupported.items():
        if any(node.get(name) is not None for name in names):
            yield f"{what} are not supported"


def clip_problems(node: NodeView) -> Iterator[str]:
    """Sentence about a bound of cells that LiteRT refuses."""
    if node.attributes["cell_clip"] < 0:
        yield f"cell_clip {node.attributes['cell_clip']} is not 0 or more"


def cell_problems(node: NodeView) -> Iterator[str]:
    """Sentences about quantised cells without a tanh in fixed point, or with a wrong bound."""
    power, exact = cell_power(node)
    if not exact or not -15 <= power <= -9:
        yield f"cell_state has scale {node['cell_state'].scale}, not a power of 2 from -15 to -9"
    yield from clip_problems(node)


def cell_power(node: NodeView) -> tuple[int, bool]:
    """Power of two nearest to the scale of cells, and whether LiteRT takes the scale for it."""
    power = np.log(np.float32(node["cell_state"].scale)) * (np.float32(1) / np.log(np.float32(2)))
    return round(float(power)), bool(abs(power - np.round(power)) < 1e-3)


def cell_clip(node: NodeView) -> int:
    """Bound of quantised cells; 0 for none."""
    clip, scale = (np.float32(x) for x in (node.attributes["cell_clip"], node["cell_state"].scale))
    return int(np.clip(clip / scale, *i16.limits))


def gate_multipliers(node: NodeView, x: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """(multiplier, shift) of each gate's sums, in single precision; zeros without weights."""
    found = (node.get(name) for name in names)
    return [(0, 0) if each is None else _multiplier(node[x], each) for each in found]


def _multiplier(x: Tensor, weights: Tensor) -> tuple[int, int]:
    with np.errstate(over="ignore"):
        ratio = np.float32(weights.scale) * np.float32(x.scale) / GATE_SCALE
    return quantize_multiplier(float(ratio))


def batch_groups(node: NodeView) -> Work:
    """Index space of a GPU with a group of work-items for each batch."""
    return Work((SIZES["batches"](node) * GROUP,), (GROUP,))


def device_cost(node: NodeView) -> float:
    """Cost of kernels on a GPU, of which a batch fills only a part."""
    alone = max(1.0, GROUPS / int(SIZES["batches"](node)))
    return alone * (4.0 * macs(node) + 400.0 * node["y"].elements)


@dataclass(frozen=True, kw_only=True)
class CellSizes:
    """Sizes that all params have: layout of x in memory, steps, batches and cells."""

    steps: int
    batches: int
    time_major: bool
    depth: int  # elements of x in a step
    cells: int


@dataclass(frozen=True, kw_only=True)
class CoupledSizes(CellSizes):
    """Sizes of nodes whose input gate may have no weights."""

    coupled: bool  # the input gate is one minus the forget gate


SIZES: Facts = {
    "steps": lambda node: node["x"].shape[0 if node.attributes["time_major"] else 1],
    "batches": lambda node: node["x"].shape[1 if node.attributes["time_major"] else 0],
    "depth": lambda node: node["x"].shape[2],
    "cells": lambda node: node["forget_weights"].shape[0],
    "coupled": coupled,
}


def over_steps(node: NodeView, inputs: Sequence[Array], step: Step) -> Array:
    """y of all steps; the states become those after the last step."""
    x, output_state, cell_state = inputs[:3]
    shape = SIZES["batches"](node), SIZES["cells"](node)
    h, cells = output_state.reshape(shape), cell_state.reshape(shape)
    time = 0 if node.attributes["time_major"] else 1
    y = np.empty(node["y"].shape, output_state.dtype)
    for row_of_x, row_of_y in zip(np.moveaxis(x, time, 0), np.moveaxis(y, time, 0), strict=True):
        h[:], cells[:] = step(_wide(row_of_x), _wide(h), _wide(cells))
        row_of_y[:] = h
    return y


def _wide(x: Array) -> Array:
    return x.astype(np.int64) if x.dtype.kind == "i" else x


def constant_examples(
    weights: DType, biases: DType, *, depth: int, cells: int, scale: float | None = None
) -> dict[str, ExampleTensor]:
    """Constants of all gates, for examples."""
    columns = dict.fromkeys(WEIGHTS, depth) | dict.fromkeys(RECURRENT, cells)
    found = {
        name: ExampleTensor(weights, (cells, n), scale, data=np.arange(cells * n).reshape(cells, n))
        for name, n in columns.items()
    }
    return found | {name: ExampleTensor(biases, (cells,), data=np.arange(cells)) for name in BIASES}
