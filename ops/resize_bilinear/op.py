"""ResizeBilinear: an image in another size, each pixel interpolated between four of x.

As in TFLite (kernels/internal/reference/resize_bilinear.h): places of int8 and int16 are in units
of 1/1024 pixel, places of float32 and uint8 in float; products and sums are in TFLite's order.
"""

from opsmith.op import *
from runtimes.core.notebook import ALWAYS, OF_UINT8, OTHER_FORMULA, unlike
from runtimes.families.blocks import KEPT
from runtimes.families.resize import ATTRIBUTES, INPUTS, scale, shape, sizes

from .places import (
    FINE,
    UNIT,
    fine_places,
    integer_places,
    integer_scale,
    interpolated,
    real_places,
)


@dataclass(frozen=True)
class ResizeGeometry:
    """Numbers of images and channels, and sizes of x and y."""

    batches: int
    x_size: tuple[int, int]  # height and width
    y_size: tuple[int, int]
    channels: int
    half_pixel_centers: bool  # whether pixels are where their centers are


@dataclass(frozen=True)
class Params(ResizeGeometry):
    """Sizes, and steps in x from one pixel of y to the next, down and right, in 1/1024 pixels."""

    scale: tuple[int, int]


@dataclass(frozen=True)
class RealParams(ResizeGeometry):
    """Sizes, and steps in x from one pixel of y to the next, down and right, as float32."""

    scale: tuple[float, float]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with the new height and width."""
    return [TensorType(node["x"].dtype, shape(node))]


def check(node: NodeView) -> Iterator[str]:
    """Options that exclude each other."""
    if node.attributes["align_corners"] and node.attributes["half_pixel_centers"]:
        yield "align_corners and half_pixel_centers exclude each other"


def check_integers(node: NodeView) -> Iterator[str]:
    """Problem of scales rounded up so far that TFLite reads pixels outside the image."""
    for before, after in sizes(node):
        if int(integer_places(node, before, after).low[-1]) >= before:
            yield f"from {before} to {after} pixels TFLite reads beyond the image, in 1/1024 pixels"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Interpolated image in numpy, in 1/1024 pixels, rounded to nearest, halves away from zero."""
    if node.numerics == Numerics.NOTEBOOK:
        return [_by_xnnpack(node, inputs[0])]
    rows, columns = (integer_places(node, *each) for each in sizes(node))
    sums = interpolated(inputs[0].astype(np.int64), rows, columns, UNIT)
    one = UNIT * UNIT
    return [(np.sign(sums) * ((np.abs(sums) + one // 2) // one)).astype(inputs[0].dtype)]


def _by_xnnpack(node: NodeView, x: Array) -> Array:
    """Interpolated image in numpy, in 1/2048 pixels, rounded to nearest, halves up."""
    rows, columns = (fine_places(node, *each) for each in sizes(node))
    sums = interpolated(x.astype(np.int64), rows, columns, FINE)
    return np.asarray((sums + FINE * FINE // 2) // (FINE * FINE), x.dtype)


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Interpolated image in numpy, in float32; uint8 is rounded, halves up, and -0 to 0."""
    rows, columns = (real_places(node, *each) for each in sizes(node))
    x, one = inputs[0].astype(np.float32), np.float32(1)
    rounding = np.float32(0.0 if node["x"].dtype == f32 else 0.5)
    return [(interpolated(x, rows, columns, one) + rounding).astype(inputs[0].dtype)]


def params(node: NodeView) -> Params:
    """Sizes and steps of an integer node."""
    down, right = (integer_scale(node, *each) for each in sizes(node))
    return Params(*geometry(node), (down, right))


def real_params(node: NodeView) -> RealParams:
    """Sizes and steps of a node in float."""
    down, right = (float(scale(node, *each)) for each in sizes(node))
    return RealParams(*geometry(node), (down, right))


def geometry(node: NodeView) -> tuple[int, tuple[int, int], tuple[int, int], int, bool]:
    """Fields of ResizeGeometry, in order."""
    batches, _, _, channels = node["x"].shape
    (height, down), (width, right) = sizes(node)
    half: bool = node.attributes["half_pixel_centers"]
    return batches, (height, width), (down, right), channels, half


def integer_cost(node: NodeView) -> float:
    """Instructions of an integer node for each pixel of y, and each of its elements."""
    elements, channels = node["y"].elements, node["y"].shape[3]
    return elements / max(channels, 1) * 45.0 + elements * 14.0


INTEGERS = reference(params, cost=integer_cost)
REAL = reference(real_params)


EXAMPLES = (Example.of({"half_pixel_centers": True}, x=(1, 2, 3, 4), size=[4, 6]),)
OP = Op(
    "resize_bilinear",
    legalize=(Rename("tflite.RESIZE_BILINEAR", versions=range(1, 5)),),
    inputs=INPUTS,
    attributes=ATTRIBUTES,
    infer=infer,
    check=check,
    variants=(
        *(
            Variant({"T": t}, (INTEGERS,), check=check_integers, evaluate=evaluate, numerics=rules)
            for t, rules in ((i8, ALWAYS), (i16, {}))
        ),
        Variant(
            {"T": u8}, (REAL,), evaluate=evaluate_real, numerics=unlike(OF_UINT8), examples=EXAMPLES
        ),
        Variant({"T": f32}, (REAL,), evaluate=evaluate_real, numerics=OTHER_FORMULA),
    ),
    hooks=Hooks(channels=KEPT),  # weights are 0 to 1
    examples=EXAMPLES,
)
