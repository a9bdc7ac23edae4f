"""SignalRfft: the spectrum of rows of real samples, in fixed point or float.

TensorFlow Lite Micro (signal/src/rfft_int16.cc, rfft_int32.cc, rfft_float.cc) defines it by KISS
FFT: a complex transform of half the length, of samples in pairs, by butterflies of four, the
innermost of two where a two is left, and then its split into the spectrum. In fixed point every
number is divided before it is added up, by a rounded product with the greatest number divided by 4
or 2, so that the spectrum is that of the samples divided by fft_length; a sum of int32 that leaves
32 bits wraps. A row is followed by zeros up to fft_length, here a power of two.

Verified against an exact transform in double precision, for random samples, full-scale tones,
impulses and square waves: int16 within 12 units of 2^-15 for lengths up to 1024 and 14 for 2048.
Here numpy follows the recursive definition, and the kernel goes stage by stage.
"""

from opsmith.op import *
from runtimes.families.fourier import (
    LENGTH,
    Arithmetic,
    length_problems,
    points,
    spectra,
    tables,
    transforms,
)
from runtimes.families.signal import Shape, row_shape, signal


@dataclass(frozen=True)
class Params:
    """Number and length of rows, points, and the radix of the innermost butterflies."""

    rows: int
    x_length: int
    points: int  # of the complex transform: half of fft_length
    first_radix: int  # of the butterflies that the innermost transforms are


def shapes(node: NodeView) -> Sequence[Shape]:
    """Shape of y: rows of complex numbers for every frequency from 0 to half the sampling rate."""
    return [(*row_shape(node["x"])[:-1], node.attributes["fft_length"] + 2)]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about lengths that butterflies do not have."""
    yield from length_problems(node)
    x, length = node["x"], node.attributes["fft_length"]
    if x.shape[-1] > length:
        yield f"x {x.type} has no rows of up to {length}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Spectrum in numpy, all rows at once."""
    x, length = inputs[0].reshape(row_count(node), -1), 2 * points(node)
    arithmetic = Arithmetic(node["x"].dtype, tables(node, inverse=False), inverse=False)
    return [spectra(arithmetic, x, length).reshape(node["y"].shape)]


OP = signal(
    "signal_rfft",
    "SignalRfft",
    inputs={"x": "T"},
    outputs={"y": "T"},
    kernels=transforms(Params, inverse=False, cost=per_element(97.0)),
    example={"x": (8,), "fft_length": 8},
    attributes=(LENGTH,),
    shapes=shapes,
    check=check,
    evaluate=evaluate,
)
