"""Convolutions, matrix products and pooling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.attention import computed_product
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.means import even_pool, write_mean
from opsmith.frontend.onnx.reader import Reader, Weights
from opsmith.frontend.onnx.values import CHANNELS_LAST, Value, refuse, stated
from opsmith.ir import Array, Quantization

Pads = tuple[tuple[int, int], tuple[int, int]]


def numbers(operator: Operator, name: str, default: list[int]) -> list[int]:
    """An attribute of as many numbers as the default has."""
    found = operator.attributes.get(name, default)
    if len(found) != len(default):
        raise refuse(operator, f"{name} has {len(found)} numbers instead of {len(default)}")
    return [int(each) for each in found]


def window(operator: Operator, sizes: list[int], kernel: list[int]) -> tuple[dict[str, int], Pads]:
    """Strides, and what is added around an image of these sizes."""
    strides = numbers(operator, "strides", [1, 1])
    dilations = numbers(operator, "dilations", [1, 1])
    top, left, bottom, right = numbers(operator, "pads", [0, 0, 0, 0])
    pads: Pads = ((top, bottom), (left, right))
    if min(*strides, *dilations, *kernel) < 1 or min(top, left, bottom, right) < 0:
        raise refuse(operator, "a size, stride, dilation or pad is out of range", "MDL014")
    automatic = bytes(operator.attributes.get("auto_pad", b"NOTSET")).decode("ascii", "replace")
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        pads = _same(sizes, kernel, strides, dilations)
        if automatic == "SAME_LOWER":
            pads = (pads[0][::-1], pads[1][::-1])
    elif automatic == "VALID":
        pads = ((0, 0), (0, 0))
    steps = {"stride_h": strides[0], "stride_w": strides[1]}
    return steps | {"dilation_h_factor": dilations[0], "dilation_w_factor": dilations[1]}, pads


def _same(sizes: list[int], kernel: list[int], strides: list[int], dilations: list[int]) -> Pads:
    """Padding that TFLite's SAME adds."""
    found = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        found.append((total // 2, total - total // 2))
    return found[0], found[1]


def _beyond(size: int, pad: tuple[int, int], kernel: int, stride: int) -> int:
    """Elements after the padding that windows of ceil_mode read: none begins in the padding."""
    over = size + sum(pad) - kernel
    steps = min(-(-over // stride), (size + pad[0] - 1) // stride)
    return max(steps * stride - over, 0)


def padded(
    reader: Reader,
    operator: Operator,
    x: Value,
    kernel: list[int],
    lowest: bool = False,
    ceil: bool = False,
    counted: bool = False,
) -> tuple[str, dict[str, object], tuple[int, int]]:
    """An image with its border, the options of the window on it, and the size of the output. An
    average that counts the border needs it, however wide it is.
    """
    image = reader.tensors[x.tensor]
    sizes = list(image.shape[1:3])
    options, pads = window(operator, sizes, kernel)
    strides = [options["stride_h"], options["stride_w"]]
    dilations = [options["dilation_h_factor"], options["dilation_w_factor"]]
    if ceil:
        more = list(map(_beyond, sizes, pads, kernel, strides))
        pads = ((pads[0][0], pads[0][1] + more[0]), (pads[1][0], pads[1][1] + more[1]))
    out = [
        (size + sum(pad) - (k - 1) * d - 1) // s + 1
        for size, pad, k, s, d in zip(sizes, pads, kernel, strides, dilations, strict=True)
    ]
    if not any(map(sum, pads)):
        return x.tensor, {"padding": "VALID", **options}, (out[0], out[1])
    if pads == _same(sizes, kernel, strides, dilations) and not counted:
        return x.tensor, {"padding": "SAME", **options}, (out[0], out[1])
    borders = ((0, 0), *pads, (0, 0))
    shape = [size + sum(pad) for size, pad in zip(image.shape, borders, strict=True)]
    border = reader.like(f"{image.name}_padded", x, shape)
    inputs: list[str | None] = [x.tensor, reader.numbers("paddings", borders)]
    if lowest:
        least = image.dtype.limits[0] if image.quantization else np.finfo(np.float32).min
        array = np.array(least, image.dtype.numpy)
        inputs.append(reader.constant("lowest", array, image.quantization))
    reader.node(operator, "PADV2" if lowest else "PAD", inputs, border)
    return border, {"padding": "VALID", **options}, (out[0], out[1])


def weights_of(reader: Reader, operator: Operator, index: int, quantised: bool) -> Weights:
    """Constant weights: of int8 without zero points, or of float32."""
    name = operator.inputs[index] if index < len(operator.inputs) else ""
    if name not in reader.weights:
        raise refuse(operator, f"operand {index} is not constant")
    found = reader.weights[name]
    if not quantised:
        return Weights(found.real)
    if found.quantization is None or found.array.dtype != np.int8:
        raise refuse(operator, f"operand {index} is not quantised to 8 bits", "MDL005")
    if any(found.quantization.zero_points):
        raise refuse(operator, f"operand {index} has a zero point", "MDL005")
    return found


def bias_of(reader: Reader, operator: Operator, x: Value, weights: Weights, count: int) -> str:
    """Addends of int32 at the scale of the products, or of float32."""
    name = operator.inputs[2] if len(operator.inputs) > 2 else ""
    scale = reader.tensors[x.tensor].quantization
    if scale is None or weights.quantization is None:
        array = weights_of(reader, operator, 2, False).array if name else np.zeros(count)
        return reader.constant(f"{name}_bias", _fitting(operator, array, count).astype(np.float32))
    single = np.float32(scale.scales[0]) * np.array(weights.quantization.scales, np.float32)
    scales = tuple(float(each) for each in single)
    if name and name not in reader.weights:
        raise refuse(operator, "operand 2 is not constant")
    found = reader.weights[name] if name else Weights(np.zeros(count, np.int32))
    array = _fitting(operator, found.array, count)
    if found.quantization is None and array.dtype == np.float32:
        array = np.clip(np.rint(array / single), -(2.0**31), 2.0**31 - 1).astype(np.int32)
        reader.assumed.append(f"'{name}': the addends are rounded to int32 at the sums' scale")
    elif array.dtype != np.int32:
        raise refuse(operator, "operand 2 is not of int32", "MDL012")
    elif found.quantization is not None:
        near = np.allclose(found.quantization.scales, single, rtol=1e-5, atol=0)
        if not near or any(found.quantization.zero_points):
            raise refuse(operator, "operand 2 is not at the scale of the sums", "MDL005")
    quantization = Quantization(scales, (0,) * len(scales))
    return reader.constant(f"{name}_bias", array, quantization)


def _fitting(operator: Operator, array: Array, count: int) -> Array:
    flat = array.reshape(-1)
    if flat.size != count:
        raise refuse(operator, f"operand 2 has {flat.size} elements instead of {count}", "MDL006")
    return flat


def conv(reader: Reader, operator: Operator) -> None:
    """Conv: CONV_2D, or DEPTHWISE_CONV_2D where each group has one channel."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images are read: two axes besides batch and channels")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    batch, _, _, channels = reader.tensors[x.tensor].shape
    weights = weights_of(reader, operator, 1, reader.quantised(x))
    groups, array = int(operator.attributes.get("group", 1)), weights.array
    if array.ndim != 4 or groups < 1 or array.shape[1] * groups != channels:
        raise refuse(operator, f"the weights {array.shape} do not fit the channels", "MDL006")
    filters, each = array.shape[:2]
    if not filters or filters % groups:
        raise refuse(operator, f"{filters} filters make no {groups} groups", "MDL006")
    kernel = numbers(operator, "kernel_shape", list(array.shape[2:]))
    if tuple(kernel) != array.shape[2:]:
        raise refuse(operator, f"kernel_shape is {kernel}, the weights {array.shape}", "MDL006")
    depthwise = groups == channels and groups > 1 and each == 1
    moved = np.transpose(array, (1, 2, 3, 0) if depthwise else (0, 2, 3, 1))
    quantization = weights.quantization
    if quantization is not None and quantization.per_channel:
        if quantization.axis:
            raise refuse(operator, "the weights have scales along another axis", "MDL005")
        quantization = replace(quantization, axis=3 if depthwise else 0)
    image, options, size = padded(reader, operator, x, kernel)
    bias = bias_of(reader, operator, x, weights, filters)
    target = reader.target(operator, reader.quantised(x))
    options["fused_activation_function"] = target.activation
    if depthwise:
        options["depth_multiplier"] = filters // channels
    filtered = reader.constant(operator.inputs[1], moved, quantization)
    op, shape = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", (batch, *size, filters)
    reader.write(operator, op, [image, filtered, bias], target, CHANNELS_LAST, shape, options)


def product(reader: Reader, operator: Operator) -> None:
    """Gemm, and MatMul with constants: FULLY_CONNECTED."""
    if operator.type == "MatMul" and not _is_matrix(reader, operator):
        computed_product(reader, operator)
        return
    x, options = reader.value(operator, 0), operator.attributes
    x = reader.ordered(operator, x, stated(len(x.order)))
    given = reader.tensors[x.tensor].shape
    gemm = operator.type == "Gemm"
    if options.get("transA") or {options.get("alpha", 1.0), options.get("beta", 1.0)} != {1.0}:
        raise refuse(operator, "alpha, beta and transA are not read but as 1, 1 and 0")
    weights = weights_of(reader, operator, 1, reader.quantised(x))
    array, quantization = weights.array, weights.quantization
    kept = 0 if options.get("transB") else 1  # the axis of outputs
    if array.ndim != 2 or array.shape[1 - kept] != given[-1] or (gemm and len(given) != 2):
        raise refuse(operator, f"the weights {array.shape} do not fit {given}", "MDL006")
    if quantization is not None and quantization.per_channel:
        if quantization.axis != kept:
            raise refuse(operator, "the weights have scales along another axis", "MDL005")
        quantization = replace(quantization, axis=0)
    array = array.T if kept else array
    if x.tensor in reader.columns:
        array = array[:, reader.columns[x.tensor]]
    bias = bias_of(reader, operator, x, weights, len(array))
    target = reader.target(operator, reader.quantised(x))
    filtered = reader.constant(operator.inputs[1], array, quantization)
    attributes = {
        "fused_activation_function": target.activation,
        "weights_format": 0,
        "keep_num_dims": len(given) != 2,
        "asymmetric_quantize_inputs": False,
    }
    inputs: list[str | None] = [x.tensor, filtered, bias]
    shape = (*given[:-1], len(array))
    reader.write(operator, "FULLY_CONNECTED", inputs, target, x.order, shape, attributes)


def _is_matrix(reader: Reader, operator: Operator) -> bool:
    """Whether the second operand is constant, and the same for all of the first."""
    found = reader.weights.get(operator.inputs[1])
    return found is not None and found.array.ndim == 2


def pool(reader: Reader, operator: Operator) -> None:
    """MaxPool and AveragePool."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images are read: two axes besides batch and channels")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    kernel, most = numbers(operator, "kernel_shape", [0, 0]), operator.type == "MaxPool"
    options = operator.attributes
    dilated = set(options.get("dilations", [1])) != {1}
    if dilated or len([o for o in operator.outputs if o]) > 1:
        raise refuse(operator, "dilations and indices are not read")
    ceil = bool(options.get("ceil_mode"))
    counted = not most and bool(options.get("count_include_pad"))
    image, steps, size = padded(reader, operator, x, kernel, most, ceil, counted)
    if not most and image != x.tensor and (ceil or not counted):
        raise refuse(operator, "pads other than SAME's are not read")
    attributes = {
        "padding": steps["padding"],
        "stride_w": steps["stride_w"],
        "stride_h": steps["stride_h"],
        "filter_width": kernel[1],
        "filter_height": kernel[0],
        "fused_activation_function": "NONE",
    }
    old = reader.tensors[x.tensor]
    op = "MAX_POOL_2D" if most else "AVERAGE_POOL_2D"
    if not most and reader.quantised(x) and not reader.multiplies:
        op, attributes = even_pool(attributes)
    made = reader.like(operator.outputs[0], x, (old.shape[0], *size, old.shape[3]))
    reader.node(operator, op, [image], made, attributes)
    reader.values[operator.outputs[0]] = Value(made, CHANNELS_LAST)
    if not most and reader.quantised(x):
        reader.departs(operator, reader.multiplies)


def global_average(reader: Reader, operator: Operator) -> None:
    """GlobalAveragePool: MEAN over rows and columns."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images are read: two axes besides batch and channels")
    x = reader.ordered(operator, x, CHANNELS_LAST)
    target = reader.target(operator, reader.quantised(x), fuses=False)
    batch, _, _, channels = reader.tensors[x.tensor].shape
    shape = (batch, 1, 1, channels)
    write_mean(reader, operator, "MEAN", x.tensor, [1, 2], target, CHANNELS_LAST, shape)
