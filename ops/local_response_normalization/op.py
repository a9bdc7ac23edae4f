"""LocalResponseNormalization: elements divided by a power of their neighbours' squares in a pixel.

Squares of float32 are summed up in rising order, and bias + alpha * sum and its power are of double
precision, as in LiteRT's reference kernel, which leaves out the last element of each window.
"""

from opsmith.op import *
from runtimes.core.notebook import OPTIMISED
from runtimes.families.unary import same_shape

POWER, SQUARE = 810.0, 4.7  # instructions
LEAST_BETA, MOST_BETA = 2.0**-16, 128.0
FRACTION = 24  # bits of beta's mantissa
FACTS: Facts = {
    "radius": lambda node: min(node.attributes["radius"], channels_of(node["x"])),
    "bias": lambda node: float(np.float32(node.attributes["bias"])),
    "alpha": lambda node: float(np.float32(node.attributes["alpha"])),
    "mantissa": lambda node: int(math.frexp(_beta(node))[0] * 2**FRACTION),
    "shift": lambda node: math.frexp(_beta(node))[1],
}


@dataclass(frozen=True)
class Params(Rows):
    """Rows of x, the window, and the power: sums to the power of -mantissa * 2^(shift - 24)."""

    radius: int  # elements before and after each that count with it
    bias: float
    alpha: float
    mantissa: int  # in [2^23, 2^24)
    shift: int


def _beta(node: NodeView) -> float:
    return float(np.float32(node.attributes["beta"]))


params = by_name(Params, **FACTS)


def check(node: NodeView) -> Iterator[str]:
    """Problems of an x without dimensions, and of attributes that make bases of powers negative."""
    yield from row_problems(node)
    for name in ("bias", "alpha"):
        value = node.attributes[name]
        if not 0 <= value < math.inf:
            yield f"{name} is {value:g}: it must be finite and not negative"
    if not LEAST_BETA <= (beta := node.attributes["beta"]) <= MOST_BETA:
        yield f"beta is {beta:g}: it must be from {LEAST_BETA:g} to {MOST_BETA:g}"
    if (radius := node.attributes["radius"]) < 0:
        yield f"radius is {radius}: it must not be negative"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Quotients in numpy."""
    x, p = inputs[0], node.once(params)
    sums = np.zeros_like(x)
    with np.errstate(all="ignore"):
        for c in range(p.depth):
            for each in range(max(0, c - p.radius), min(p.depth, c + p.radius + 1)):
                sums[..., c] += x[..., each] * x[..., each]
        bases = p.alpha * sums.astype(np.float64) + p.bias
        return [x * np.power(bases, -_beta(node)).astype(np.float32)]


def cost(node: NodeView) -> float:
    """Cost of a power for each element, and of the squares in its window."""
    squares = 2 * node.once(params).radius + 1
    return node["x"].elements * (POWER + SQUARE * squares)


X = ExampleTensor(f32, (2, 3, 12))
ALEXNET = {"radius": 2, "bias": 2.0, "alpha": 1e-4, "beta": 0.75}
REFERENCE = reference(params, cost=cost)
OP = same_shape(
    "local_response_normalization",
    Rename("tflite.LOCAL_RESPONSE_NORMALIZATION"),
    variants=(
        Variant(
            {"T": f32},
            (REFERENCE,),
            ulps=1,
            numerics=OPTIMISED,
            departs=Departure(
                "float32",
                "leaves out the last element of each window in its reference kernel",
                "2 * radius + 1 elements, as in TensorFlow and LiteRT's default kernel",
            ),
            check=check,
            evaluate=evaluate,
            examples=(Example.of(ALEXNET, x=X, y=X),),
        ),
    ),
    attributes=(
        Attribute("radius", int),
        Attribute("bias", float),
        Attribute("alpha", float),
        Attribute("beta", float),
    ),
)
