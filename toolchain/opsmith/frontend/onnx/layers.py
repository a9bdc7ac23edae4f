"""Handlers of convolutions and matrix products."""

from dataclasses import replace

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.attention import check_addend, computed_gemm, computed_product, reshaped
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.forms import ADDEND
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import CHANNELS_LAST, StoredConstant, Value, refuse, stated, word
from opsmith.ir import Array, Quantization

PRODUCTS = ("Gemm", "MatMul")
AUTOMATIC = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")  # values of auto_pad
Pads = tuple[tuple[int, int], tuple[int, int]]


def numbers(operator: Operator, name: str, default: list[int]) -> list[int]:
    """Attribute of an operator with as many numbers as the default."""
    found = operator.attributes.get(name, default)
    if len(found) != len(default):
        raise refuse(operator, f"{name} has {len(found)} numbers instead of {len(default)}")
    return [int(each) for each in found]


def automatic_pads(operator: Operator) -> str:
    """Value of attribute auto_pad, one of AUTOMATIC."""
    found = word(operator, "auto_pad", AUTOMATIC[0])
    if found not in AUTOMATIC:
        raise refuse(operator, f"its auto_pad is none of {', '.join(AUTOMATIC)}", "MDL014")
    return found


def window(operator: Operator, sizes: list[int], kernel: list[int]) -> tuple[dict[str, int], Pads]:
    """Options for strides and dilations of a window, and pads around an image of given sizes."""
    strides = numbers(operator, "strides", [1, 1])
    dilations = numbers(operator, "dilations", [1, 1])
    top, left, bottom, right = numbers(operator, "pads", [0, 0, 0, 0])
    pads: Pads = ((top, bottom), (left, right))
    if min(*strides, *dilations, *kernel) < 1 or min(top, left, bottom, right) < 0:
        raise refuse(operator, "a size, stride, dilation or pad is out of range", "MDL014")
    automatic = automatic_pads(operator)
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        pads = _same(sizes, kernel, strides, dilations)
        if automatic == "SAME_LOWER":
            pads = (pads[0][::-1], pads[1][::-1])
    elif automatic == "VALID":
        pads = ((0, 0), (0, 0))
    steps = {"stride_h": strides[0], "stride_w": strides[1]}
    return steps | {"dilation_h_factor": dilations[0], "dilation_w_factor": dilations[1]}, pads


def _same(sizes: list[int], kernel: list[int], strides: list[int], dilations: list[int]) -> Pads:
    """Pads that TFLite's SAME adds around an image."""
    found = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        found.append((total // 2, total - total // 2))
    return found[0], found[1]


def _beyond(size: int, pad: tuple[int, int], kernel: int, stride: int) -> int:
    """Elements after the padding that windows of ceil_mode read; no window begins in it."""
    over = size + sum(pad) - kernel
    steps = min(-(-over // stride), (size + pad[0] - 1) // stride)
    return max(steps * stride - over, 0)


def bordered(
    operator: Operator, sizes: list[int], kernel: list[int], ceil: bool = False
) -> tuple[dict[str, int], Pads, tuple[int, int]]:
    """Options of the window over an image of given sizes, its pads, and the sizes of the output."""
    options, pads = window(operator, sizes, kernel)
    strides = [options["stride_h"], options["stride_w"]]
    dilations = [options["dilation_h_factor"], options["dilation_w_factor"]]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if ceil:
        more = list(map(_beyond, sizes, pads, spans, strides))
        pads = ((pads[0][0], pads[0][1] + more[0]), (pads[1][0], pads[1][1] + more[1]))
    sides = zip(sizes, pads, spans, strides, strict=True)
    out = [(size + sum(pad) - span) // stride + 1 for size, pad, span, stride in sides]
    if min(out) < 1:
        raise refuse(operator, f"no window of {kernel} fits an image of {sizes}", "MDL014")
    return options, pads, (out[0], out[1])


def is_same(options: dict[str, int], sizes: list[int], kernel: list[int], pads: Pads) -> bool:
    """True if pads equal those that TFLite's SAME adds for the options of a window."""
    strides = [options["stride_h"], options["stride_w"]]
    return pads == _same(
        sizes, kernel, strides, [options["dilation_h_factor"], options["dilation_w_factor"]]
    )


def surrounded(
    reader: Reader, operator: Operator, image: str, pads: Pads, lowest: bool = False
) -> str:
    """Tensor of an image with pads of zeros, or of the lowest number."""
    if not any(map(sum, pads)):
        return image
    x = reader.tensors[image]
    borders = ((0, 0), *pads, (0, 0))
    shape = [size + sum(pad) for size, pad in zip(x.shape, borders, strict=True)]
    made = reader.tensor(f"{x.name}_padded", shape, x.dtype, x.quantization)
    inputs: list[str | None] = [image, reader.numbers("paddings", borders)]
    if lowest:
        least = x.dtype.limits[0] if x.quantization else -np.inf
        array = np.array(least, x.dtype.numpy)
        inputs.append(reader.constant("lowest", array, x.quantization))
    return reader.node(operator, "PADV2" if lowest else "PAD", inputs, made)


def padded(
    reader: Reader, operator: Operator, x: Value, kernel: list[int]
) -> tuple[str, dict[str, object], tuple[int, int]]:
    """Tensor of an image with its border, options of the window on it, and the output's sizes."""
    sizes = list(reader.tensors[x.tensor].shape[1:3])
    options, pads, out = bordered(operator, sizes, kernel)
    if not any(map(sum, pads)):
        return x.tensor, {"padding": "VALID", **options}, out
    if is_same(options, sizes, kernel, pads):
        return x.tensor, {"padding": "SAME", **options}, out
    return surrounded(reader, operator, x.tensor, pads), {"padding": "VALID", **options}, out


def weights_of(reader: Reader, operator: Operator, index: int, quantised: bool) -> StoredConstant:
    """Constant weights: of int8 with zero points of 0, or of float32."""
    name = operator.inputs[index] if index < len(operator.inputs) else ""
    if name not in reader.weights:
        raise refuse(operator, f"operand {index} is not constant")
    found = reader.weights[name]
    if not quantised:
        if np.isinf(found.real).any():
            raise refuse(operator, f"operand {index} has infinite elements", "MDL014")
        return StoredConstant(found.real)
    if found.quantization is None or found.array.dtype != np.int8:
        raise refuse(operator, f"operand {index} is not quantised to 8 bits", "MDL005")
    if any(found.quantization.zero_points):
        what = f"operand {index}, constant weights, has a zero point"
        fix = "quantise weights symmetrically, as quantize_static does by a weight_type of QInt8"
        raise ToolchainError.of("MDL005", what, where=operator.name, fix=fix)
    return found


def bias_of(
    reader: Reader, operator: Operator, x: Value, weights: StoredConstant, count: int
) -> str:
    """Tensor of a layer's bias: int32 at the scale of the products, or float32."""
    name = operator.inputs[2] if len(operator.inputs) > 2 else ""
    scale = reader.tensors[x.tensor].quantization
    if scale is None or weights.quantization is None:
        array = weights_of(reader, operator, 2, False).array if name else np.zeros(count)
        return reader.constant(f"{name}_bias", _fitting(operator, array, count).astype(np.float32))
    single = np.float32(scale.scales[0]) * np.array(weights.quantization.scales, np.float32)
    scales = tuple(float(each) for each in single)
    if name and name not in reader.weights:
        raise refuse(operator, "operand 2 is not constant")
    found = reader.weights[name] if name else StoredConstant(np.zeros(count, np.int32))
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
    row = (1, count) if operator.type == "Gemm" else (count,)
    if array.shape not in ((count,), row):
        raise refuse(operator, f"operand 2 {array.shape} is not one of {count} elements", "MDL006")
    return array.reshape(-1)


def conv(reader: Reader, operator: Operator) -> None:
    """Write a Conv as CONV_2D, or as DEPTHWISE_CONV_2D where each group has one channel."""
    x = reader.value(operator, 0)
    if len(x.order) != 4:
        raise refuse(operator, "only images and sequences are read, not volumes")
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
    """Write a Gemm, or a MatMul with constants, as FULLY_CONNECTED."""
    options = operator.attributes
    if operator.type == "MatMul" and (options.get("transA") or not _is_matrix(reader, operator)):
        computed_product(reader, operator)
        return
    if operator.type == "Gemm" and operator.inputs[1] not in reader.weights:
        computed_gemm(reader, operator)
        return
    x = reader.value(operator, 0)
    x = reader.ordered(operator, x, stated(len(x.order)))
    given = reader.tensors[x.tensor].shape
    gemm = operator.type == "Gemm"
    if {options.get("alpha", 1.0), options.get("beta", 1.0)} != {1.0}:
        raise refuse(
            operator, "alpha and beta of quantised or computed tensors are not read but as 1"
        )
    weights = weights_of(reader, operator, 1, reader.quantised(x))
    axes = weights.array.ndim  # as MatMul reads it
    weights = weights if gemm else _as_matrix(weights)
    kept = 0 if options.get("transB") else 1  # axis of output channels
    if not reader.quantised(x) and axes == 2:
        weights = reader.weights[operator.inputs[1]].scaled
    array, quantization = weights.array, weights.quantization
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
    if not reader.quantised(x) and quantization is not None:  # kernels may read the integers
        real = reader.tensor(f"{operator.inputs[1]}_real", array.shape)
        filtered = reader.node(operator, "DEQUANTIZE", [filtered], real)
    shape = (*given[:-1], len(array))
    check_addend(operator, options.get(ADDEND, ()), shape)
    attributes = {
        "fused_activation_function": target.activation,
        "weights_format": 0,
        "keep_num_dims": len(given) != 2,
        "asymmetric_quantize_inputs": False,
    }
    inputs: list[str | None] = [x.tensor, filtered, bias]
    last = shape[:-1] if axes == 1 else (*(1,) * (axes - len(shape)), *shape)
    written = target if last == shape else replace(target, name=f"{target.name}_matrix")
    reader.write(operator, "FULLY_CONNECTED", inputs, written, x.order, shape, attributes)
    if last != shape:
        found = reader.values.pop(written.name)
        reader.values[target.name] = reshaped(reader, operator, found, target.name, last)


def _is_matrix(reader: Reader, operator: Operator) -> bool:
    """True if the second operand is a constant matrix, or a constant vector without infinities and
    zero points, so that the layer has unchanged weights.
    """
    found = reader.weights.get(operator.inputs[1])
    if found is None or found.array.ndim == 2:
        return found is not None
    one = found.array.ndim > 0 and all(size == 1 for size in found.array.shape[:-2])
    if found.quantization is not None and any(found.quantization.zero_points):
        return False
    return one and not np.isinf(found.real).any()


def _as_matrix(weights: StoredConstant) -> StoredConstant:
    """Weights as a matrix: a vector becomes a column, and leading axes of size 1 are dropped."""
    array, quantization = weights.array, weights.quantization
    shape = array.shape[-2:] if array.ndim > 1 else (*array.shape, 1)
    if quantization is not None and quantization.per_channel:
        quantization = replace(
            quantization, axis=max(quantization.axis - max(array.ndim - 2, 0), 0)
        )
    return StoredConstant(array.reshape(shape), quantization)
