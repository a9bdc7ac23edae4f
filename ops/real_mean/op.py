"""Real mean: the mean or sum of int8 along any axes as ONNX defines them, rounded once to even."""

from fractions import Fraction

from opsmith.op import *
from opsmith.op.even import even_means, most_sum, step_of
from opsmith.op.rows import RowWindow
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.means import image_rows, mean_examples
from runtimes.families.reduction import (
    Axes,
    axes,
    elements_of,
    lane_problem,
    reduced_elements,
    reducing,
    reduction,
)

MOST = 1 << 22  # elements of a mean: 32 bits hold twice their sum
STEPS = np.arange(-127, 128)  # elements that sums must reach


@dataclass(frozen=True, kw_only=True)
class OffsetAxes(Axes):
    """Axes of a reduction, and the addend of a sum from the zero point of x."""

    zero_point_sum: int


@dataclass(frozen=True)
class Tables:
    """Least sum for each element of y."""

    steps: NDArray[np.int32]  # least sums without zero points of -127 to 127


@dataclass(frozen=True, kw_only=True)
class Quotient(OffsetAxes):
    """Axes, and the quotient of integers that makes y of a sum without zero points."""

    output_zero_point: int
    most: int  # sums beyond it saturate as it does
    numerator: int
    denominator: int


def means(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Elements of y for sums without zero points."""
    found = even_means(sums, _step(node), _reach(node)) + node["y"].zero_point
    return np.asarray(np.clip(found, *i8.limits))


def _step(node: NodeView) -> Fraction:
    divisor = reduced_elements(node) if node.attributes["divides"] else 1
    return step_of(node["x"].scale, node["y"].scale, divisor)


def _reach(node: NodeView) -> int:
    return 255 * reduced_elements(node)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means along axes, in numpy."""
    lifted = elements_of(node, inputs[0]).astype(np.int64) - node["x"].zero_point
    return [means(node, lifted.sum(axis=-1)).astype(np.int8).reshape(node["y"].shape)]


def check(node: NodeView) -> Iterator[str]:
    """Problems of the quantisation, and of the number of elements."""
    yield from per_tensor_problems(node, "x", "y")
    if reduced_elements(node) > MOST:
        yield f"a mean of {reduced_elements(node)} elements, more than {MOST}"


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: from the mean of least elements to the mean of greatest elements."""
    x, point, count = ranges[node["x"].id], node["x"].zero_point, reduced_elements(node)
    ends = [means(node, np.array([(each - point) * count])) for each in (x.low.min(), x.high.max())]
    return [Range(*ends).spread(channels_of(node["y"]))]


def by_steps(node: NodeView) -> Plan:
    """Plan for every node: the sums at which y changes are found at build time."""
    return Plan(OffsetAxes(**_lifted(node)), partial(_tables, node))


def _tables(node: NodeView) -> Tables:
    low = np.full(STEPS.shape, -_reach(node) - 1, np.int64)
    high = -low
    while (open_ := high - low > 1).any():
        middle = np.where(open_, (low + high) // 2, high)
        reached = means(node, middle) >= STEPS
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return Tables(high.astype(np.int32))


def _lifted(node: NodeView) -> dict[str, Any]:
    point = node["x"].zero_point * reduced_elements(node)
    return {**vars(axes(node)), "zero_point_sum": point}


def by_quotient(node: NodeView) -> Plan | Refused:
    """Plan for scales whose quotient is one of small integers, as equal scales have."""
    step = _step(node)
    most = most_sum(step, _reach(node))
    if 2 * most * step.numerator + step.denominator >= 1 << 31:
        return Refused("the scales have no quotient of small integers")
    parts: dict[str, Any] = {"numerator": step.numerator, "denominator": step.denominator}
    point = node["y"].zero_point
    return Plan(Quotient(**_lifted(node), output_zero_point=point, most=most, **parts))


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows for a pixel made of all rows of an image."""
    height = image_rows(node)
    return None if height is None else RowWindow(height, height)


LANES = refusing(by_quotient, lane_problem)
PORTABLE = (
    Kernel("lanes", Quotient, LANES, numerics=ANY_RULE, cost=reducing(2.2, 60.0)),
    Kernel("quotient", Quotient, by_quotient, numerics=ANY_RULE, cost=reducing(3.9, 60.0)),
    Kernel("reference", OffsetAxes, by_steps, Tables, numerics=ANY_RULE, cost=reducing(3.9, 80.0)),
)
OP = reduction(
    "real_mean",
    Rename("tflite.CUSTOM.OpsmithMean", options=flexbuffer),
    (
        Variant(
            {"T": i8},
            PORTABLE,
            check=check,
            evaluate=evaluate,
            numerics=dict.fromkeys(OTHER_RULES, lambda node: ""),
            hooks=Hooks(channels=Channels(ranges=value_range)),
            examples=mean_examples(ExampleTensor(i8, (1, 5, 6, 8), 0.1, 4), 0.0871),
        ),
    ),
    attributes=(Attribute("divides", bool, default=True),),
    hooks=Hooks(streaming=Streaming(rows)),
)
