"""LeakyReLU: negative elements times alpha."""

from opsmith.op import *
from runtimes.families.unary import by_reference, unary

from .quantised import I8, I16, U8


@dataclass(frozen=True)
class FloatParams:
    """Number of elements, and the factor of negative elements."""

    elements: int
    alpha: float  # float32


def of_floats(node: NodeView, x: Array) -> Array:
    """LeakyReLU of float32, in numpy."""
    return np.asarray(np.where(x > 0, x, x * np.float32(node.attributes["alpha"])))


OP = unary(
    "leaky_relu",
    Rename("tflite.LEAKY_RELU", versions=range(1, 3)),
    attributes=(Attribute("alpha", float, default=0.0),),
    variants=(I8, U8, I16, by_reference(f32, of_floats, 6.0, FloatParams)),
)
