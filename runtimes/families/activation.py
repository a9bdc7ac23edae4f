"""Ops that are TFLite's activations: integers in another quantisation, and floats, clamped."""

from opsmith.op import *
from runtimes.core.tflm import unlike_tflm
from runtimes.families.unary import X_TO_Y, by_reference, clamps, ratio_differs, rescaled, unary

REAL_BOUNDS = {
    "RELU": (0.0, math.inf),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
    "RELU_0_TO_1": (0.0, 1.0),
}


@dataclass(frozen=True)
class Bounds:
    """Params of a float32 activation: number of elements, and bounds of y."""

    elements: int
    real_min: float  # float32
    real_max: float


def activation(name: str, clamp: str, versions: range, *dtypes: DType) -> Op:
    """Op of TFLite's activation `clamp`, for these quantised types and float32."""
    rules = unlike_tflm(_requantised if clamp == "RELU6" else ratio_differs)
    quantised = (replace(rescaled({"T": dtype}, clamp=clamp), numerics=rules) for dtype in dtypes)
    source = Rename(f"tflite.{clamp}", versions=versions)
    return unary(name, source, variants=(*quantised, _within(clamp)))


def _requantised(node: NodeView) -> bool:
    return node["x"].quantization != node["y"].quantization


def _within(clamp: str) -> Variant:
    """float32 variant of an activation; its bounds are finite, so that RELU, without an upper one,
    has its own kernel.
    """
    low, high = REAL_BOUNDS[clamp]
    bounded = high < math.inf
    function = "within" if bounded else "positive"
    return by_reference(
        f32,
        lambda node, x: np.where(x < low, np.float32(low), np.where(x > high, np.float32(high), x)),
        8.0,
        Bounds if bounded else Elements,
        (lambda node: Bounds(node["x"].elements, low, high)) if bounded else None,
        {
            "header": "runtimes/families/unary.h",
            "function": f"opsmith::unary::{function}",
            "arguments": X_TO_Y,
        },
        kind=Kind("unary", function),
        hooks=clamps(clamp, lambda node: True),
    )
