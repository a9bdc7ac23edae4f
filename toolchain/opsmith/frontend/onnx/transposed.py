"""ConvTranspose as TRANSPOSE_CONV, with pads cropped from the result."""

from dataclasses import replace

import numpy as np

from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.layers import Pads, automatic_pads, bias_of, numbers, weights_of, window
from opsmith.frontend.onnx.moves import cut
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import CHANNELS_LAST, StoredConstant, refuse

MOST = 1 << 10  # rows or columns inserted into a filter, or beyond the image
MOST_WEIGHTS = 1 << 22  # including inserted zeros


def conv_transpose(reader: Reader, operator: Operator) -> None:
    """Write a ConvTranspose of images."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images and sequences are read, not volumes")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    batch, *size, channels = reader.tensors[x.tensor].shape
    weights = _whole(reader, operator, weights_of(reader, operator, 1, reader.quantised(x)))
    array, quantization = weights.array, weights.quantization
    if array.shape[0] != channels:
        raise refuse(operator, f"the weights {array.shape} do not fit the channels", "MDL006")
    strides, pads, full_size = _sides(operator, size, [*array.shape[2:]])
    bias = bias_of(reader, operator, x, weights, array.shape[1])
    target = reader.target(operator, reader.quantised(x))
    reader.departs(operator, reader.quantised(x))
    full = replace(target, name=f"{target.name}_whole") if any(map(sum, pads)) else target
    shape = (batch, *full_size, array.shape[1])
    filtered = reader.constant(operator.inputs[1], array.transpose(1, 2, 3, 0), quantization)
    inputs: list[str | None] = [reader.numbers("size", shape), filtered, x.tensor, bias]
    attributes = {
        "padding": "VALID",
        "fused_activation_function": target.activation,
        "stride_h": strides[0],
        "stride_w": strides[1],
    }
    reader.write(operator, "TRANSPOSE_CONV", inputs, full, CHANNELS_LAST, shape, attributes)
    if full is not target:
        _crop(reader, operator, full, target, pads)


def _whole(reader: Reader, operator: Operator, weights: StoredConstant) -> StoredConstant:
    """Weights of one group without dilation: zeros fill the gaps of a dilated filter, and the
    channels that a group does not read.
    """
    array, quantization = weights.array, weights.quantization
    groups, steps = int(operator.attributes.get("group", 1)), numbers(operator, "dilations", [1, 1])
    if array.ndim != 4 or groups < 1 or array.shape[0] % groups:
        raise refuse(operator, f"the weights {array.shape} do not fit {groups} groups", "MDL006")
    if not 1 <= min(steps) <= max(steps) <= MOST or groups * array.size > MOST_WEIGHTS:
        raise refuse(operator, "dilations or groups make filters too large", "MDL014")
    if quantization is not None and quantization.per_channel:
        if quantization.axis != 1:
            raise refuse(operator, "the weights have scales along another axis", "MDL005")
        scales, points = quantization.scales * groups, quantization.zero_points * groups
        quantization = replace(quantization, scales=scales, zero_points=points, axis=0)
    before, after, *kernel = array.shape
    spread = [(k - 1) * step + 1 for k, step in zip(kernel, steps, strict=True)]
    made = np.zeros((before, after * groups, *spread), array.dtype)
    each = before // groups
    for group in range(groups):
        rows = slice(group * each, (group + 1) * each)
        columns = slice(group * after, (group + 1) * after)
        made[rows, columns, :: steps[0], :: steps[1]] = array[rows]
    if groups > 1:
        reader.assumed.append(f"'{shown(operator.outputs[0])}': its groups are one, with zeros")
    return StoredConstant(made, quantization)


def _sides(
    operator: Operator, size: list[int], kernel: list[int]
) -> tuple[list[int], Pads, list[int]]:
    """Strides, the pads that are cropped, and the sizes of the whole image before cropping."""
    options = operator.attributes
    plain = {name: each for name, each in options.items() if name not in ("auto_pad", "dilations")}
    found, given = window(replace(operator, attributes=plain), size, kernel)
    strides, added = [found[f"stride_{side}"] for side in "hw"], [0, 0]
    added = numbers(operator, "output_padding", added)
    if any(not 0 <= more < stride for more, stride in zip(added, strides, strict=True)):
        raise refuse(operator, "output_padding is no less than the stride", "MDL014")
    whole = [(n - 1) * s + k + a for n, s, k, a in zip(size, strides, kernel, added, strict=True)]
    automatic = automatic_pads(operator)
    same, wanted = automatic.startswith("SAME"), numbers(operator, "output_shape", [0, 0])
    if not same and not any(wanted):
        return strides, ((0, 0), (0, 0)) if automatic == "VALID" else given, whole
    wanted = [after or n * s for after, n, s in zip(wanted, size, strides, strict=True)]
    more = [max(after - n, 0) for after, n in zip(wanted, whole, strict=True)]
    less = [max(n - after, 0) for after, n in zip(wanted, whole, strict=True)]
    if (any(less) and not same) or max(more) > MOST:
        raise refuse(operator, "output_shape is not read where auto_pad does not place it")
    first, second = ((n // 2, n - n // 2) for n in less)
    pads: Pads = (first, second) if automatic == "SAME_UPPER" else (first[::-1], second[::-1])
    return strides, pads, [n + m for n, m in zip(whole, more, strict=True)]


def _crop(
    reader: Reader,
    operator: Operator,
    full: OperatorOutput,
    target: OperatorOutput,
    pads: Pads,
) -> None:
    """Write the image without its pads."""
    value = reader.values[full.name]
    height, width = reader.shape(value)[2:]
    (top, bottom), (left, right) = pads
    taken = [slice(None), slice(None), slice(top, height - bottom), slice(left, width - right)]
    if min(height - top - bottom, width - left - right) < 1:
        raise refuse(operator, "pads leave nothing", "MDL014")
    cut(reader, operator, value, target.name, taken)
