"""SignalIrfft: the real samples of rows of spectra, in fixed point or float.

Defined by TensorFlow Lite Micro (signal/src/irfft_int16.cc, irfft_int32.cc, irfft_float.cc) as KISS
FFT's: the spectrum of pairs of samples, and its complex transform, by the butterflies of
SignalRfft. In fixed point every number is divided before it is added up, so that the samples are
divided by fft_length, as floats are in the end. The imaginary parts of the first and the last
number of a row are not read. Here fft_length is a power of two.
"""

from opsmith.op import *
from runtimes.families.fourier import (
    LENGTH,
    Arithmetic,
    Numbers,
    conjugate,
    length_problems,
    points,
    tables,
    transforms,
)
from runtimes.families.signal import Shape, row_shape, signal


@dataclass(frozen=True)
class Params:
    """Numbers of rows and points, and the radix of the innermost butterflies."""

    rows: int
    points: int  # of the complex transform: half of fft_length
    first_radix: int  # of the butterflies that the innermost transforms are


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y: rows of samples."""
    return [(*row_shape(node["x"])[:-1], node.attributes["fft_length"])]


def check(node: NodeView) -> Iterator[str]:
    """Sentences about lengths that butterflies do not have, and spectra of another length."""
    yield from length_problems(node)
    x, length = node["x"], node.attributes["fft_length"]
    if x.shape[-1] != length + 2:
        yield f"x {x.type} has no rows of {length + 2}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Samples in numpy, all rows at once."""
    by = Arithmetic(node["x"].dtype, tables(node, inverse=True), inverse=True)
    with np.errstate(over="ignore", invalid="ignore"):
        pairs = by.transform(_pairs(by, by.numbers(inputs[0].reshape(row_count(node), -1))))
        samples = by.array(pairs).reshape(node["y"].shape)
        return [samples / np.float32(2 * points(node)) if by.dtype == f32 else samples]


def _pairs(by: Arithmetic, x: Numbers) -> Numbers:
    """Spectrum of pairs of samples, from the spectrum of the samples."""
    middle = np.arange(1, (x.shape[-1] - 1) // 2 + 1)
    first, last = x[0, :, :1], x[0, :, -1:]
    start = by.divided(by.wrapped(np.stack([first + last, first - last])), 2)
    left = by.divided(x[..., middle], 2)
    right = by.divided(by.wrapped(conjugate(x[..., -1 - middle])), 2)
    even = by.wrapped(left + right)
    odd = by.times(by.wrapped(left - right), by.numbers(by.roots.split)[:, np.newaxis])
    low, high = by.wrapped(even + odd), by.wrapped(conjugate(by.wrapped(even - odd)))
    return np.concatenate([start, low[..., :-1], high[..., ::-1]], axis=-1)


OP = signal(
    "signal_irfft",
    "SignalIrfft",
    inputs={"x": "T"},
    outputs={"y": "T"},
    kernels=transforms(Params, inverse=True),
    example={"x": (10,), "fft_length": 8},
    attributes=(LENGTH,),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
