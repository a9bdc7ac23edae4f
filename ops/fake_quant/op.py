"""FakeQuant: floats rounded to the steps of a quantisation, of which zero is one.

Networks trained with fake quantisation keep this op where a converter did not quantise. NaN becomes
the least step.
"""

from opsmith.op import *
from runtimes.families.unary import by_reference, unary

F = np.float32


@dataclass(frozen=True)
class FakeQuantParams:
    """Number of elements, and the steps to which they are rounded, in float32."""

    elements: int
    least: float
    greatest: float
    step: float


def steps(node: NodeView) -> FakeQuantParams:
    """Params of a node: number of elements, and the steps to which they are rounded."""
    low, high = (F(node.attributes[name]) for name in ("min", "max"))
    most = F(2 ** node.attributes["num_bits"] - 1)
    step = (high - low) / most
    zero = np.floor(float(F(0) - low / step) + 0.5)
    return FakeQuantParams(
        node["x"].elements,
        float((F(0) - F(zero)) * step),
        float((most - F(zero)) * step),
        float(step),
    )


def check(node: NodeView) -> Iterator[str]:
    """Sentences about bounds or bits that make no steps."""
    bits, low, high = (node.attributes[name] for name in ("num_bits", "min", "max"))
    if not 2 <= bits <= 16:
        yield f"num_bits is {bits}, which must be 2 to 16"
    elif not (low <= 0 <= high and 1e-30 < high - low < 3e38):
        yield f"from min {low:.6g} to max {high:.6g} there is no range with 0 in it"


def rounded(node: NodeView, x: Array) -> Array:
    """Nearest steps, of which halves go up, in numpy."""
    p = steps(node)
    least, greatest, step = F(p.least), F(p.greatest), F(p.step)
    within = np.where(least < x, x, least)
    within = np.where(within < greatest, within, greatest)
    scaled = (within - least) * (F(1) / step)
    return np.floor(scaled.astype(np.float64) + 0.5).astype(F) * step + least


OP = unary(
    "fake_quant",
    Rename("tflite.FAKE_QUANT", versions=range(1, 3)),
    (
        by_reference(
            f32,
            rounded,
            20.0,
            FakeQuantParams,
            steps,
            examples=(
                Example(
                    {name: ExampleTensor(f32, (200,)) for name in "xy"},
                    {"min": -1.0, "max": 2.0, "num_bits": 8},
                ),
            ),
        ),
    ),
    attributes=(
        Attribute("min", float, default=0.0),
        Attribute("max", float, default=0.0),
        Attribute("num_bits", int, default=0),
        Attribute("narrow_range", bool, default=False, choices=(False,)),
    ),
    check=check,
)
