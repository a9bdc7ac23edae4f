"""Operators that make images larger: Resize and ConvTranspose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.layers import Pads, bias_of, numbers, weights_of, window
from opsmith.frontend.onnx.means import custom
from opsmith.frontend.onnx.moves import cut, given
from opsmith.frontend.onnx.reader import Reader, Target
from opsmith.frontend.onnx.values import CHANNELS_LAST, Value, refuse
from opsmith.ir import Array
from opsmith.op.linear_places import MOST_PARTS, linear_places

MOST = 1 << 16  # rows or columns, each of which has a place that is compared
WAYS = ((False, False), (False, True), (True, False))  # corners aligned, centers of pixels
MODES = ("asymmetric", "half_pixel", "align_corners")  # in the order of WAYS
HALF_PIXEL = ("half_pixel_symmetric", "pytorch_half_pixel")  # which it is but for lone pixels


def resize(reader: Reader, operator: Operator) -> None:
    """Resize of images, nearest or linear, where RESIZE_* takes the same places."""
    x, options = reader.value(operator, 0), operator.attributes
    if len(x.order) != 4:
        raise refuse(operator, "only images are read: two axes besides batch and channels")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    old, (sizes, scales) = reader.shape(x), _sizes(reader, operator, reader.shape(x))
    mode, where, rounding = (
        bytes(options.get(name, default)).decode("ascii", "replace")
        for name, default in (
            ("mode", b"nearest"),
            ("coordinate_transformation_mode", b"half_pixel"),
            ("nearest_mode", b"round_prefer_floor"),
        )
    )
    whole = bool(np.allclose(np.multiply(scales, old), sizes, rtol=1e-6, atol=0))
    if where in HALF_PIXEL and (whole if where == HALF_PIXEL[0] else 1 not in sizes[2:]):
        where = "half_pixel"
    plain = not options.get("antialias") and not options.get("exclude_outside")
    if not plain or mode not in ("nearest", "linear") or where not in (*MODES, HALF_PIXEL[1]):
        raise refuse(operator, f"mode {mode} at places {where} is not read")
    if sizes[:2] != [*old[:2]] or options.get("axes"):
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
        raise refuse(operator, f"places {where}, {rounding}, are none that RESIZE takes")
    op = "RESIZE_NEAREST_NEIGHBOR" if mode == "nearest" else "RESIZE_BILINEAR"
    attributes = {"align_corners": way[0], "half_pixel_centers": way[1]}
    reader.node(operator, op, [x.tensor, size], made, attributes)
    reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)
    reader.departs(operator, mode == "linear" and reader.quantised(x))


def _few_parts(where: str, old: tuple[int, ...], sizes: list[int]) -> bool:
    """Whether sums of a pixel's parts fit 32 bits."""
    rows, columns = (linear_places(where, *each) for each in zip(old, sizes, strict=True))
    return rows.one * columns.one <= MOST_PARTS


def _sizes(
    reader: Reader, operator: Operator, old: tuple[int, ...]
) -> tuple[list[int], list[float]]:
    """The sizes after, and the scales by which places are found."""
    sizes = given(reader, operator, 3, ())
    if sizes:
        scales = [after / before for after, before in zip(sizes, old, strict=True)]
    else:
        scales = [float(each) for each in reader.real(operator, 2).reshape(-1)]
        sizes = [int(np.floor(s * before)) for s, before in zip(scales, old, strict=True)]
    stretched = operator.attributes.get("keep_aspect_ratio_policy", b"stretch") == b"stretch"
    if not stretched or min(sizes) < 1 or max(sizes) > MOST:
        raise refuse(operator, f"{old} is not resized to {sizes}", "MDL014")
    return sizes, scales


def _nearest(before: int, after: int, scale: float, where: str, rounding: str) -> list[int]:
    """The places that ONNX takes elements from."""
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
    """The options by which RESIZE_NEAREST_NEIGHBOR takes these places along both axes."""
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


def conv_transpose(reader: Reader, operator: Operator) -> None:
    """ConvTranspose of one group: TRANSPOSE_CONV, of which pads take a border away."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images are read: two axes besides batch and channels")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    batch, *size, channels = reader.tensors[x.tensor].shape
    weights = weights_of(reader, operator, 1, reader.quantised(x))
    array, quantization = weights.array, weights.quantization
    if array.ndim != 4 or array.shape[0] != channels:
        raise refuse(operator, f"the weights {array.shape} do not fit the channels", "MDL006")
    automatic = operator.attributes.get("auto_pad", b"NOTSET") != b"NOTSET"
    if automatic or int(operator.attributes.get("group", 1)) != 1:
        raise refuse(operator, "groups and auto_pad are not read")
    if "output_shape" in operator.attributes:
        raise refuse(operator, "output_shape is not read: pads say it")
    if quantization is not None and quantization.per_channel:
        if quantization.axis != 1:
            raise refuse(operator, "the weights have scales along another axis", "MDL005")
        quantization = replace(quantization, axis=0)
    kernel, added = [*array.shape[2:]], numbers(operator, "output_padding", [0, 0])
    options, pads = window(operator, size, kernel)
    if {options.pop("dilation_h_factor"), options.pop("dilation_w_factor")} != {1}:
        raise refuse(operator, "dilations are not read")
    strides = [options["stride_h"], options["stride_w"]]
    if any(not 0 <= more < stride for more, stride in zip(added, strides, strict=True)):
        raise refuse(operator, "output_padding is no less than the stride", "MDL014")
    whole = [(n - 1) * s + k + a for n, s, k, a in zip(size, strides, kernel, added, strict=True)]
    bias = bias_of(reader, operator, x, weights, array.shape[1])
    target = reader.target(operator, reader.quantised(x))
    reader.departs(operator, reader.quantised(x))
    full = replace(target, name=f"{target.name}_whole") if any(map(sum, pads)) else target
    shape = (batch, *whole, array.shape[1])
    filtered = reader.constant(operator.inputs[1], array.transpose(1, 2, 3, 0), quantization)
    inputs: list[str | None] = [reader.numbers("size", shape), filtered, x.tensor, bias]
    attributes = {"padding": "VALID", "fused_activation_function": target.activation, **options}
    reader.write(operator, "TRANSPOSE_CONV", inputs, full, CHANNELS_LAST, shape, attributes)
    if full is not target:
        _crop(reader, operator, full, target, pads)


def _crop(
    reader: Reader,
    operator: Operator,
    full: Target,
    target: Target,
    pads: Pads,
) -> None:
    """Take the pads away from the whole image."""
    value = reader.values[full.name]
    height, width = reader.shape(value)[2:]
    (top, bottom), (left, right) = pads
    taken = [slice(None), slice(None), slice(top, height - bottom), slice(left, width - right)]
    if min(height - top - bottom, width - left - right) < 1:
        raise refuse(operator, "pads leave nothing", "MDL014")
    cut(reader, operator, value, target.name, taken)
