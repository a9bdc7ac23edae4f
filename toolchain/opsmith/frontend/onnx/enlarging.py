"""Handlers of Resize of images, nearest and linear."""

import math

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.means import custom
from opsmith.frontend.onnx.moves import axis_of, gathered, given
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import CHANNELS_LAST, Value, refuse, word
from opsmith.ir import Array
from opsmith.op.linear_places import MOST_PARTS, linear_places

MOST = 1 << 16  # rows or columns, whose positions are compared one by one
WAYS = ((False, False), (False, True), (True, False))  # corners aligned, centers of pixels
KEEPING = {b"not_larger": min, b"not_smaller": max}
MODES = ("asymmetric", "half_pixel", "align_corners")  # in the order of WAYS
HALF_PIXEL = ("half_pixel_symmetric", "pytorch_half_pixel")  # for all images but of one pixel


def resize(reader: Reader, operator: Operator) -> None:
    """Write a Resize of images, nearest or linear, where RESIZE_* takes pixels at its positions."""
    x, options = reader.value(operator, 0), operator.attributes
    if len(x.order) != 4:
        raise refuse(operator, "only images and sequences are read, not volumes")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    old, (sizes, scales) = reader.shape(x), _sizes(reader, operator, reader.shape(x))
    mode, where, rounding = (
        word(operator, name, default)
        for name, default in (
            ("mode", "nearest"),
            ("coordinate_transformation_mode", "half_pixel"),
            ("nearest_mode", "round_prefer_floor"),
        )
    )
    whole = bool(np.allclose(np.multiply(scales, old), sizes, rtol=1e-6, atol=0))
    if where in HALF_PIXEL and (whole if where == HALF_PIXEL[0] else 1 not in sizes[2:]):
        where = "half_pixel"
    plain = not options.get("antialias") and not options.get("exclude_outside")
    if not plain or mode not in ("nearest", "linear") or where not in (*MODES, HALF_PIXEL[1]):
        raise refuse(operator, f"mode {mode} at places {where} is not read")
    if sizes[:2] != [*old[:2]]:
        raise refuse(operator, "only rows and columns are resized")
    if mode == "linear" and not whole:
        raise refuse(operator, f"scales {scales[2:]} do not lead to whole pixels")
    made = reader.like(operator.outputs[0], x, (old[0], *sizes[2:], old[1]))
    size = reader.numbers("size", sizes[2:])
    once = mode == "linear" and reader.quantised(x) and not reader.multiplies
    if once and _few_parts(where, old[2:], sizes[2:]):
        options = custom({"places": where})
        reader.node(operator, "CUSTOM.OpsmithResizeLinear", [x.tensor, size], made, options)
        reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)
        return
    way: tuple[bool, bool] | None = WAYS[MODES.index(where)] if where in MODES else None
    if mode == "nearest":
        wanted = [
            _nearest(before, after, scale, where, rounding)
            for before, after, scale in zip(old[2:], sizes[2:], scales[2:], strict=True)
        ]
        way = _way(wanted, old[2:], sizes[2:])
        if way is None:
            places = [np.arange(old[0]), *map(np.array, wanted), np.arange(old[1])]
            reader.values[operator.outputs[0]] = gathered(reader, operator, x, places)
            return
    if way is None:
        raise refuse(operator, f"places {where}, {rounding}, are none that RESIZE takes")
    op = "RESIZE_NEAREST_NEIGHBOR" if mode == "nearest" else "RESIZE_BILINEAR"
    attributes = {"align_corners": way[0], "half_pixel_centers": way[1]}
    reader.node(operator, op, [x.tensor, size], made, attributes)
    reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)
    reader.departs(operator, mode == "linear" and reader.quantised(x))


def _few_parts(where: str, old: tuple[int, ...], sizes: list[int]) -> bool:
    """True if sums of a pixel's weighted parts fit 32 bits."""
    rows, columns = (linear_places(where, *each) for each in zip(old, sizes, strict=True))
    return rows.one * columns.one <= MOST_PARTS


def _sizes(
    reader: Reader, operator: Operator, old: tuple[int, ...]
) -> tuple[list[int], list[float]]:
    """Sizes of the output, and the scales by which positions are computed."""
    options, rank = operator.attributes, len(old)
    axes = [axis_of(operator, int(axis), rank) for axis in options.get("axes", range(rank))]
    sizes, scales = [*old], [1.0] * rank
    if asked := given(reader, operator, 3, ()):
        ratios = [after / old[axis] for axis, after in zip(axes, asked, strict=True)]
        policy = options.get("keep_aspect_ratio_policy", b"stretch")
        if policy in KEEPING:
            ratios = [KEEPING[policy](ratios)] * len(axes)
            asked = [math.floor(ratios[0] * old[axis] + 0.5) for axis in axes]
        elif policy != b"stretch":
            raise refuse(operator, "its keep_aspect_ratio_policy is none of ONNX's", "MDL014")
        for axis, after, ratio in zip(axes, asked, ratios, strict=True):
            sizes[axis], scales[axis] = after, ratio
    else:
        real = [float(each) for each in reader.real(operator, 2).reshape(-1)]
        for axis, ratio in zip(axes, real, strict=True):
            sizes[axis], scales[axis] = math.floor(ratio * old[axis]), ratio
    if min(sizes) < 1 or max(sizes) > MOST:
        raise refuse(operator, f"{old} is not resized to {sizes}", "MDL014")
    return sizes, scales


def _nearest(before: int, after: int, scale: float, where: str, rounding: str) -> list[int]:
    """Positions along an axis from which ONNX takes elements."""
    i = np.arange(after)
    x: Array = i / scale
    if where == "half_pixel" or (where == HALF_PIXEL[1] and after > 1):
        x = (i + 0.5) / scale - 0.5
    elif where != "asymmetric":
        x = i * ((before - 1) / (after - 1)) if after > 1 else i * 0.0
    match rounding:
        case "floor":
            x = np.floor(x)
        case "ceil":
            x = np.ceil(x)
        case "round_prefer_floor":
            x = np.ceil(x - 0.5)
        case "round_prefer_ceil":
            x = np.floor(x + 0.5)
        case _:
            raise ValueError(rounding)
    return [int(each) for each in np.clip(x, 0, before - 1)]


def _way(
    wanted: list[list[int]], old: tuple[int, ...], sizes: list[int]
) -> tuple[bool, bool] | None:
    """Options (corners, centers) with which RESIZE_NEAREST_NEIGHBOR takes the wanted positions
    along both axes; None if there are none.
    """
    for corners, centers in WAYS:
        found = []
        for before, after in zip(old, sizes, strict=True):
            i = np.arange(after, dtype=np.float32) + np.float32(0.5 if centers else 0)
            few = corners and after > 1
            places = i * (np.float32(before - few) / np.float32(after - few))
            places = np.floor(places + np.float32(0.5)) if corners else np.floor(places)
            found.append([int(each) for each in np.minimum(places, before - 1)])
        if found == wanted:
            return corners, centers
    return None
