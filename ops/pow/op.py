"""Pow: one element to the power of another, of tensors that broadcast.

Where a single exponent broadcasts, is nearly an integer and at least 1, LiteRT multiplies, and a
power beyond int32 wraps; in all other cases such a power becomes the least int32. For negative
exponents of int32 LiteRT fails; here that gives 0, and a constant one is refused. Powers of float32
are those of glibc's powf with FMA.
"""

from opsmith.op import *
from runtimes.core.real_power import real_power
from runtimes.families.binary import binary, example
from runtimes.families.broadcast import Pairs, pairs


@dataclass(frozen=True)
class PowerPairs(Pairs):
    """Walk through bases and exponents, and whether one exponent broadcasts."""

    single: bool  # one exponent broadcasts


def params(node: NodeView) -> PowerPairs:
    """Walk of a node, and whether one exponent broadcasts."""
    a, b = node["a"], node["b"]
    return PowerPairs(**vars(pairs(node)), single=b.elements == 1 and a.shape != b.shape)


def check(node: NodeView) -> Iterator[str]:
    """Sentence about integer exponents that are known to be negative."""
    if node["b"].constant is not None and (node["b"].data < 0).any():
        yield "b is negative in places"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Powers of integers in numpy, as integers of Python."""
    a, b = (each.astype(object) for each in np.broadcast_arrays(*inputs))
    low, high = i32.limits
    wraps = params(node).single

    def power(base: int, exponent: int) -> int:
        if exponent < 0:
            return 0
        if wraps:
            return (pow(base, exponent, 1 << 32) + high + 1) % (1 << 32) + low
        if abs(base) > 1 and exponent > 31:
            return low
        found = base ** min(exponent, 32 + exponent % 2)
        return found if low <= found <= high else low

    powers = [power(*each) for each in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)]
    return [np.array(powers, np.int32).reshape(node["y"].shape)]


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Powers of float32, in numpy."""
    a, b = np.broadcast_arrays(*inputs)
    whole = int(whole_exponent(b.reshape(-1)[0])) if params(node).single else 0
    return [by_squaring(a, whole) if whole else real_power(a, b)]


def whole_exponent(exponent: np.float32) -> np.float32:
    """Integer for which LiteRT takes a single exponent, or 0."""
    whole = np.rint(exponent)
    near = 1 <= whole < 2**31 and abs(exponent - whole) < np.float32(1e-5)
    return whole if near else np.float32(0)


def by_squaring(base: Array, exponent: int) -> Array:
    """base to the power of an integer, in products of floats, each finite or NaN."""
    y, limit = base, np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        for bit in f"{exponent:b}"[1:]:
            y = np.clip(y * y, -limit, limit)
            y = np.clip(base * y, -limit, limit) if bit == "1" else y
    return y


INTEGERS = reference(params, cost=per_element(60.0))
FLOATS = reference(params, cost=per_element(1700.0))
OP = binary(
    "pow",
    Rename("tflite.POW"),
    variants=(
        Variant(
            {"T": i32},
            (INTEGERS,),
            departs=Departure("int32, a negative exponent", "fails", "0", fails=True),
            check=check,
            evaluate=evaluate,
            examples=(example(i32),),
        ),
        Variant({"T": f32}, (FLOATS,), evaluate=floats, examples=(example(f32),)),
    ),
)
