"""Rfft2d: the spectrum of rows of real samples, as pairs of a real and an imaginary part.

A row is cut or followed by zeros to the second number of fft_length. LiteRT (kernels/rfft2d.cc)
computes in double precision; here it is the transform in float32 of SignalRfft, which costs a
tenth on cores without doubles. Each of its roundings, six in a stage of butterflies, is at most
2^-24 of the sum of the samples' magnitudes: for the longest row 2^-18 in all.
"""

from opsmith.op import *
from runtimes.families.fourier import (
    LONGEST,
    Arithmetic,
    FloatTables,
    innermost,
    spectra,
    tables_of,
)


@dataclass(frozen=True)
class Params:
    """Number and length of rows, points, and the radix of the innermost butterflies."""

    rows: int
    x_length: int  # samples of a row that are transformed
    x_step: int  # samples from one row to the next
    points: int  # of the complex transform: half of the length
    first_radix: int  # of the butterflies that the innermost transforms are


def length(node: NodeView) -> int:
    """Number of samples of a row, with the zeros after them."""
    return int(node["fft_length"].data[-1])


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: pairs for every frequency from 0 to half the sampling rate."""
    x, lengths = node["x"], node["fft_length"]
    if len(x.shape) < 2 or lengths.shape != (2,):
        raise OpError(f"x {x.type} must have two axes or more, fft_length {lengths.type} two sizes")
    if lengths.data[0] != 1 or not 4 <= length(node) <= LONGEST or length(node).bit_count() != 1:
        given = lengths.data.tolist()
        raise OpError(f"fft_length {given} is not 1 and a power of two from 4 to {LONGEST}")
    return [TensorType(f32, (*x.shape[:-2], 1, length(node) // 2 + 1, 2))]


def check(node: NodeView) -> Iterator[str]:
    """Problem of a model file that has no complex numbers."""
    if not node.attributes["pairs"]:
        yield "y is not complex64"


def params(node: NodeView) -> Params:
    """Params of a node."""
    x, size = node["x"], length(node)
    step = x.shape[-2] * x.shape[-1]
    rows = node["y"].elements // (size + 2)
    return Params(rows, min(x.shape[-1], size), step, size // 2, innermost(size // 2))


def tables(node: NodeView) -> FloatTables:
    """Order of the points, and roots of unity."""
    found = tables_of(length(node) // 2, f32, inverse=False)
    assert isinstance(found, FloatTables)
    return found


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Spectra in numpy."""
    first = inputs[0][..., 0, : length(node)]
    by = Arithmetic(f32, tables(node), inverse=False)
    found = spectra(by, first.reshape(-1, first.shape[-1]), length(node))
    return [found.reshape(node["y"].shape)]


def inexact(node: NodeView) -> str:
    """Error of the transform in float32."""
    return "by up to 2^-18 of the sum of a row's magnitudes, as LiteRT computes in double precision"


KERNEL = reference(params, tables, scratch={"z": (f32, length)}, cost=per_element(52.0))
OP = Op(
    "rfft_2d",
    legalize=(Rename("tflite.RFFT2D"),),
    inputs=(Input("x", f32), Input("fft_length", i32, constant=True)),
    outputs=(Output("y", f32),),
    attributes=(Attribute("pairs", bool, default=False),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(Variant({}, (KERNEL,), inexact=inexact),),
    examples=(Example.of({"pairs": True}, x=(3, 1, 8), fft_length=[1, 8], y=(3, 1, 5, 2)),),
)
