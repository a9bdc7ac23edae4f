"""Fourier transforms of power-of-two lengths, in fixed point or float, as kissfft computes.

A real transform of `fft_length` samples is a complex one of half as many points, each of two
neighbouring samples. In fixed point, with 15 or 31 fraction bits, numbers are divided before they
are added, by a rounded product.
"""

from collections.abc import Iterable

from opsmith.op import *

LONGEST = 2**14
LENGTH = Attribute("fft_length", int)
Numbers = NDArray[Any]  # real parts, then imaginary ones, along the first axis: int64 or float32


@dataclass(frozen=True)
class Tables:
    """int16 constants of a transform: the order of points, and roots of unity."""

    order: NDArray[np.uint16]  # the pair of numbers that each innermost butterfly takes next
    twiddles: NDArray[np.int16]  # real and imaginary parts of roots of unity
    split: NDArray[np.int16]  # those between a spectrum and that of pairs


@dataclass(frozen=True)
class WideTables:
    """int32 constants of a transform: the order of points, and roots of unity."""

    order: NDArray[np.uint16]  # the pair of numbers that each innermost butterfly takes next
    twiddles: NDArray[np.int32]  # real and imaginary parts of roots of unity
    split: NDArray[np.int32]  # those between a spectrum and that of pairs


@dataclass(frozen=True)
class FloatTables:
    """float32 constants of a transform: the order of points, and roots of unity."""

    order: NDArray[np.uint16]  # the pair of numbers that each innermost butterfly takes next
    twiddles: NDArray[np.float32]  # real and imaginary parts of roots of unity
    split: NDArray[np.float32]  # those between a spectrum and that of pairs


TABLES: dict[DType, type[Tables | WideTables | FloatTables]] = {
    i16: Tables,
    i32: WideTables,
    f32: FloatTables,
}


def transforms(
    params: type, *, inverse: bool, cost: Callable[[NodeView], float] | None = None
) -> dict[DType, tuple[Kernel, ...]]:
    """Kernels of reference.h for each type of samples, with facts of transforms for `params`."""
    fill = by_name(
        params,
        points=points,
        first_radix=first_radix,
        x_length=lambda node: node["x"].shape[-1],
    )
    plan = every_node(fill, partial(tables, inverse=inverse), scratch={"z": words})
    return {
        dtype: (Kernel("reference", params, plan, kind, scratch={"z": i32}, cost=cost),)
        for dtype, kind in TABLES.items()
    }


def length_problems(node: NodeView) -> Iterator[str]:
    """Sentence where the transform's length is not one of the butterflies' lengths."""
    length = node.attributes["fft_length"]
    if not 4 <= length <= LONGEST or length & (length - 1):
        yield f"fft_length {length} is not a power of two from 4 to {LONGEST}"


def points(node: NodeView) -> int:
    """Number of points of the complex transform."""
    return int(node.attributes["fft_length"]) // 2


def words(node: NodeView) -> int:
    """Number of 32-bit words that the points take."""
    return points(node) * 2 * node["x"].dtype.size // 4


def first_radix(node: NodeView) -> int:
    """Radix of the innermost butterflies of a node."""
    return innermost(points(node))


def innermost(count: int) -> int:
    """Radix of the innermost butterflies of `count` points."""
    return _radices(count)[-1]


def _radices(count: int) -> list[int]:
    """Radices from outermost to innermost stage: fours, and at the end a two where needed."""
    log = count.bit_length() - 1
    return [4] * (log // 2) + [2] * (log % 2)


def tables(node: NodeView, inverse: bool) -> Tables | WideTables | FloatTables:
    """Order of the points, and roots of unity with phases computed as in kissfft."""
    return tables_of(points(node), node["x"].dtype, inverse)


def tables_of(count: int, dtype: DType, inverse: bool) -> Tables | WideTables | FloatTables:
    """Tables of a transform of `count` points."""
    sign = 1 if inverse else -1
    order: NDArray[np.signedinteger] = np.arange(count)
    for radix in _radices(count):
        order = order.reshape(*order.shape[:-1], -1, radix).swapaxes(-1, -2)
    twiddles = (sign * 2 * math.pi * i / count for i in range(count))
    split = (sign * math.pi * ((i + 1) / count + 0.5) for i in range(count // 2))
    return TABLES[dtype](
        order.reshape(-1).astype(np.uint16), _roots(twiddles, dtype), _roots(split, dtype)
    )


def _roots(phases: Iterable[float], dtype: DType) -> NDArray[Any]:
    """Points of the unit circle at these phases: real parts before imaginary parts."""
    parts = np.array([[math.cos(phase), math.sin(phase)] for phase in phases]).reshape(-1)
    return (parts if dtype == f32 else np.floor(0.5 + dtype.limits[1] * parts)).astype(dtype.numpy)


@dataclass(frozen=True)
class Arithmetic:
    """Butterflies of one element type in numpy, on rows of complex numbers."""

    dtype: DType
    roots: Tables | WideTables | FloatTables
    inverse: bool

    def numbers(self, array: Array) -> Numbers:
        """Complex numbers from an array in which real and imaginary parts alternate."""
        wide = array.astype(np.float32 if self.dtype == f32 else np.int64)
        return np.stack([wide[..., ::2], wide[..., 1::2]])

    def array(self, numbers: Numbers) -> Array:
        """Array in which real and imaginary parts of numbers alternate along the last axis."""
        pairs = np.moveaxis(numbers, 0, -1)
        return pairs.reshape(*pairs.shape[:-2], -1).astype(self.dtype.numpy)

    def transform(self, x: Numbers) -> Numbers:
        """Transform of each row: first of each part of the row, then across parts."""
        count = x.shape[-1]
        if count == 1:
            return x
        radix, twiddles = _radices(count)[0], self.numbers(self.roots.twiddles)
        turn = np.arange(count // radix) * (twiddles.shape[-1] // count)
        parts = [self.divided(self.transform(x[..., i::radix]), radix) for i in range(radix)]
        parts[1:] = [
            self.times(part, twiddles[:, np.newaxis, i * turn])
            for i, part in enumerate(parts[1:], 1)
        ]
        if radix == 2:
            a, b = parts
            return self.wrapped(np.concatenate([a + b, a - b], axis=-1))
        a, b, c, d = parts
        even, odd, between, across = map(self.wrapped, (a + c, b + d, a - c, b - d))
        quarter = np.stack([-across[1], across[0]]) * (1 if self.inverse else -1)
        found = [even + odd, between + quarter, even - odd, between - quarter]
        return self.wrapped(np.concatenate(found, axis=-1))

    def wrapped(self, x: Numbers) -> Numbers:
        """Complex numbers wrapped to the element type."""
        return x if self.dtype == f32 else x.astype(self.dtype.numpy).astype(np.int64)

    def divided(self, x: Numbers, by: int) -> Numbers:
        """Fixed-point numbers divided by `by`, so that `by` can be added; floats unchanged."""
        return x if self.dtype == f32 else self._rounded(x * (self.dtype.limits[1] // by))

    def times(self, a: Numbers, b: Numbers) -> Numbers:
        """Products of complex numbers."""
        real, imaginary = a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
        return self._rounded(np.stack([real, imaginary]))

    def half(self, sums: Numbers) -> Numbers:
        """Half of a sum that wraps at 32 bits, rounded down."""
        if self.dtype == f32:
            return sums * np.float32(0.5)
        return sums.astype(np.int32).astype(np.int64) >> 1

    def _rounded(self, products: Numbers) -> Numbers:
        """Products with the fraction bits of both factors, rounded to those of one."""
        fraction = 8 * self.dtype.size - 1
        if self.dtype == f32:
            return products
        return self.wrapped((products + (1 << (fraction - 1))) >> fraction)


def conjugate(x: Numbers) -> Numbers:
    """Complex conjugates of the numbers."""
    return np.stack([x[0], -x[1]])


def spectra(by: Arithmetic, x: Array, length: int) -> Array:
    """Spectrum of each row of real samples, which zeros extend to `length`."""
    samples = np.pad(x, ((0, 0), (0, length - x.shape[-1])))
    with np.errstate(over="ignore", invalid="ignore"):
        return by.array(_spectrum(by, by.numbers(samples)))


def _spectrum(by: Arithmetic, samples: Numbers) -> Numbers:
    """Spectrum of real samples, from the spectrum of pairs of samples as complex points."""
    z = by.transform(samples)
    middle = np.arange(1, z.shape[-1] // 2 + 1)
    real, imaginary = by.divided(z[..., :1], 2)
    left, right = (
        by.divided(z[..., middle], 2),
        by.divided(by.wrapped(conjugate(z[..., -middle])), 2),
    )
    both = by.wrapped(left + right)
    turned = by.times(by.wrapped(left - right), by.numbers(by.roots.split)[:, np.newaxis])
    low, high = by.half(both + turned), by.half(conjugate(both) - conjugate(turned))
    zero = np.zeros_like(real)
    ends = [by.wrapped(np.stack([each, zero])) for each in (real + imaginary, real - imaginary)]
    return np.concatenate([ends[0], low[..., :-1], high[..., ::-1], ends[1]], axis=-1)
