"""LSTM of int16 with 32-bit sums: requantisation by a single multiplication."""

from opsmith.op import *
from runtimes.core.narrow_requantization import LOWEST

from ..cell import BIASES, by_cells, stacked
from .params import FACTS, OPERANDS, narrow_multipliers

MATRICES = ("weights", "recurrent")
SHIFT = 32  # to the right, of all products
SHIFTS = range(16, SHIFT + 1)  # of the model that multipliers can be scaled to


@dataclass(frozen=True)
class NarrowGateSums:
    """Biases, and multipliers of each gate's sums: round(sum * multiplier / 2^32), ties up."""

    x_multiplier: tuple[int, ...]
    h_multiplier: tuple[int, ...]
    bias: NDArray[np.int32]  # [cells][4]


def narrow_sums(node: NodeView) -> NarrowGateSums | Refused:
    """Multipliers of a node's 32-bit sums, or Refused for 64-bit sums or another shift."""
    bias = stacked(node, BIASES)
    sums = {name: np.abs(FACTS[name](node).astype(np.int64)).sum(axis=-1) for name in MATRICES}
    largest = max((LOWEST * sums["weights"] + np.abs(bias)).max(), LOWEST * sums["recurrent"].max())
    if largest > np.iinfo(np.int32).max:
        return Refused("a sum may need 64 bits")
    found = []
    for name in OPERANDS:
        multipliers, shifts = narrow_multipliers(node, name)
        if others := {*shifts} - {*SHIFTS}:
            return Refused(f"sums are shifted to the right by {min(others)}, not 16 to {SHIFT}")
        found.append(tuple(m << SHIFT - n for m, n in zip(multipliers, shifts, strict=True)))
    return NarrowGateSums(found[0], found[1], by_cells(bias).astype(np.int32))
