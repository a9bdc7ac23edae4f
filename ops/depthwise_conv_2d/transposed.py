"""Axes of an image for kernels that copy a channel to a plane: rows are the longer lines.

Longer rows are fewer to begin, whether copied or computed.
"""

from opsmith.op import Array, NodeView

from .i8.params import Axis, axes


def is_transposed(node: NodeView) -> bool:
    """True if the plane's rows are columns of the image."""
    _, height, width, _ = node["y"].shape
    return height > width


def plane_axes(node: NodeView) -> tuple[Axis, Axis]:
    """Axes (down, right) of the plane."""
    down, right = axes(node)
    return (right, down) if is_transposed(node) else (down, right)


def plane_geometry(node: NodeView) -> dict[str, int]:
    """Params of the geometry of filters over the plane."""
    down, right = plane_axes(node)
    return {
        "input_height": down.input,
        "input_width": right.input,
        "output_height": down.output,
        "output_width": right.output,
        "stride_height": down.stride,
        "stride_width": right.stride,
        "padding_top": down.padding,
        "padding_left": right.padding,
        "transposed": is_transposed(node),
    }


def plane_weights(node: NodeView, weights: Array) -> Array:
    """Weights [channels][9] by rows of the plane: [channels][3][3]."""
    by_row = weights.reshape(-1, 3, 3)
    return by_row.transpose(0, 2, 1) if is_transposed(node) else by_row
