"""Calls of CMSIS-NN's functions for elements that move or are compared, and for an LSTM."""

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.op.view import NodeView
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.families.axes import borders
from tests.fuzz.cmsis_nn.library import Library, done, ints

GATES = ("forget", "input", "cell", "output")
SIGMOID, TANH = 0, 1
SUMS = 2.0**-12  # scale of gates before their function
UNIT = 2.0**-15  # and after it


def shape4(shape: tuple[int, ...], fill: int = 1) -> Array:
    """Four sizes: those of `shape`, after as many of `fill` as are missing."""
    if len(shape) > 4:
        raise ValueError("more axes than four")
    return ints(*(fill,) * (4 - len(shape)), *shape)


def extreme(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a MAXIMUM or MINIMUM by CMSIS-NN."""
    y = np.zeros(node["y"].shape, np.int8)
    a, b = given["a"], given["b"]
    call = [library.buffer(), a, shape4(a.shape), b, shape4(b.shape), y, shape4(y.shape)]
    done(library.call(f"arm_{node.op}_s8", *call))
    return y


def padded(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a PAD or PADV2 by CMSIS-NN."""
    y, value = np.zeros(node["y"].shape, np.int8), given.get("value")
    element = node["y"].zero_point if value is None else int(value.reshape(-1)[0])
    before, after = (shape4(each, 0) for each in zip(*borders(node), strict=True))
    done(library.call("arm_pad_s8", given["x"], y, element, shape4(node["x"].shape), before, after))
    return y


def transposed_axes(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a TRANSPOSE by CMSIS-NN."""
    x, y = given["x"], np.zeros(node["y"].shape, np.int8)
    if x.ndim > 4:
        raise ValueError("more axes than four")
    order = given["perm"].astype(np.uint32)
    sizes = [ints(*each.shape, *(1,) * (4 - each.ndim)) for each in (x, y)]
    params = Transposition(x.ndim, order.ctypes.data)
    done(library.call("arm_transpose_s8", x, y, *sizes, params))
    return y


class Transposition(ctypes.Structure):
    """The number of axes, and where each comes from."""

    _fields_ = [("axes", ctypes.c_int32), ("order", ctypes.c_void_p)]


class Gate(ctypes.Structure):
    """Weights of a gate, and how their sums are requantised."""

    _fields_ = [
        *(("x_multiplier", ctypes.c_int32), ("x_shift", ctypes.c_int32)),
        *(("x_weights", ctypes.c_void_p), ("x_bias", ctypes.c_void_p)),
        *(("h_multiplier", ctypes.c_int32), ("h_shift", ctypes.c_int32)),
        *(("h_weights", ctypes.c_void_p), ("h_bias", ctypes.c_void_p)),
        *(("bias", ctypes.c_void_p), ("function", ctypes.c_int)),
    ]


class Lstm(ctypes.Structure):
    """Sizes, multipliers and gates."""

    _fields_ = [("numbers", ctypes.c_int32 * 15), ("gates", Gate * len(GATES))]


class Buffers(ctypes.Structure):
    """Buffers of an LSTM call: scratch, and both states."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("first", "second", "cells", "hidden")]


def recurrent(library: Library, node: NodeView, given: Mapping[str, Array]) -> Array:
    """Output of a UNIDIRECTIONAL_SEQUENCE_LSTM by CMSIS-NN, whose states begin at 0."""
    if node.get("input_weights") is None:
        raise ValueError("TensorFlow Lite Micro wants weights of every gate")
    x, y = given["x"], np.zeros(node["y"].shape, node["y"].dtype.numpy)
    major, cells = int(node.attributes["time_major"]), y.shape[2]
    kept: list[Array] = []
    gates = (Gate * len(GATES))(*(_gate(node, name, kept) for name in GATES))
    cell, hidden = node["cell_state"], node["output_state"]
    clip = np.clip(node.attributes["cell_clip"] / cell.scale, -(2.0**15), 2.0**15 - 1)
    numbers = (
        *(major, x.shape[major], x.shape[1 - major], x.shape[2], cells, -node["x"].zero_point),
        *quantize_multiplier(UNIT),
        *quantize_multiplier(UNIT * UNIT / cell.scale),
        *(int(clip), round(np.log2(cell.scale))),
        *quantize_multiplier(UNIT * UNIT / hidden.scale),
        hidden.zero_point,
    )
    states = [np.zeros(x.shape[major] * cells, np.int16) for _ in range(4)]
    buffers = Buffers(*(each.ctypes.data for each in states[:3]), None)
    name = f"arm_lstm_unidirectional_s{8 * y.itemsize}"
    done(library.call(name, x, y, Lstm((ctypes.c_int32 * 15)(*numbers), gates), buffers))
    return y


def _gate(node: NodeView, name: str, kept: list[Array]) -> Gate:
    bias = node[f"{name}_bias"].data
    fields = [*_weights(node, "x", f"{name}_weights", bias, kept)]
    fields += _weights(node, "output_state", f"{name}_recurrent", np.zeros_like(bias), kept)
    kept.append(bias)
    return Gate(*fields, bias.ctypes.data, TANH if name == "cell" else SIGMOID)


def _weights(node: NodeView, x: str, name: str, bias: Array, kept: list[Array]) -> Iterator[Any]:
    weights = node[name]
    product = np.float32(node[x].scale) * np.float32(weights.scale)
    yield from quantize_multiplier(float(product) / SUMS)
    rows = weights.data.astype(bias.dtype)
    sums = bias - node[x].zero_point * rows.sum(axis=1, dtype=bias.dtype)
    kept += [weights.data, sums]
    yield from (weights.data.ctypes.data, sums.ctypes.data)


def nibbles(weights: Array) -> Array:
    """Two weights of int4 in a byte, the first in its lower half."""
    flat = np.pad(weights.reshape(-1), (0, weights.size % 2)).astype(np.uint8) & 0xF
    return (flat[::2] | flat[1::2] << 4).view(np.int8)
