"""LeakyReLU: negative elements times alpha."""

from opsmith.op import *
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from opsmith.runtimes.families.lookup import bytes_by
from opsmith.runtimes.families.unary import by_reference, float_ratio, unary


@dataclass(frozen=True)
class FloatParams:
    """Elements, and the factor of negative ones."""

    elements: int
    alpha: float  # float32


@dataclass(frozen=True)
class Params:
    """Elements, and Q31 multipliers from x to y, of negative ones and of others."""

    elements: int
    sign: int  # of alpha: what negative ones become is rounded without it
    negative_multiplier: int
    negative_shift: int
    multiplier: int
    shift: int


def alpha_ratio(node: NodeView) -> float:
    """alpha * x.scale / y.scale, in single precision."""
    x, y = np.float32(node["x"].scale), np.float32(node["y"].scale)
    with np.errstate(over="ignore"):
        return float(x * np.float32(node.attributes["alpha"]) / y)


def params(node: NodeView) -> Params:
    """Those of quantised elements."""
    ratio = alpha_ratio(node)
    ratios = abs(ratio), float_ratio(node)
    negative, others = (quantize_multiplier(each, wraps=True) for each in ratios)
    return Params(node["x"].elements, -1 if ratio < 0 else 1, *negative, *others)


def of_integers(node: NodeView, x: Array) -> Array:
    """For quantised elements."""
    p, lifted = params(node), x.astype(np.int64) - node["x"].zero_point
    found = np.where(
        lifted < 0,
        multiply_by_quantized_multiplier(lifted, p.negative_multiplier, p.negative_shift) * p.sign,
        multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift),
    )
    return np.asarray(np.clip(found + node["y"].zero_point, *node["y"].dtype.limits))


def of_floats(node: NodeView, x: Array) -> Array:
    """For float32."""
    return np.asarray(np.where(x > 0, x, x * np.float32(node.attributes["alpha"])))


OP = unary(
    "leaky_relu",
    Rename("tflite.LEAKY_RELU", versions=range(1, 3)),
    attributes=(Attribute("alpha", float, default=0.0),),
    variants=(
        bytes_by(of_integers, i8),
        bytes_by(of_integers, u8),
        by_reference(i16, of_integers, 30.0, Params, params),
        by_reference(f32, of_floats, 6.0, FloatParams),
    ),
)
