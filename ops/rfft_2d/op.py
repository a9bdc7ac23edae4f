"""Rfft2d: the spectrum of planes of real samples, as pairs of a real and an imaginary part.

A plane is cut or followed by zeros to fft_length. LiteRT (kernels/rfft2d.cc) computes in double
precision; here it is the transform in float32 of SignalRfft, which costs a tenth on cores without
doubles. Each of its roundings, six in a stage of butterflies, is at most 2^-24 of the sum of the
samples' magnitudes: for the largest plane, whose rows and columns have nine stages, 2^-18 in all.
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
class RowParams:
    """Number and length of rows, points, and the radix of the innermost butterflies."""

    rows: int
    x_length: int  # samples of a row that are transformed
    x_step: int  # samples from one row to the next
    points: int  # of the complex transform: half of the length
    first_radix: int  # of the butterflies that the innermost transforms are


@dataclass(frozen=True)
class Params:
    """Number and size of planes, points of rows and of columns, and radices of the innermost
    butterflies.
    """

    planes: int
    rows: int  # of x, of those that are transformed; zeros follow
    columns: int  # points of the transform of a column: rows of y
    x_length: int  # samples of a row that are transformed
    x_step: int  # samples from one row to the next
    x_plane: int  # samples from one plane to the next
    points: int  # of the complex transform of a row: half of the length
    first_radix: int  # of the butterflies that the innermost transforms of rows are
    column_radix: int  # likewise of columns


@dataclass(frozen=True)
class Tables:
    """float32 constants of the transforms of rows and of columns."""

    order: NDArray[np.uint16]  # the pair of samples that each innermost butterfly takes next
    twiddles: NDArray[np.float32]  # real and imaginary parts of roots of unity
    split: NDArray[np.float32]  # those between a spectrum and that of pairs
    column_order: NDArray[np.uint16]
    column_twiddles: NDArray[np.float32]


def length(node: NodeView) -> int:
    """Number of samples of a row, with the zeros after them."""
    return int(node["fft_length"].data[-1])


def height(node: NodeView) -> int:
    """Number of rows of a plane, with those of zeros after them."""
    return int(node["fft_length"].data[0])


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: pairs for every frequency from 0 to half the sampling rate."""
    x, lengths = node["x"], node["fft_length"]
    if len(x.shape) < 2 or lengths.shape != (2,):
        raise OpError(f"x {x.type} must have two axes or more, fft_length {lengths.type} two sizes")
    given = lengths.data.tolist()
    powers = all(each > 0 and each.bit_count() == 1 for each in given)
    if not powers or length(node) < 4 or math.prod(given) > LONGEST:
        what = f"two powers of two, the second 4 or more, whose product is at most {LONGEST}"
        raise OpError(f"fft_length {given} is not {what}")
    return [TensorType(f32, (*x.shape[:-2], height(node), length(node) // 2 + 1, 2))]


def check(node: NodeView) -> Iterator[str]:
    """Problem of a model file that has no complex numbers."""
    if not node.attributes["pairs"]:
        yield "y is not complex64"


def tables_of_rows(node: NodeView) -> FloatTables:
    """Order of the points of rows, and roots of unity."""
    return _floats(length(node) // 2)


def _floats(points: int) -> FloatTables:
    found = tables_of(points, f32, inverse=False)
    assert isinstance(found, FloatTables)
    return found


def plan_of_rows(node: NodeView) -> Plan | Refused:
    """Plan for planes of one row."""
    if height(node) > 1:
        return Refused("planes have several rows")
    p = params(node)
    fields = RowParams(p.planes, p.x_length, p.x_plane, p.points, p.first_radix)
    return Plan(fields, partial(tables_of_rows, node), {"z": length(node)})


def params(node: NodeView) -> Params:
    """Params of a node."""
    (*_, rows, step), size, columns = node["x"].shape, length(node), height(node)
    return Params(
        planes=node["y"].elements // ((size + 2) * columns),
        rows=min(rows, columns),
        columns=columns,
        x_length=min(step, size),
        x_step=step,
        x_plane=rows * step,
        points=size // 2,
        first_radix=innermost(size // 2),
        column_radix=innermost(columns) if columns > 1 else 0,
    )


def tables(node: NodeView) -> Tables:
    """Order of the points, and roots of unity, of rows and of columns."""
    rows, columns = tables_of_rows(node), _floats(height(node))
    return Tables(rows.order, rows.twiddles, rows.split, columns.order, columns.twiddles)


def numbers(node: NodeView) -> int:
    """float32 numbers that the points of a row or a column take."""
    return max(length(node), 2 * height(node))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Spectra in numpy."""
    first = inputs[0][..., : height(node), : length(node)]
    by = Arithmetic(f32, tables_of_rows(node), inverse=False)
    found = spectra(by, first.reshape(-1, first.shape[-1]), length(node))
    if height(node) > 1:
        found = _with_columns(node, found.reshape(-1, first.shape[-2], length(node) + 2))
    return [found.reshape(node["y"].shape)]


def _with_columns(node: NodeView, rows: Array) -> Array:
    """Planes of transformed columns from spectra of rows, which zeros extend."""
    planes = np.pad(rows, ((0, 0), (0, height(node) - rows.shape[1]), (0, 0)))
    by = Arithmetic(f32, _floats(height(node)), inverse=False)
    with np.errstate(over="ignore", invalid="ignore"):
        found = by.transform(np.swapaxes(by.numbers(planes), -1, -2))
    return by.array(np.swapaxes(found, -1, -2))


def inexact(node: NodeView) -> str:
    """Error of the transform in float32."""
    return (
        "by up to 2^-18 of the sum of a plane's magnitudes, as LiteRT computes in double precision"
    )


ROWS = Kernel("rows", RowParams, plan_of_rows, FloatTables, {"z": f32}, cost=per_element(52.0))
REFERENCE = reference(params, tables, scratch={"z": (f32, numbers)}, cost=per_element(104.0))
OP = Op(
    "rfft_2d",
    legalize=(Rename("tflite.RFFT2D"),),
    inputs=(Input("x", f32), Input("fft_length", i32, constant=True)),
    outputs=(Output("y", f32),),
    attributes=(Attribute("pairs", bool, default=False),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    variants=(Variant({}, (ROWS, REFERENCE), inexact=inexact),),
    examples=(
        Example.of({"pairs": True}, x=(3, 1, 8), fft_length=[1, 8], y=(3, 1, 5, 2)),
        Example.of({"pairs": True}, x=(3, 3, 8), fft_length=[4, 8], y=(3, 4, 5, 2)),
    ),
)
