"""`python -m tests.fuzz.served --count=N --seed=S`: layers of every type, geometry and scale.

On every core with the DSP extension or Helium another kernel than the reference must fit each layer
of integers, and with an FPU too each of float32 by int8 and each transposed convolution of float32;
the trial says which has none, and why others refuse it. Not drawn is what the reference alone
computes: scales of products below 2^-23, weights of uint8 that are 0, transposed convolutions of
uint8, which have kernels for multipliers below 1/2 and paired weights, those of float32 by int8,
which LiteRT adds up product by product, those of float32 of fewer than four channels, LSTMs of
float32, and gates of int16 whose multipliers are 1/4 and more.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ops.svdf.test_svdf import Svdf
from ops.unidirectional_sequence_lstm.test_unidirectional_sequence_lstm import I16, Lstm
from opsmith.legalize.decompose import decompose
from opsmith.pipeline import Reading, read
from opsmith.select.choice import refusals
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import Conv, Conv16, ConvF32, ConvU8, TransposeConv
from runtimes.families.depthwise_cases import Depthwise, Depthwise16, DepthwiseF32, DepthwiseU8
from runtimes.families.matmul_cases import BatchMatMul, DynamicMatMul, MatMul
from tests.fuzz.trained import FPU, cores
from tests.fuzz.trials import Limits, command

Build = Callable[[ModelWriter], None]
Shape = tuple[int, ...]
Pair = tuple[int, int]
WINDOWS: tuple[Pair, ...] = ((1, 1), (1, 1), (3, 3), (3, 3), (5, 5), (7, 7), (1, 4), (9, 1), (2, 3))
TYPES = ("int8", "uint8", "int16", "float32")
SCALES = (0.002, 0.01, 0.3, 1.0, 50.0)  # of y


def trial(chance: Random, folder: Path) -> str:
    """The kind of a layer that every core has another kernel for than the reference."""
    made = chance.choice([*KINDS])
    kind = chance.choice(KINDS[made])
    build = made(chance, kind)
    unserved = [*by_reference(build, folder, floats=kind == "float32")]
    assert not unserved, unserved
    return f"{type(build).__name__} {kind}"


def by_reference(build: Build, folder: Path, *, floats: bool) -> Iterator[str]:
    """A line for each core where only the reference computes a layer."""
    path, ops = folder / "m.tflite", shipped_ops()
    path.write_bytes(merged_model([Case("layer", build)]))
    graph = read(path, "m", ops, Reading())[1]
    for name, features in cores().items():
        if floats and not features & FPU:
            continue
        decomposed = decompose(graph, ops, features)
        for node in select_kernels(decomposed, ops, features).nodes:
            assert node.kernel is not None
            if all(each.refused for each in node.kernel.candidates if each.name != "reference"):
                yield f"{name}: {build}: {refusals(node.kernel.candidates)}"


def _geometry(chance: Random, channels: int) -> tuple[Shape, Pair, Pair, dict[str, Any]]:
    """Shape of x, window, height and width of y, and options."""
    window, stride = chance.choice(WINDOWS), (chance.randint(1, 2), chance.randint(1, 2))
    dilation = chance.choice(((1, 1), (1, 1), (2, 1), (1, 2), (3, 3)))
    if dilation != (1, 1):
        stride = (1, 1)
    y = chance.randint(1, 8), chance.randint(1, 8)
    sizes = zip(y, stride, window, dilation, strict=True)
    x = chance.randint(1, 2), *((n - 1) * s + (k - 1) * d + 1 for n, s, k, d in sizes), channels
    padding = chance.choice(("SAME", "VALID"))
    if padding == "SAME":
        y = -(-x[1] // stride[0]), -(-x[2] // stride[1])
    options = dict(zip(("stride_h", "stride_w"), stride, strict=True))
    options |= dict(zip(("dilation_h_factor", "dilation_w_factor"), dilation, strict=True))
    activation = chance.choice(("NONE", "RELU", "RELU6"))
    return x, window, y, options | {"padding": padding, "fused_activation_function": activation}


def _convolution(chance: Random, kind: str) -> Build:
    groups = chance.choice((1, 1, 2, 4, 8)) if kind in ("int8", "float32") else 1
    inputs, outputs = groups * chance.randint(1, 24), groups * chance.randint(1, 12)
    x, window, y, options = _geometry(chance, inputs)
    shapes = x, (outputs, *window, inputs // groups), (x[0], *y, outputs)
    many = outputs if groups > 1 else chance.choice((1, outputs))
    match kind:
        case "int8":
            scales = [0.03 * 10 ** chance.uniform(-3, 0) for _ in range(outputs)]
            return Conv(*shapes, options, y_scale=chance.choice(SCALES), filter_scale=scales)
        case "uint8":
            return ConvU8(*shapes, options, **_unsigned(chance, "filter_zero_point"))
        case "int16":
            return Conv16(*shapes, options, y_scale=chance.choice(SCALES), filter_scales=many)
    return ConvF32(*shapes, options, filter_scales=many)


def _depthwise(chance: Random, kind: str) -> Build:
    filters, inputs = chance.choice((1, 1, 2, 3, 8)), chance.randint(4, 40)
    x, window, y, options = _geometry(chance, inputs)
    outputs = inputs * filters
    shapes = x, (1, *window, outputs), (x[0], *y, outputs)
    if kind == "uint8":
        return DepthwiseU8(*shapes, options, **_unsigned(chance, "filter_zero_point"))
    if kind == "float32":
        return DepthwiseF32(*shapes, options, filter_scales=outputs)
    made = Depthwise if kind == "int8" else Depthwise16
    return made(
        x,
        window,
        filters,
        options["padding"],
        (options["stride_h"], options["stride_w"]),
        (options["dilation_h_factor"], options["dilation_w_factor"]),
        options["fused_activation_function"],
        y_scale=chance.choice(SCALES),
    )


def _dense(chance: Random, kind: str) -> Build:
    x, channels = (chance.choice((1, 2, 6)), chance.choice((1, 3, 32, 600))), chance.randint(1, 20)
    scales, y_scale = chance.choice((1, channels)), chance.choice(SCALES)
    match kind:
        case "uint8":
            made = _unsigned(chance, "weights_zero_point")
            return MatMul(x, channels, dtype=kind, y_zero_point=110, **made)
        case "int16":
            made = {"x_zero_point": 0, "y_zero_point": 0, "bias_type": "int64", "x_scale": 0.001}
            return MatMul(x, channels, dtype=kind, y_scale=y_scale, **made)
        case "float32":
            asymmetric = chance.random() < 0.5
            return DynamicMatMul(x, channels, weights_scales=scales, asymmetric=asymmetric)
    return MatMul(x, channels, y_scale=y_scale, weights_scales=scales)


def _transposed(chance: Random, kind: str) -> Build:
    sizes = (2, 6, 6, 20, 12)
    batches, height, width, inputs, outputs = (chance.randint(1, most) for most in sizes)
    size, stride = chance.randint(1, 5), chance.randint(1, 3)
    made = TransposeConv(
        (batches, height, width, inputs),
        (outputs, size, size, inputs),
        (batches, height * stride, width * stride, outputs),
        strides=(stride, stride),
        x_type=kind,
    )
    if kind == "float32":
        filters, y = (outputs + 3, *made.filter[1:]), (*made.y[:3], outputs + 3)
        return replace(made, filter=filters, y=y, filter_type=kind, bias_type=kind, bias=1)
    bias, scales = "int64" if kind == "int16" else "int32", chance.choice((1, outputs))
    return replace(made, scales=scales, bias_type=bias, y_scale=chance.choice(SCALES))


def _recurrent(chance: Random, kind: str) -> Build:
    batches, depth, units = (chance.randint(1, most) for most in (2, 40, 24))
    if kind == "int8" and chance.random() < 0.4:
        scales = 0.002 * 10 ** chance.uniform(0, 2), chance.choice(SCALES)
        return Svdf((batches, depth), units, chance.randint(1, 3), chance.randint(1, 10), scales)
    made = replace(I16, hidden=(2.0**-15, 0)) if kind == "int16" else Lstm(dtype=kind)
    return replace(
        made,
        x=(batches, chance.randint(1, 4), depth),
        cells=units,
        weight_scale=10 ** chance.uniform(-3.5, -1.3),
        cell_power=float(chance.randint(-15, -9)),
        coupled=kind == "float32" and chance.random() < 0.3,
        dynamic=chance.choice(("range", "largest")) if kind == "float32" else "",
    )


def _product(chance: Random, kind: str) -> Build:
    batches, rows, depth, columns = (chance.choice((1, 2, 8, 31)) for _ in range(4))
    adjoint, a = chance.random() < 0.5, (batches, rows, depth)
    if kind == "float32":
        constant = (columns, depth) if adjoint else (depth, columns)
        weights = np.random.default_rng(depth).integers(-127, 128, constant).astype(np.int8)
        types = ("float32", "int8")
        return BatchMatMul(a, weights, adj_y=adjoint, types=types, by_range=True)
    b = (batches, columns, depth) if adjoint else (batches, depth, columns)
    scales = (0.05, 0.03, chance.choice(SCALES))
    return BatchMatMul(a, b, adj_y=adjoint, types=(kind, kind), scales=scales)


def _unsigned(chance: Random, of_weights: str) -> dict[str, Any]:
    """Scale of y and zero points of a layer of uint8, by name."""
    zeros = {"x_zero_point": chance.randint(0, 255), of_weights: chance.randint(1, 255)}
    return {"y_scale": chance.choice(SCALES), **zeros}


KINDS: dict[Callable[[Random, str], Build], tuple[str, ...]] = {
    _convolution: TYPES,
    _depthwise: TYPES,
    _dense: TYPES,
    _transposed: ("int8", "int16", "float32"),
    _recurrent: ("int8", "int16", "float32"),
    _product: ("int8", "int16", "float32"),
}

if __name__ == "__main__":
    sys.exit(command("served", trial, Limits(30, 1024), sys.argv[1:]))
