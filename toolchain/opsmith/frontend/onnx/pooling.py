"""Pooling: maxima and means of windows, and of whole images."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.layers import Pads, bordered, is_same, numbers, surrounded, window
from opsmith.frontend.onnx.means import even_pool, write_mean
from opsmith.frontend.onnx.moves import cut_stored
from opsmith.frontend.onnx.parts import SUM, Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import CHANNELS_LAST, Value, refuse
from opsmith.ir import Array, DType, Quantization

PLACES = 1 << 24  # positions of windows, with rows or columns around the image
MOST = 64  # rows of a dilated window; one node takes each row


@dataclass(frozen=True)
class PoolWindows:
    """Windows of a pooling operator over an image."""

    kernel: list[int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: Pads
    out: tuple[int, int]

    def options(self, padding: str) -> dict[str, object]:
        """Options of TFLite's pooling operators."""
        return {
            "padding": padding,
            "stride_w": self.strides[1],
            "stride_h": self.strides[0],
            "filter_width": self.kernel[1],
            "filter_height": self.kernel[0],
            "fused_activation_function": "NONE",
        }

    @property
    def area(self) -> int:
        """Number of elements of one window."""
        return self.kernel[0] * self.kernel[1]


def pool(reader: Reader, operator: Operator) -> None:
    """Write a MaxPool or AveragePool of images. Means of int8 are computed in float32 where windows
    are dilated, or have elements beyond the image that do not count.
    """
    x, options = reader.value(operator, 0), operator.attributes
    if len(x.order) != 4:
        raise refuse(operator, "only images and sequences are read, not volumes")
    if any(map(reader.is_read, operator.outputs[1:])):
        raise refuse(operator, "the places of greatest elements are not read")
    kernel, most = numbers(operator, "kernel_shape", [0, 0]), operator.type == "MaxPool"
    sizes = list(reader.shape(x)[2:])
    steps, pads, out = bordered(operator, sizes, kernel, bool(options.get("ceil_mode")))
    dilations = steps["dilation_h_factor"], steps["dilation_w_factor"]
    of = PoolWindows(kernel, (steps["stride_h"], steps["stride_w"]), dilations, pads, out)
    if max(sizes[i] + sum(pads[i]) for i in (0, 1)) > PLACES or np.prod(out) > PLACES:
        raise refuse(operator, f"its windows or their pads are more than {PLACES}", "MDL014")
    counted = not most and bool(options.get("count_include_pad"))
    plain = not counted and is_same(steps, sizes, kernel, pads) and dilations == (1, 1)
    counts = np.full(out, of.area)
    if not most and not plain:
        counts = _counts(operator, sizes, of, counted)
        if reader.quantised(x) and (dilations != (1, 1) or (counts != of.area).any()):
            reader.compute_literally(operator)
            x = reader.value(operator, 0)
    x = reader.ordered(operator, x, CHANNELS_LAST)
    image = x.tensor if plain else surrounded(reader, operator, x.tensor, pads, most)
    if dilations != (1, 1):
        made, area = _dilated(reader, operator, image, of), 1
    else:
        padding = "SAME" if plain and any(map(sum, pads)) else "VALID"
        made, area = _pooled(reader, operator, image, of, padding), of.area
    if not most and (counts != area).any():
        factor = (area / counts)[None, :, :, None]
        parts = Parts(reader, operator)
        made = parts.pair("MUL", made, parts.real(factor))
    reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)


def _counts(operator: Operator, sizes: list[int], of: PoolWindows, counted: bool) -> Array:
    """Number of elements that each window counts: the image's and, if `counted`, of its pads."""
    rows = []
    own = window(operator, sizes, of.kernel)[1]  # without rows that ceil_mode reads beyond them
    for axis, (size, (before, after)) in enumerate(zip(sizes, of.pads, strict=True)):
        known = np.zeros(before + size + after, np.int64)
        ends = (0, before + size + own[axis][1]) if counted else (before, before + size)
        known[slice(*ends)] = 1
        span = (of.kernel[axis] - 1) * of.dilations[axis] + 1
        windows = sliding_window_view(known, span)[:: of.strides[axis], :: of.dilations[axis]]
        rows.append(windows.sum(axis=1))
    return np.outer(*rows)


def _pooled(reader: Reader, operator: Operator, image: str, of: PoolWindows, padding: str) -> str:
    """Tensor that one pooling node writes."""
    x, options = reader.tensors[image], of.options(padding)
    most = operator.type == "MaxPool"
    op = "MAX_POOL_2D" if most else "AVERAGE_POOL_2D"
    if not most and x.quantization is not None:
        if not reader.multiplies:
            op, options = even_pool(options)
        reader.departs(operator, reader.multiplies)
    shape = (x.shape[0], *of.out, x.shape[3])
    made = reader.tensor(operator.outputs[0], shape, x.dtype, x.quantization)
    return reader.node(operator, op, [image], made, options)


def _dilated(reader: Reader, operator: Operator, image: str, of: PoolWindows) -> str:
    """Tensor of the maxima or sums of dilated windows: first along rows, then along columns."""
    if max(of.kernel) > MOST:
        raise refuse(operator, f"a dilated window has more than {MOST} rows or columns", "MDL014")
    op, options = ("MAXIMUM", {}) if operator.type == "MaxPool" else ("ADD", SUM)
    for axis, count in enumerate(of.kernel):
        found, name = "", f"{operator.outputs[0]} along {axis}"
        for first in range(0, count * of.dilations[axis], of.dilations[axis]):
            taken = [slice(None)] * 4
            end = first + (of.out[axis] - 1) * of.strides[axis] + 1
            taken[axis + 1] = slice(first, end, of.strides[axis])
            part = cut_stored(reader, operator, image, name, taken)
            if found:
                made = reader.tensor(operator.outputs[0], *_like(reader, part))
                part = reader.node(operator, op, [found, part], made, options)
            found = part
        image = found
    return image


def _like(reader: Reader, tensor: str) -> tuple[tuple[int, ...], DType, Quantization | None]:
    """Shape, type and quantisation of a tensor."""
    found = reader.tensors[tensor]
    return found.shape, found.dtype, found.quantization


def global_pool(reader: Reader, operator: Operator) -> None:
    """Write a GlobalAveragePool or GlobalMaxPool: mean or maximum of each channel."""
    x = reader.value(operator, 0)
    old = reader.tensors[x.tensor]
    axes = [place for place, axis in enumerate(x.order) if axis > 1]
    if not axes:
        raise refuse(operator, f"{old.shape} has no axes besides batch and channels", "MDL014")
    shape = tuple(1 if axis > 1 else size for axis, size in zip(x.order, old.shape, strict=True))
    if operator.type == "GlobalMaxPool":
        made = reader.like(operator.outputs[0], x, shape)
        places = reader.numbers("axes", axes)
        reader.node(operator, "REDUCE_MAX", [x.tensor, places], made, {"keep_dims": True})
        reader.values[operator.outputs[0]] = Value(made, x.order)
        return
    target = reader.target(operator, reader.quantised(x), fuses=False)
    write_mean(reader, operator, "MEAN", x.tensor, axes, target, x.order, shape)
