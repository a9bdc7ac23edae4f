"""Integer functions as one sum of products, a shift and a clamp: constants, and proof that they are
exact.

TFLite rescales, adds and rounds in several steps of 32 bits. As a function of the input bytes, the
result is nearly floor((offset + sum of inputs times constants) / 2^shift), and there are only 256
inputs, or 65,536 pairs of inputs: so constants are chosen and then tried with every input. Where no
constants give every output, there is no affine function, and another kernel is used.

`runtimes/core/affine.h` is the C++ half.
"""

from itertools import islice

from opsmith.op import *

FRACTION_BITS = 8  # of a multiplier; its products are rounded down
MAX_SHIFT = 24
MOST_EXACT = 31
LARGEST_SUM = 1 << 31
FARTHEST = LARGEST_SUM // 2  # offset that is looked for
WHOLE_BITS = 3  # by which multipliers are tried larger, whole ones first, as far as sums allow
TRIES = 6  # how often smaller multipliers are tried, which are rounded otherwise
# What multipliers are enlarged by, in 2^-shift: a little takes ties away from zero, as TFLite does.
STRETCHES = (0, 4, 16, 64)
BYTES = np.arange(-128, 128, dtype=np.int64)  # every input
Evaluate = Callable[[NodeView, Sequence[Array]], Sequence[Array]]  # of an op


@dataclass(frozen=True)
class AffineConstants:
    """Constants of y = clamp((offset + products) >> shift).

    A product is x * multiplier without its fraction.
    """

    multipliers: tuple[int, ...]  # one for each input, of which some bits are a fraction
    offset: int
    shift: int


def affine(
    outputs: Array,
    inputs: Sequence[NDArray[np.int64]],
    slopes: Sequence[float],
    limits: tuple[int, int],
    fraction_bits: int = FRACTION_BITS,
    whole: bool = False,
) -> AffineConstants | None:
    """Constants that give exactly these outputs, or None where none do.

    `inputs` are all values of each input, in arrays that broadcast to the shape of `outputs`, and
    `slopes` what a step of each input adds to a real output. Outputs are clamped to `limits`. With
    `whole`, the shift at which all slopes are integers is tried, too.
    """
    wanted = outputs.astype(np.int64)
    reaches = [abs(k) * int(np.abs(x).max()) for x, k in zip(inputs, slopes, strict=True)]
    reach = 2 * sum(reaches) + 512
    if not math.isfinite(reach):
        return None
    spare = 0 if fraction_bits else WHOLE_BITS
    largest = min(MAX_SHIFT, 30 + spare - math.ceil(math.log2(reach)))
    tried = [
        *range(largest, max(largest - spare - TRIES, 0), -1),
        *(_whole_shift(slopes) if whole else ()),
        *range(max(largest, 0) + 1, min(largest + WHOLE_BITS - spare, MAX_SHIFT) + 1),
    ]
    for shift in tried:
        for stretch in STRETCHES:
            steps = [slope * (2.0**shift + stretch) for slope in slopes]
            multipliers = [round(step * (1 << fraction_bits)) for step in steps]
            if max(map(abs, multipliers)) >= LARGEST_SUM:
                continue
            products = [x * m >> fraction_bits for x, m in zip(inputs, multipliers, strict=True)]
            offset = _offset(wanted, sum(products[1:], products[0]), shift, limits)
            if offset is not None and _fits(products, offset):
                return AffineConstants(tuple(multipliers), offset, shift)
    return None


def _whole_shift(slopes: Sequence[float]) -> Iterator[int]:
    """The least shift at which all slopes are integers, if any."""
    found = (k for k in range(1, MOST_EXACT) if all(math.ldexp(s, k) % 1 == 0 for s in slopes))
    yield from islice(found, 1)


def _offset(
    wanted: NDArray[np.int64], sums: NDArray[np.int64], shift: int, limits: tuple[int, int]
) -> int | None:
    """Offset that turns every sum into its output, or None; an output at a limit may also come from
    a sum beyond it.
    """
    low, high = limits
    least = np.max(np.where(wanted > low, (wanted << shift) - sums, -FARTHEST))
    most = np.min(np.where(wanted < high, ((wanted + 1) << shift) - 1 - sums, FARTHEST))
    return int(least + most) // 2 if least <= most else None


def _fits(products: Sequence[NDArray[np.int64]], offset: int) -> bool:
    """True if the products and the offset, added in any order, stay within 32 bits."""
    return abs(offset) + sum(int(np.max(np.abs(each))) for each in products) < LARGEST_SUM
