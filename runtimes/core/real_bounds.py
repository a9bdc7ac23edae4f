"""Bounds that fused activations put on floats: real_bounds.h in numpy."""

from opsmith.op import *

# activation -> its least and greatest value; None: no bound
ACTIVATIONS: dict[str, tuple[float | None, float | None]] = {
    "NONE": (None, None),
    "RELU": (0.0, None),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """Params of kernels that bound float32 outputs."""

    has_low: bool
    has_high: bool
    low: float  # float32
    high: float


def _bounds(node: NodeView) -> tuple[float | None, float | None]:
    return ACTIVATIONS.get(node.attributes["activation"], (None, None))


FACTS = {
    "has_low": lambda node: _bounds(node)[0] is not None,
    "has_high": lambda node: _bounds(node)[1] is not None,
    "low": lambda node: _bounds(node)[0] or 0.0,
    "high": lambda node: _bounds(node)[1] or 0.0,
}


def bounded(p: Bounded, y: Array) -> Array:
    """y clamped to the bounds."""
    y = np.where(y > p.low, y, np.float32(p.low)) if p.has_low else y
    return np.where(y > p.high, np.float32(p.high), y) if p.has_high else y
