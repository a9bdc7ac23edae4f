"""GELU: x times the normal distribution's share below x, exactly or by a hyperbolic tangent."""

from opsmith.op import *
from opsmith.op.rows import RowWindow, elementwise_rows
from opsmith.runtimes.core.notebook import OTHER_FORMULA
from opsmith.runtimes.core.real_exponential_minus_one import real_hyperbolic_tangent
from opsmith.runtimes.families.lookup import Floats, table_256, table_513
from opsmith.runtimes.families.unary import by_reference, unary

from .error_complement import error_complement
from .floats import gelu


def of_values(x: Floats, node: NodeView) -> Floats:
    """GELU of values for tables, with products in LiteRT's order."""
    half = np.float32(0.5) * x
    if not node.attributes["approximate"]:
        return half * error_complement(x * np.float32(-math.sqrt(0.5)))
    cubic = x + np.float32(0.044715) * x * x * x
    inner = np.float32(math.sqrt(2 / math.pi)) * cubic
    return np.asarray(half * (np.float32(1) + real_hyperbolic_tangent(inner)), np.float32)


@dataclass(frozen=True)
class Gelu:
    """Number of float32 elements, and which formula."""

    elements: int
    approximate: bool


def live(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels that are needed: all for erfc, since the last elements of x have other bits."""
    tensors = (node["x"], node["y"])
    return tied(tensors, live) if node.attributes["approximate"] else all_live(tensors)


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows, where rows are whole fours, or None: erfc of other elements depends on all of
    x.
    """
    whole = node["x"].shape and node["x"].shape[-1] % 4 == 0
    return elementwise_rows(node) if whole or node.attributes["approximate"] else None


FLOATS = by_reference(
    f32,
    lambda node, x: gelu(x, node.attributes["approximate"]),
    75.0,
    Gelu,
    numerics=OTHER_FORMULA,
    hooks=Hooks(channels=Channels(live=live), streaming=Streaming(rows=rows)),
)
OP = unary(
    "gelu",
    Rename("tflite.GELU", versions=range(1, 3)),
    attributes=(Attribute("approximate", bool, default=False),),
    variants=(table_256(of_values, i8), table_256(of_values, u8), table_513(of_values), FLOATS),
)
