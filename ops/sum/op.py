"""Sum: the sum along any axes."""

from opsmith.op import *
from runtimes.core.accumulator import overflow_problems
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.notebook import ALWAYS, OF_FLOATS, OF_UINT8, OPTIMISED, by_single, unlike
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.reduction import (
    Axes,
    Folding,
    ThresholdAxes,
    axes,
    elements_of,
    nothing_problems,
    reduced_elements,
    reduced_line,
    reducing,
    reduction,
    threshold_plan,
)

from .single import SINGLE


@dataclass(frozen=True)
class SumAxes(Axes):
    """Axes of a reduction, and the requantisation of a sum."""

    zero_point_sum: int  # what the zero point of x adds to a sum
    y_zero_point: int
    multiplier: int  # Q31, of x.scale / y.scale
    shift: int


def params(node: NodeView) -> SumAxes:
    """Axes and scaling of a node."""
    x, y = node["x"], node["y"]
    multiplier, shift = quantize_multiplier(x.scale / y.scale)
    zero_point_sum = x.zero_point * reduced_elements(node)
    return SumAxes(
        **vars(axes(node)),
        zero_point_sum=zero_point_sum,
        y_zero_point=y.zero_point,
        multiplier=multiplier,
        shift=shift,
    )


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation that this arithmetic cannot take."""
    problems = [*per_tensor_problems(node, "x", "y"), *nothing_problems(node)]
    yield from problems
    if node["x"].dtype == i16 and not problems:
        yield from (problems := list(symmetric_problems(node, "x", "y")))
    if not problems:
        low, high = node["x"].dtype.limits
        bound = np.array([reduced_elements(node) * (high - low)])
        yield from overflow_problems(bound, params(node).shift)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Sums along axes, in numpy."""
    y, sums = node["y"], elements_of(node, inputs[0]).sum(axis=-1, dtype=np.int64)
    return [scaled(node, sums).astype(y.dtype.numpy).reshape(y.shape)]


def scaled(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Elements of y for these sums."""
    return np.asarray(np.clip(_SCALED[node.numerics](node, sums), *node["y"].dtype.limits))


def _by_q31(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    p = params(node)
    lifted = sums - p.zero_point_sum
    return multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.y_zero_point


def _by_single(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    return by_single(sums, *reduced_line(node, mean=False))


_SCALED = {Numerics.REFERENCE: _by_q31, Numerics.NOTEBOOK: _by_single}


def by_thresholds(node: NodeView) -> Plan | Refused:
    """Plan for sums with proved thresholds."""
    return threshold_plan(node, scaled, mean=False)


SINGLE_ROUNDINGS = (
    Kernel(
        "thresholds", ThresholdAxes, by_thresholds, numerics=OTHER_RULES, cost=reducing(3.9, 44.0)
    ),
    SINGLE,
)
REFERENCE = reference(params, cost=reducing(3.9, 45.0))
SIGNED = Departure(
    "int8 and int16",
    "reads the elements as uint8",
    "the sum of what they are, as in TensorFlow Lite Micro",
)


def quantised(dtype: DType) -> Variant:
    """Variant of int8, uint8 or int16."""
    return Variant(
        {"T": dtype},
        (*(SINGLE_ROUNDINGS if dtype == i8 else ()), REFERENCE),
        departs=None if dtype == u8 else SIGNED,
        check=check,
        evaluate=evaluate,
        numerics={i8: ALWAYS, u8: unlike(OF_UINT8), i16: OPTIMISED}[dtype],
        examples=tuple(Example.of(x=(2, 3, 4), axis=[axis]) for axis in (1, 2)),
    )


ADDING = Folding(np.add, lambda _: 0, "wrapping_sum")
OP = reduction(
    "sum",
    Rename("tflite.SUM", versions=range(1, 3)),
    (
        *map(quantised, (i8, u8, i16)),
        *map(ADDING.variant, (i32, i64)),
        replace(ADDING.variant(f32), numerics=unlike(OF_FLOATS)),
    ),
    traits={"from_nothing"},
)
