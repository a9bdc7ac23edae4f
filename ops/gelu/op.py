"""GELU: x times the normal distribution's share below x, exactly or by a hyperbolic tangent."""

from opsmith.op import *
from runtimes.core.real_exponential_minus_one import real_hyperbolic_tangent
from runtimes.families.lookup import Floats, table_256, table_513
from runtimes.families.unary import unary

from .error_complement import error_complement
from .floats import FLOATS


def of_values(x: Floats, node: NodeView) -> Floats:
    """GELU of values for tables, with products in LiteRT's order."""
    half = np.float32(0.5) * x
    if not node.attributes["approximate"]:
        return half * error_complement(x * np.float32(-math.sqrt(0.5)))
    cubic = x + np.float32(0.044715) * x * x * x
    inner = np.float32(math.sqrt(2 / math.pi)) * cubic
    return np.asarray(half * (np.float32(1) + real_hyperbolic_tangent(inner)), np.float32)


OP = unary(
    "gelu",
    Rename("tflite.GELU", versions=range(1, 3)),
    attributes=(Attribute("approximate", bool, default=False),),
    variants=(table_256(of_values, i8), table_256(of_values, u8), table_513(of_values), FLOATS),
)
