"""Params of int8 kernels of LSTM."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier

from ..cell import (
    BIASES,
    RECURRENT,
    SIZES,
    WEIGHTS,
    CoupledSizes,
    cell_clip,
    cell_power,
    gate_multipliers,
    stacked,
)

Ints = NDArray[np.int64]
HIDDEN = 4  # the intermediate tensor that y is quantised as


@dataclass(frozen=True, kw_only=True)
class Params(CoupledSizes):
    """Sizes, and requantisation of each gate's sums of x and of the previous output."""

    cell_bits: int  # integer bits of the cell state
    cell_clip: int  # 0: none
    x_multiplier: Annotated[tuple[int, ...], i32, 4]  # Q31
    x_shift: Annotated[tuple[int, ...], i8, 4]
    h_multiplier: Annotated[tuple[int, ...], i32, 4]
    h_shift: Annotated[tuple[int, ...], i8, 4]
    y_multiplier: int
    y_shift: int
    y_zero_point: int


def biases(node: NodeView, x: str, names: Sequence[str]) -> Ints:
    """Biases [4][cells] of the sums of each gate, with the share of the zero point of x."""
    sums = stacked(node, names).sum(axis=-1, dtype=np.int64)
    biases = stacked(node, BIASES) if x == "x" else np.zeros_like(sums)
    return np.asarray(biases - node[x].zero_point * sums, np.int64)


def sum_bounds(node: NodeView) -> Iterator[tuple[str, Ints, int]]:
    """Name of each constant of weights, largest magnitudes of its sums, one for each row, and the
    number of bits by which these are shifted to the left.
    """
    for x, names in (("x", WEIGHTS), ("output_state", RECURRENT)):
        sums = zip(names, gate_multipliers(node, x, names), biases(node, x, names), strict=True)
        for name, (_, shift), bias in sums:
            weights = node.get(name)
            if weights is not None:
                yield (
                    name,
                    np.abs(weights.data.astype(np.int64)).sum(axis=1) * 128 + np.abs(bias),
                    shift,
                )


def y_multiplier(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) of the product that makes y. Raises OpError where it has none."""
    ratio = 2.0**-15 / node.attributes["intermediate_scales"][HIDDEN] * 2.0**-15
    with np.errstate(over="ignore"):
        return quantize_multiplier(float(np.float32(ratio)))


FACTS: Facts = {
    **SIZES,
    "cell_bits": lambda node: 15 + cell_power(node)[0],
    "cell_clip": cell_clip,
    "x_multiplier": lambda node: tuple(m for m, _ in gate_multipliers(node, "x", WEIGHTS)),
    "x_shift": lambda node: tuple(s for _, s in gate_multipliers(node, "x", WEIGHTS)),
    "h_multiplier": lambda node: tuple(
        m for m, _ in gate_multipliers(node, "output_state", RECURRENT)
    ),
    "h_shift": lambda node: tuple(s for _, s in gate_multipliers(node, "output_state", RECURRENT)),
    "y_multiplier": lambda node: y_multiplier(node)[0],
    "y_shift": lambda node: y_multiplier(node)[1],
    "y_zero_point": lambda node: node.attributes["intermediate_zero_points"][HIDDEN],
    "weights": lambda node: stacked(node, WEIGHTS),
    "recurrent": lambda node: stacked(node, RECURRENT),
    "bias": lambda node: biases(node, "x", WEIGHTS).astype(np.int32),
    "recurrent_bias": lambda node: biases(node, "output_state", RECURRENT).astype(np.int32),
}
