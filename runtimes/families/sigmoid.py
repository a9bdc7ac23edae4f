"""Functions of int16 interpolated between samples of the logistic function."""

from opsmith.op import *
from runtimes.core.notebook import OPTIMISED
from runtimes.families.unary import quantised

Ints = NDArray[np.int64]
X_SCALE = 1 / 4096  # at which x * 3 is a position
Y_SCALE = 1 / 32768


@dataclass(frozen=True)
class Positions:
    """Number of elements, and the multiplier and shift that make sample positions of x."""

    elements: int
    multiplier: int
    shift: int  # to the right


@dataclass(frozen=True)
class Samples:
    """Samples of the logistic function, times 2^16."""

    values: NDArray[np.uint16]  # [256]


def _samples() -> NDArray[np.int64]:
    """Samples at multiples of 1/24. Each is raised by half of the error of a straight line in the
    middle of its interval; the last is the function's limit.
    """
    exact = 2**16 / (1 + np.exp(-np.arange(513) / 48))
    starts, middles, ends = exact[:-1:2], exact[1::2], exact[2::2]
    samples = np.round(starts + (middles - (starts + ends) / 2) / 2).astype(np.int64)
    samples[-1] = 2**16 - 1
    return samples


SAMPLES = _samples()


def by_samples(function: Callable[[Ints], Ints], shifts: int) -> Variant:
    """int16 variant of a function of positions, whose C++ is the op's reference.h.

    Backends know the function by its Python name.

    LiteRT multiplies exactly where the scale of x is about one of `shifts` powers of two from
    X_SCALE, and else by a multiplier of 15 bits.
    """

    def params(node: NodeView) -> Positions:
        return Positions(node["x"].elements, *_position(node["x"].scale, shifts))

    def check(node: NodeView) -> Iterator[str]:
        yield from (problems := list(quantised(node)))
        if problems:
            return
        if node["y"].scale != Y_SCALE:
            yield "y must have scale 1/32768"
        multiplier, _ = _position(node["x"].scale, shifts)
        if not 0 < multiplier < 2**16:
            yield f"the scale of x, {node['x'].scale}, is not between 4e-14 and 5.3"

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        p = params(node)
        half = 1 << p.shift >> 1
        found = function((inputs[0].astype(np.int64) * p.multiplier + half) >> p.shift)
        return [found.astype(np.int16)]

    plan = every_node(params, lambda node: Samples(SAMPLES.astype(np.uint16)), elementwise)
    x, y = (ExampleTensor(i16, (200,), scale=scale) for scale in (0.0123, Y_SCALE))
    reference = Kernel("reference", Positions, plan, Samples, cost=per_element(25.0))
    return Variant(
        {"T": i16},
        (reference,),
        kind=Kind("sigmoid", "by_samples", {"function": function.__name__}),
        check=check,
        evaluate=evaluate,
        numerics=OPTIMISED,
        examples=(Example({"x": x, "y": y}),),
    )


def sigmoid(position: Ints, bits: int, most: int) -> Ints:
    """Logistic function at `position` / 2^bits samples, times 2^(16 + bits); beyond, `most`."""
    whole = np.minimum(position >> bits, 255)
    values = np.append(SAMPLES, 0)
    rest = position & ((1 << bits) - 1)
    found = (values[whole] << bits) + rest * (values[whole + 1] - values[whole])
    return np.where(whole >= 255, most, found)


def logistic_at(position: Ints) -> Ints:
    """Logistic function in Q0.15 at a position with 9 bits between samples."""
    found = sigmoid(abs(position), 9, 0x7FFF << 10)
    half = 1 << 9
    return np.where(position >= 0, found + half, (1 << 25) - found + half - 1) >> 10


def tangent_at(position: Ints) -> Ints:
    """tanh(x) = 2 logistic(2 x) - 1 in Q0.15 at a position with 8 bits between samples."""
    above = sigmoid(abs(position), 8, 0xFFFF << 8) - (1 << 23)
    return np.where(position >= 0, above + (1 << 7), (1 << 7) - 1 - above) >> 8


def _position(scale: float, shifts: int) -> tuple[int, int]:
    """(multiplier, shift) with x * multiplier / 2^shift as the position of x."""
    power = np.log(np.float32(scale)) * (np.float32(1) / np.log(np.float32(2)))
    nearest = round(float(power))
    shift = nearest - round(math.log2(X_SCALE))
    if abs(power - nearest) < 1e-3 and 0 <= shift < shifts:
        return 3 << shift, 0
    multiplier, right = scale / X_SCALE * 3, 0
    while multiplier <= (2**15 - 1) / 2 and right <= 30:
        multiplier, right = multiplier * 2, right + 1
    return int(multiplier), right
