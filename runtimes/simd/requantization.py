"""Constants by which vectors of sums become int8, for every rule: the numpy half of rules.h.

The constants need no proof: the kernels do the operations of the rule itself in all lanes.
"""

from opsmith.op import *
from runtimes.core.accumulator import accumulator_bounds
from runtimes.core.per_channel import bias_of
from runtimes.core.rescaling import FixedPoint, Ints, Narrow, Scales, Singles
from runtimes.families.layer import Layer
from runtimes.simd.instruction_sets import blocks

RULES = (FixedPoint, Singles, Scales)
MAGNITUDE = len(RULES)  # fixed point, rounded once
CONSTANTS = 4  # words of a channel
_BITS = 1 << 31


@dataclass(frozen=True, kw_only=True)
class Requantized:
    """Bounds and zero point of y, and the rule of rules.h."""

    output_zero_point: int
    activation_min: int
    activation_max: int
    rule: int


def rule_of(layer: Layer, node: NodeView) -> int | Refused:
    """Number of the node's rule in rules.h, or Refused where sums may overflow."""
    rescaling = layer.rescaling(node)
    assert not isinstance(rescaling, Narrow)
    if isinstance(rescaling, FixedPoint):
        multipliers, shifts = rescaling.constants
        bounds = accumulator_bounds(node["x"], layer.lifted_rows(node), bias_of(node))
        if np.any(bounds >= _BITS):
            return Refused("a sum may need more than 32 bits")
        if _are_symmetrical(bounds, multipliers, shifts):
            return MAGNITUDE
    return RULES.index(type(rescaling))


def _are_symmetrical(bounds: Ints, multipliers: Ints, shifts: Ints) -> bool:
    """True if each negative sum gives the negated output of its magnitude.

    The second rounding takes halves away from zero, the first one up, so no product of the first
    may be halfway between integers, as with a sum that has the powers of two that its multiplier
    lacks.
    """
    least = (_BITS >> 1) // np.maximum(multipliers & -multipliers, 1)
    return not np.any((shifts > 0) | (bounds >= least) & (multipliers > 0))


def constants(
    layer: Layer,
    node: NodeView,
    origin: int,
    width: int,
    order: NDArray[np.int64] | None = None,
    groups: int = 1,
) -> NDArray[np.int32]:
    """Constants [block][constant][channel] of a node whose kernel subtracts `origin` from inputs.

    Biases wrap as sums do. `order` permutes channels of a block, and constants then come by half
    blocks, a vector each. Blocks of `groups` of channels are apart.
    """
    rows, rescaling = layer.lifted_rows(node).astype(np.int64), layer.rescaling(node)
    bias = bias_of(node) + (origin - node["x"].zero_point) * rows.sum(axis=1)
    words = [bias.astype(np.uint32).astype(np.int32)]
    if isinstance(rescaling, FixedPoint):
        multipliers, shifts = rescaling.constants
        right = np.maximum(-shifts, 0)
        if rule_of(layer, node) == MAGNITUDE:  # halves of both roundings are added at once
            words += [(2 * multipliers).astype(np.uint32).view(np.int32), 1 << right >> 1, right]
        else:
            words += [multipliers, np.maximum(shifts, 0), right]
    elif isinstance(rescaling, Singles):
        words.append(rescaling.factors.view(np.int32))
    else:
        scales = np.broadcast_to(rescaling.slope, len(rows)) if isinstance(rescaling, Scales) else 0
        words += list(np.ascontiguousarray(scales, np.float64).view(np.int32).reshape(-1, 2).T)
    table = np.zeros((len(rows), CONSTANTS), np.int32)
    table[:, : len(words)] = np.stack([np.asarray(each, np.int32) for each in words], axis=1)
    lanes = width if order is None else width // 2
    apart = blocks(table, width, groups)
    apart = apart if order is None else apart[:, order]
    vectors = apart.reshape(-1, lanes, CONSTANTS).transpose(0, 2, 1)
    if isinstance(rescaling, Scales):  # a double takes two words of its lane
        pairs = vectors[:, 1:3].transpose(0, 2, 1).reshape(len(vectors), 2, lanes)
        vectors = np.concatenate([vectors[:, :1], pairs, vectors[:, 3:]], axis=1)
    return np.ascontiguousarray(vectors).reshape(-1)
