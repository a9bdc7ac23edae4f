"""SignalWindow: every row of 16-bit samples times a window of fixed-point weights.

Defined by TensorFlow Lite Micro (signal/src/window.cc): products are shifted right, rounding
down, and saturate.
"""

from opsmith.op import *
from runtimes.families.signal import Shape, signal


@dataclass(frozen=True)
class Params(Rows):
    """Number and size of the rows, and the fraction bits of the weights."""

    shift: int  # fraction bits of the weights


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y, which is x's."""
    x, weights = node["x"], node["weights"]
    if not x.shape or weights.shape != x.shape[-1:]:
        raise OpError(f"weights {weights.type} must be a vector as long as a row of x {x.type}")
    return [x.shape]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Products with the window, in numpy."""
    products = inputs[0].astype(np.int64) * inputs[1]
    whole = products // (1 << node.attributes["shift"])
    return [np.clip(whole, *i16.limits).astype(np.int16)]


OP = signal(
    "signal_window",
    "SignalWindow",
    inputs={"x": i16, "weights": i16},
    outputs={"y": i16},
    kernels=(reference(Params, cost=per_element(13.0)),),
    example={"x": (16,), "weights": (16,), "shift": 12},
    integers={"shift": 32},
    shapes=shapes,
    evaluate=evaluate,
)
