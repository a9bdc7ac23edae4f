"""Atan2: the angle from the x axis to a point, whose y is an element of a and whose x one of b.

In single precision, as glibc's atan2f computes it; LiteRT broadcasts nothing.
"""

from opsmith.op import *
from runtimes.families.binary import binary, example
from runtimes.families.broadcast import pairs

F = np.float32
PI, PI_LOW = (F(float.fromhex(each)) for each in ("0x1.921fb6p1", "-0x1.777a5cp-24"))
STEEP = F(2**25)  # a tangent from which on angles are right ones
FROM = np.array([0.4375, 0.6875, 1.1875, 2.4375], F)  # tangents at which the next part begins
# Each part has a tangent m / n in it, whose angle is high + low.
N, M = np.array([[1, 2, 1, 1, 0], [0, 1, 1, 1.5, 1]], F)
HIGH, LOW = (
    np.array([0, *map(float.fromhex, digits)], F)
    for digits in (
        ("0x1.dac67p-2", "0x1.921fb4p-1", "0x1.f730bcp-1", "0x1.921fb4p0"),
        ("0x1.586ed2p-28", "0x1.4442dp-25", "0x1.281f68p-25", "0x1.4442dp-24"),
    )
)
ODD, EVEN = (  # coefficients of the series, the last first
    [F(float.fromhex(each)) for each in digits.split()]
    for digits in (
        "0x1.0ad3aep-6 0x1.97b4b2p-5 0x1.10d66ap-4 0x1.745cdcp-4 0x1.24924ap-3 0x1.555556p-2",
        "-0x1.2b4442p-5 -0x1.dde2d6p-5 -0x1.3b0f2ap-4 -0x1.c71c7p-4 -0x1.99999ap-3",
    )
)


def angle(y: Array, x: Array) -> Array:
    """Angles of points (x, y), in numpy."""
    tangent = np.where(y == 0, F(0), np.abs(y / x))
    found = arctangent(np.where(np.isinf(x) & np.isinf(y), F(1), tangent))
    found = np.where(np.signbit(x), PI - (found - PI_LOW), found)
    upright = np.where(x == 0, y != 0, np.isinf(y) & ~np.isinf(x))
    found = np.copysign(np.where(upright, PI / 2, found), y)
    return np.where(np.isnan(x) | np.isnan(y), x + y, found)


def arctangent(x: Array) -> Array:
    """Angle whose tangent is x, for x >= 0."""
    steep = x >= STEEP
    x = np.where(steep, F(1), x)
    part = np.searchsorted(FROM, x, side="right")
    n, m = N[part], M[part]
    rest = (n * x - m) / (m * x + n)  # of which the angle is left
    z = rest * rest
    w = z * z
    odd = even = F(0)
    for each in ODD:
        odd = each + w * odd
    for each in EVEN:
        even = each + w * even
    found = HIGH[part] - ((rest * (z * odd + w * even) - LOW[part]) - rest)
    return np.where(steep, PI / 2, found)


def check(node: NodeView) -> Iterator[str]:
    """Sentence about shapes that would have to be broadcast."""
    if node["a"].shape != node["b"].shape:
        yield f"a {node['a'].type} and b {node['b'].type} must have one shape"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Angles of points, in numpy."""
    with np.errstate(all="ignore"):
        return [angle(*inputs)]


OP = binary(
    "atan2",
    Rename("tflite.ATAN2"),
    (
        Variant(
            {"T": f32},
            (reference(pairs, cost=per_element(150.0)),),
            examples=(example(f32, b=(4, 5)),),
        ),
    ),
    check=check,
    evaluate=evaluate,
)
