"""Calls of CMSIS-NN's functions for one node, with the arguments that TensorFlow Lite Micro gives.

Structs of the library that are of int32 throughout are arrays here.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.ir.types import i8, i16
from opsmith.op.clamp import clamp_range
from opsmith.op.view import NodeView
from runtimes.cmsis.cmsis_nn import NnConvolution, NnDepthwise
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.per_channel import bias_of, channel_multipliers
from runtimes.core.straight_lines import straight_lines
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.matmul import scales
from runtimes.families.pool_windows import pool_params
from tests.fuzz.cmsis_nn.further_calls import extreme, nibbles, padded, recurrent, transposed_axes
from tests.fuzz.cmsis_nn.library import Context, Library, Pointers, done, ints, pointers

SPARE = 64  # taps: of int16 in groups CMSIS-NN reads weights that are not there
DIFFERENCE_BITS = 5  # of integers, of the differences that int8's SOFTMAX scales
EXP_STEP = 10.0 / 65535.0  # between elements of int16's table of exponentials
LEFT_SHIFT = {i8: 20, i16: 15}  # bits of headroom that addends are scaled up by

Call = Callable[[Library, NodeView, Mapping[str, Array]], Array]  # of operands by name


def _result(node: NodeView) -> Array:
    return np.zeros(node["y"].shape, node["y"].dtype.numpy)


def _by_channel(node: NodeView) -> Pointers:
    multiplier, shift = channel_multipliers(node)
    return pointers(multiplier, shift.astype(np.int32))


def _bits(node: NodeView) -> int:
    return 8 * node["x" if "x" in node.tensors else "a"].dtype.numpy.itemsize


def of_int4(node: NodeView, name: str) -> bool:
    """Whether weights are stored as int4 in the model."""
    return node[name].packed == 4


def _image(node: NodeView, name: str) -> Array:
    return ints(*node[name].shape)


def _offsets(node: NodeView) -> tuple[int, int]:
    return -node["x"].zero_point, node["y"].zero_point


def convolution(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a CONV_2D or DEPTHWISE_CONV_2D by CMSIS-NN."""
    deep = node.op == "conv_2d"
    p: Any = (
        CONVOLUTION.params(NnConvolution, node) if deep else DEPTHWISE.params(NnDepthwise, node)
    )
    x, y, bits = given["x"], _result(node), _bits(node)
    multiplier = () if deep else (y.shape[3] // x.shape[3],)
    params = ints(
        *_offsets(node),
        *multiplier,
        *(p.stride_width, p.stride_height, p.padding_left, p.padding_top),
        *(p.dilation_width, p.dilation_height, *clamp_range(node)),
    )
    weights = np.resize(node["filter"].data, p.output_channels * x.shape[3] * SPARE)
    if of_int4(node, "filter"):
        weights, bits = nibbles(node["filter"].data), 4
    bias: Any = bias_of(node)
    if deep and bits == 16:
        made = Context(bias.ctypes.data, int(bias.dtype == np.int32))
        made.kept, bias = bias, made
    kind = "convolve" if deep else "depthwise_conv"
    done(
        library.call(
            f"arm_{kind}_wrapper_s{bits}",
            library.buffer(),
            params,
            _by_channel(node),
            *(_image(node, "x"), x, _image(node, "filter"), weights),
            *(ints(1, 1, 1, y.shape[3]), bias, _image(node, "y"), y),
        )
    )
    return y


def transposed(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a TRANSPOSE_CONV by CMSIS-NN; TensorFlow Lite Micro does not pass its activation
    on.
    """
    a, y = node.attributes, _result(node)
    totals = []
    for axis, along in ((2, "width"), (1, "height")):
        stride, window, size = a[f"stride_{along}"], node["filter"].shape[axis], y.shape[axis]
        same = a["padding"] == "SAME"
        steps = -(-size // stride) if same else (size - window + stride) // stride
        totals.append(max((steps - 1) * stride + window - size, 0))
    params = ints(
        *(*_offsets(node), a["stride_width"], a["stride_height"]),
        *(each // 2 for each in totals),
        *(each // 2 + each % 2 for each in totals),
        *(1, 1, -128, 127),
    )
    done(
        library.call(
            "arm_transpose_conv_wrapper_s8",
            *(library.buffer(), library.buffer(), params, _by_channel(node)),
            *(_image(node, "x"), given["x"], _image(node, "filter"), node["filter"].data),
            *(ints(1, 1, 1, y.shape[3]), bias_of(node), _image(node, "y"), y),
        )
    )
    return y


def fully_connected(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a FULLY_CONNECTED by CMSIS-NN: of more than two axes and a depth in fours, by a 1x1
    convolution.
    """
    weights, y = node["weights"].data, _result(node)
    channels, depth = weights.shape
    rows, bias = y.size // channels, None if node.get("bias") is None else node["bias"].data
    pairs = [quantize_multiplier(each) for each in scales(node).tolist()]
    multiplier, shift = (ints(*each) for each in zip(*pairs, strict=True))
    (low, high), (x_offset, y_offset) = clamp_range(node), _offsets(node)
    images = ints(rows, 1, 1, depth), ints(1, 1, 1, channels), ints(rows, 1, 1, channels)
    filter_ = ints(depth, 1, 1, channels)
    operands = (images[0], given["x"], filter_, weights, images[1], bias, images[2], y)
    by_channel = len(pairs) > 1
    fc = ints(x_offset, 0, y_offset, low, high)
    if _bits(node) == 16 or of_int4(node, "weights"):
        name = "arm_fully_connected_s16" if _bits(node) == 16 else "arm_fully_connected_s4"
        packed = [nibbles(each) if each is weights and "s4" in name else each for each in operands]
        found = library.call(name, library.buffer(), fc, ints(*pairs[0]), *packed)
    elif len(y.shape) > 2 and depth % 4 == 0:
        every = [np.resize(each, channels) for each in (multiplier, shift)]
        params = ints(x_offset, y_offset, 1, 1, 0, 0, 1, 1, low, high)
        name = "arm_convolve_1x1_s8_fast"
        found = library.call(
            name, library.buffer(), params, pointers(every[0], every[1]), *operands
        )
    else:
        factors = pointers(multiplier, shift, int(by_channel))
        name = "arm_fully_connected_wrapper_s8"
        found = library.call(name, library.buffer(), fc, factors, *operands)
    done(found)
    return y


def filtered_over_time(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of an SVDF by CMSIS-NN, with a state of int16 that begins at 0."""
    y, state = _result(node), np.zeros(node["state"].shape, np.int16)
    features, time = node["features"].data, node["time"].data
    single = {n: np.float32(node[n].scale) for n in ("x", "features", "state", "time", "y")}
    ratios = (
        single["x"] * single["features"] / single["state"],
        single["state"] * single["time"] / single["y"],
    )
    params = ints(
        *(node.attributes["rank"], node["x"].zero_point, node["y"].zero_point),
        *(*i16.limits, *i8.limits),
    )
    call = [library.buffer(), library.buffer(), params]
    call += [ints(*quantize_multiplier(float(ratio))) for ratio in ratios]
    arrays = given["x"], state, features, time, node["bias"].data, y
    for array in arrays:
        sizes = (*array.shape, 1)[:2]
        call += [ints(*sizes, 1, 1), array]
    done(library.call("arm_svdf_state_s16_s8", *call))
    return y


def matrices(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a BATCH_MATMUL by CMSIS-NN, which gets b with its last two axes exchanged."""
    a, b, y = given["a"], given["b"], _result(node)
    if not node.attributes["adj_y"]:
        b = np.ascontiguousarray(b.swapaxes(-1, -2))
    if node.attributes["adj_x"]:
        a = np.ascontiguousarray(a.swapaxes(-1, -2))
    adjoint = int(node.attributes["adj_x"]) | int(node.attributes["adj_y"]) << 8
    offsets = (-node["a"].zero_point, -node["b"].zero_point, node["y"].zero_point)
    bits = _bits(node)
    limits = np.iinfo(y.dtype)
    params = ints(adjoint, *offsets, limits.min, limits.max)
    ratio = ints(*quantize_multiplier(_real(node, "a") * _real(node, "b") / _real(node, "y")))
    sizes = [ints(*(1,) * (4 - each.ndim), *each.shape) for each in (a, b, y)]
    call = [library.buffer(), params, ratio, sizes[0], a, sizes[1], b, sizes[2], y]
    done(library.call(f"arm_batch_matmul_s{bits}", *call))
    return y


def _real(node: NodeView, name: str) -> float:
    return float(node[name].scale)


def added(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of an ADD of tensors of one shape by CMSIS-NN."""
    y, left = _result(node), LEFT_SHIFT[node["y"].dtype]
    twice = 2 * max(_real(node, "a"), _real(node, "b"))
    a, b = (quantize_multiplier(_real(node, name) / twice) for name in "ab")
    scaled = quantize_multiplier(twice / ((1 << left) * _real(node, "y")))
    zeros = [node[name].zero_point for name in "aby"]
    call = [given["a"], given["b"], -zeros[0], *a, -zeros[1], *b, left, y, zeros[2], *scaled]
    call += [*clamp_range(node), y.size]
    done(library.call(f"arm_elementwise_add_s{_bits(node)}", *call))
    return y


def multiplied(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a MUL of tensors of one shape by CMSIS-NN."""
    y, zeros = _result(node), [node[name].zero_point for name in "aby"]
    ratio = quantize_multiplier(_real(node, "a") * _real(node, "b") / _real(node, "y"))
    call = [
        given["a"],
        given["b"],
        -zeros[0],
        -zeros[1],
        y,
        zeros[2],
        *ratio,
        *clamp_range(node),
        y.size,
    ]
    done(library.call(f"arm_elementwise_mul_s{_bits(node)}", *call))
    return y


def pooled(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of an AVERAGE_POOL_2D or MAX_POOL_2D by CMSIS-NN."""
    p, y = pool_params(node), _result(node)
    params = ints(
        *(p.stride_width, p.stride_height, p.padding_left, p.padding_top, *clamp_range(node))
    )
    window = ints(1, p.window_height, p.window_width, 1)
    kind = "avgpool" if node.op == "average_pool_2d" else "max_pool"
    images = _image(node, "x"), given["x"], window, _image(node, "y"), y
    done(library.call(f"arm_{kind}_s{_bits(node)}", library.buffer(), params, *images))
    return y


def softmax(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a SOFTMAX of int8 or int16 by CMSIS-NN."""
    y, x = _result(node), given["x"]
    rows = x.size // x.shape[-1], x.shape[-1]
    real = _real(node, "x") * float(np.float32(node.attributes["beta"]))
    if x.dtype == np.int16:
        tables = _tables()
        scaled = quantize_multiplier(real / EXP_STEP)
        call = [x, *rows, *scaled, pointers(*tables), y]
        done(library.call("arm_softmax_s16", *call))
        return y
    multiplier, shift = quantize_multiplier(min(real * (1 << 26), (1 << 31) - 1.0))
    radius = math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))
    name = "arm_softmax_s8" if y.dtype == np.int8 else "arm_softmax_s8_s16"
    library.call(name, x, *rows, multiplier, shift, -radius, y)
    return y


def _tables() -> tuple[Array, Array]:
    """Exponentials of -10 to 0 and the reciprocal of 1 + x of 0 to 1, in single precision."""
    low, high = (np.float32(2.0 / 65535 * end) for end in i16.limits)
    exponential = straight_lines(np.exp, np.float32(-10), np.float32(0), low, high)
    reciprocal = straight_lines(lambda x: 1 / (1 + x), np.float32(0), np.float32(1), low, high)
    return exponential, reciprocal


LAYERS = "int8/int8/int32 int16/int8/int64 int8/int4/int32"
BOTH = "int8 int16"
CALLS: Mapping[str, tuple[Call, str]] = {  # by operator; with types, of others it is not called
    "CONV_2D": (convolution, LAYERS),
    "DEPTHWISE_CONV_2D": (convolution, LAYERS),
    "TRANSPOSE_CONV": (transposed, "int8/int8/int32"),
    "FULLY_CONNECTED": (fully_connected, f"{LAYERS} int8/int8/none int16/int8/none"),
    "BATCH_MATMUL": (matrices, "int8/int8/int8 int16/int16/int16"),
    "ADD": (added, BOTH),
    "MUL": (multiplied, BOTH),
    "AVERAGE_POOL_2D": (pooled, BOTH),
    "MAX_POOL_2D": (pooled, BOTH),
    "SOFTMAX": (softmax, "int8/int8 int8/int16 int16/int16"),
    "MAXIMUM": (extreme, "int8"),
    "MINIMUM": (extreme, "int8"),
    "PAD": (padded, "int8"),
    "PADV2": (padded, "int8"),
    "TRANSPOSE": (transposed_axes, "int8"),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (recurrent, BOTH),
    "SVDF": (filtered_over_time, "int8/int8/int16"),
}
