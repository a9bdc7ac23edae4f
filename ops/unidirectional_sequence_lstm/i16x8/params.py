"""Params of int16 kernels of LSTM."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.narrow_requantization import halved
from runtimes.families.sigmoid import SAMPLES

from ..cell import (
    BIASES,
    RECURRENT,
    SIZES,
    WEIGHTS,
    CellSizes,
    cell_clip,
    cell_power,
    gate_multipliers,
    stacked,
)

Ints = NDArray[np.int64]
ONE = 2.0**-15  # the scale of gates
OPERANDS = {"x": WEIGHTS, "output_state": RECURRENT}


@dataclass(frozen=True, kw_only=True)
class Cells(CellSizes):
    """Sizes, and requantisation of products and states."""

    cell_clip: int  # 0: none
    cell_multiplier: int  # of a cell, to a position between samples
    cell_shift: int  # to the right
    kept_multiplier: int  # Q31, of the forget gate times a cell
    kept_shift: int
    added_multiplier: int  # of the input gate times the cell gate
    added_shift: int
    y_multiplier: int
    y_shift: int


@dataclass(frozen=True, kw_only=True)
class Params(Cells):
    """Cells, and requantisation of sums of x and of the previous output."""

    x_multiplier: Annotated[tuple[int, ...], i32, 4]  # Q15
    x_shift: Annotated[tuple[int, ...], i8, 4]  # to the right
    h_multiplier: Annotated[tuple[int, ...], i32, 4]
    h_shift: Annotated[tuple[int, ...], i8, 4]


def narrow_multipliers(node: NodeView, x: str) -> tuple[list[int], list[int]]:
    """(Q15 multipliers, right shifts) of the sums of each gate."""
    found = np.array(gate_multipliers(node, x, OPERANDS[x]))
    multipliers, shifts = halved(found[:, 0], found[:, 1])
    return multipliers.tolist(), shifts.tolist()


def _products(node: NodeView) -> dict[str, tuple[int, int]]:
    """(multiplier, left shift) of each product, in double precision."""
    cells, y = node["cell_state"].scale, node["output_state"].scale
    ratios = {"kept": ONE * cells / cells, "added": ONE * ONE / cells, "y": ONE * ONE / y}
    return {name: quantize_multiplier(ratio) for name, ratio in ratios.items()}


def _cell_shift(node: NodeView) -> int:
    """Left shift from the scale of cells to that of gates."""
    return cell_power(node)[0] + 12


FACTS: Facts = {
    **SIZES,
    "cell_clip": cell_clip,
    "cell_multiplier": lambda node: 3 << max(_cell_shift(node), 0),
    "cell_shift": lambda node: max(-_cell_shift(node), 0),
    "x_multiplier": lambda node: tuple(narrow_multipliers(node, "x")[0]),
    "x_shift": lambda node: tuple(narrow_multipliers(node, "x")[1]),
    "h_multiplier": lambda node: tuple(narrow_multipliers(node, "output_state")[0]),
    "h_shift": lambda node: tuple(narrow_multipliers(node, "output_state")[1]),
    "kept_multiplier": lambda node: _products(node)["kept"][0],
    "kept_shift": lambda node: _products(node)["kept"][1],
    "added_multiplier": lambda node: _products(node)["added"][0],
    "added_shift": lambda node: _products(node)["added"][1],
    "y_multiplier": lambda node: _products(node)["y"][0],
    "y_shift": lambda node: _products(node)["y"][1],
    "weights": lambda node: stacked(node, WEIGHTS),
    "recurrent": lambda node: stacked(node, RECURRENT),
    "bias": lambda node: stacked(node, BIASES),
    "samples": lambda node: SAMPLES.astype(np.uint16),
}
