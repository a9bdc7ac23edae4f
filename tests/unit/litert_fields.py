"""Models with fields that runtimes ignore, or without some that follow from others."""

from collections.abc import Sequence

import numpy as np

from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.unit.litert_models import Build, numbers

SLICED = (("from", (0, 0)), ("size", (2, 0)))  # nothing of two rows
ZEROS = np.zeros((2, 2), np.int8)


def shapes_left_out(m: ModelWriter) -> None:
    """Model with tensors whose shapes are not stored, among them an output."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    y = m.tensor("y", (), "int8", 0.5, 0)
    m.node("RELU", [x], [y])
    m.output(m.value("RELU", [y], m.tensor("z", (), "int8", 0.5, 0)))


def stored_for_another_batch(m: ModelWriter) -> None:
    """Model of four images, whose other tensors are stored for one image, or wrongly."""
    x = m.input("x", (4, 3, 3, 2), "int8", 0.5, 3)
    w = m.constant("w", np.arange(8, dtype=np.int8).reshape(2, 2, 1, 2), 0.25)
    b = m.constant("b", np.array([9, -9], np.int32))
    image = m.tensor("image", (1, 3, 3, 2), "int8", 1.5, -7)
    conv_2d(m, x, w, b, image)
    channels = m.tensor("channels", (1, 2), "int8", 1.5, -7)
    m.node("MEAN", [image, numbers(m, "axes", 1, 2)], [channels], {"keep_dims": False}, version=2)
    turned = m.tensor("turned", (0, 0, 0), "int8", 1.5, -7)
    m.node("TRANSPOSE", [channels, numbers(m, "order", 1, 0)], [turned])
    y = m.tensor("y", (7,), "int8", 1.0, 0)
    m.node("ADD", [turned, m.constant("one", np.ones((2, 1), np.int8), 1.0)], [y], {}, version=2)
    m.output(y)


def bodies_stored_for_another_batch(m: ModelWriter) -> None:
    """Model of an IF that is passed four rows; its bodies and output are stored for one."""
    c, x = m.input("c", (), "bool"), m.input("x", (4, 3), "float32")
    for name, op in (("then", "NEG"), ("else", "ABS")):
        body = m.subgraph(name)
        own = body.input("own", (1, 3), "float32")
        body.output(body.value(op, [own], body.tensor("made", (1, 3), "float32")))
    y = m.tensor("y", (1, 3), "float32")
    m.node("IF", [c, x], [y], {"then_subgraph_index": 1, "else_subgraph_index": 2})
    m.output(y)


def made_of_nothing(m: ModelWriter) -> None:
    """Model with constant results of empty tensors: borders, starts of reductions, zeros."""
    x, real = m.input("x", (2, 3), "int8", 0.5, 3), m.input("real", (2, 3), "float32")
    bounds = [
        numbers(m, name, *at) for name, at in (("at", (0, 0)), ("to", (0, 3)), ("by", (1, 1)))
    ]
    rows, none = m.tensor("rows", (0, 3), "int8", 0.5, 3), m.tensor("none", (0, 3), "float32")
    for given, taken in ((x, rows), (real, none)):
        m.node("STRIDED_SLICE", [given, *bounds], [taken], {})
    bordered = m.tensor("bordered", (3, 5), "int8", 0.5, 3)
    borders = m.constant("borders", np.array([[1, 2], [1, 1]], np.int32))
    m.node("PAD", [rows, borders], [bordered], version=2)
    m.output(bordered)
    for op, given in (("REDUCE_MAX", rows), ("REDUCE_MIN", none), ("SUM", none)):
        y = m.tensor(op, (3,), given.dtype, given.scale, given.zero_point)
        m.node(op, [given, numbers(m, f"{op}_axis", 0)], [y], {}, version=2)
        m.output(y)
    added = m.tensor("added", (4, 3), "float32")
    nowhere = m.tensor("nowhere", (0, 1), "int32", data=b"")
    m.node("SCATTER_ND", [nowhere, none, numbers(m, "sizes", 4, 3)], [added])
    filled, y = m.tensor("filled", (0, 3), "float32"), m.tensor("y", (2, 3), "float32")
    m.node(
        "FILL", [numbers(m, "dims", 0, 3), m.constant("one", np.array(1, np.float32))], [filled], {}
    )
    m.node("CONCATENATION", [filled, real], [y], {"axis": 0})
    m.output(added, y)


def computed_of_nothing(m: ModelWriter) -> None:
    """Model of means, products and updates of empty tensors, and with empty outputs."""
    x, of_real = m.input("x", (2, 3), "int8", 0.5, 3), m.input("of_real", (2, 3), "float32")
    none, real = m.tensor("none", (2, 0), "int8", 0.5, 3), m.tensor("real", (2, 0), "float32")
    zero_k = m.constant("k", np.array(0, np.int32))
    for whole, given in ((x, none), (of_real, real)):
        bounds = [numbers(m, f"{name}_{given.name}", *at) for name, at in SLICED]
        m.node("SLICE", [whole, *bounds], [given])
        mean = m.tensor(f"mean_{given.name}", (2,), given.dtype, given.scale, given.zero_point)
        m.node("MEAN", [given, numbers(m, f"axis_{given.name}", 1)], [mean], {}, version=2)
        m.output(mean)
    w = m.constant("w", np.zeros((3, 0), np.int8), 0.5)
    b, y = m.constant("b", np.array([9, -9, 99], np.int32)), m.tensor("y", (2, 3), "int8", 0.5, 3)
    m.node("FULLY_CONNECTED", [none, w, b], [y], {}, version=4)
    product = m.tensor("product", (2, 2), "int8", 0.5, 3)
    m.node("BATCH_MATMUL", [none, none], [product], {"adj_y": True}, version=2)
    by_bytes, by_range = m.tensor("by_bytes", (2, 3), "float32"), {"asymmetric_quantize_inputs": 1}
    columns = m.constant("columns", np.zeros((0, 3), np.int8), 0.5, 0)
    m.node("BATCH_MATMUL", [real, columns], [by_bytes], by_range, version=2)
    nothing = m.tensor("nothing", (0,), "int8", 0.5, 3)
    rows = m.constant("rows", np.zeros((0, 0), np.int8), 0.5, 3)
    m.node("REDUCE_PROD", [rows, numbers(m, "axis_rows", 1)], [nothing], {}, version=2)
    m.output(by_bytes)
    updated = m.tensor("updated", (2, 3), "int8", 0.5, 3)
    m.node("DYNAMIC_UPDATE_SLICE", [x, none, numbers(m, "at", 1, 1)], [updated])
    values, places = m.tensor("values", (2, 0), "int8", 0.5, 3), m.tensor("places", (2, 0), "int32")
    m.node("TOPK_V2", [x, zero_k], [values, places], version=2)
    joined = m.tensor("joined", (2, 3), "int8", 0.5, 3)
    m.node("CONCATENATION", [values, updated], [joined], {"axis": 1})
    images = m.tensor("images", (0, 1, 1, 1), "float32")
    m.node("RESHAPE", [real, numbers(m, "one_by_one", 0, 1, 1, 1)], [images], {})
    enlarged = m.tensor("enlarged", (0, 2, 2, 1), "float32")
    kernel, sizes = m.constant("kernel", np.ones((1, 2, 2, 1), np.float32)), (0, 2, 2, 1)
    m.node(
        "TRANSPOSE_CONV",
        [numbers(m, "sizes", *sizes), kernel, images],
        [enlarged],
        {"stride_h": 2, "stride_w": 2},
    )
    m.output(y, product, joined, enlarged)


def stored_nothing(m: ModelWriter) -> None:
    """Model with empty constants of types that are only stored."""
    x = m.input("x", (2, 3), "float32")
    parts = [x]
    for dtype, scales in (("int4", (0.5,)), ("float16", ())):
        stored = m.tensor(dtype, (0, 3), dtype, scales, data=b"")
        parts.append(m.tensor(f"wide_{dtype}", (0, 3), "float32"))
        m.node("DEQUANTIZE", [stored], [parts[-1]], version=6)
    m.output(m.value("CONCATENATION", parts, m.tensor("y", (2, 3), "float32"), {"axis": 0}))


def odd_quantisation(m: ModelWriter) -> None:
    """Quantisation that runtimes ignore: scales of tensors that are not quantised, the axis of one
    scale.
    """
    x, y = m.input("x", (1, 2, 1, 2), "int8", 0.5, -3), m.tensor("y", (1, 2, 1, 2), "int8", 0.25, 4)
    w = m.constant("w", np.array([1, -2, 3, 4], np.int8).reshape(2, 1, 1, 2), (0.1, 0.2))
    b = m.constant("b", np.array([3, -4], np.int32), (0.0, -1.0))
    conv_2d(m, x, w, b, y)
    turned = m.tensor("turned", (2, 2, 1, 1), "int8", 0.25, 4, axis=3)
    m.node("TRANSPOSE", [y, numbers(m, "order", 1, 3, 0, 2)], [turned])
    sizes = m.constant("sizes", np.array([4], np.int32), float("inf"), 2**40)
    z = m.value("RESHAPE", [turned, sizes], m.tensor("z", (4,), "int8", 0.25, 4))
    real = m.value("DEQUANTIZE", [z], m.tensor("real", (4,), "float32", float("nan"), 3), version=2)
    m.output(real)


def zero_points_of_others(m: ModelWriter) -> None:
    """Model of borders and maxima of types whose scale and zero point have no meaning."""
    borders = m.constant("borders", np.array([[1, 0], [0, 1]], np.int32))
    for dtype in ("float32", "int32"):
        x = m.input(f"x_{dtype}", (2, 2), dtype, 0.5, 3)
        y = m.value("PAD", [x, borders], m.tensor(f"y_{dtype}", (3, 3), dtype, 0.5, 3))
        value = m.constant(f"value_{dtype}", np.array([7], dtype))
        z = m.value("PADV2", [y, borders, value], m.tensor(f"z_{dtype}", (4, 4), dtype, 0.5, 3))
        largest = m.tensor(f"largest_{dtype}", (4,), dtype, 0.25, 1)
        m.node("REDUCE_MAX", [z, numbers(m, f"axis_{dtype}", 1)], [largest], {})
        image = m.tensor(f"image_{dtype}", (1, 4, 4), dtype, 0.5, 3)
        m.node("EXPAND_DIMS", [z, numbers(m, f"first_{dtype}", 0)], [image], {})
        parts = m.tensor(f"parts_{dtype}", (3, 2, 4), dtype, 0.5, 3)
        block = [numbers(m, f"block_{dtype}", 3)]
        block.append(m.constant(f"around_{dtype}", np.array([[1, 1]], np.int32)))
        m.node("SPACE_TO_BATCH_ND", [image, *block], [parts], {})
        m.output(largest, parts)


def nothing_left(m: ModelWriter) -> None:
    """Model of an empty slice and an empty tile, one of which is an output."""
    x = m.input("x", (2, 3), "int8", 0.5, 1)
    none, y = m.tensor("none", (0, 3), "int8", 0.5, 1), m.tensor("y", (2, 3), "int8", 0.5, 1)
    m.node("SLICE", [x, numbers(m, "begin", 1, 0), numbers(m, "size", 0, 3)], [none])
    m.node("CONCATENATION", [none, x], [y], {"axis": 0})
    tiled = m.tensor("tiled", (0, 3), "int8", 0.5, 1)
    m.node("TILE", [x, numbers(m, "multiples", 0, 1)], [tiled])
    m.output(y, tiled)


def bytes_of_another_meaning(m: ModelWriter) -> None:
    """Model that moves and pools bytes, with a different quantisation each time."""
    x = m.input("x", (1, 4, 6, 2), "int8", 0.5, 1)
    turned = m.tensor("turned", (1, 6, 4, 2), "int8", 0.25, 3)
    back = m.tensor("back", (1, 4, 6, 2), "int8", 0.125, -9)
    m.node("TRANSPOSE", [x, numbers(m, "over", 0, 2, 1, 3)], [turned])
    m.node("TRANSPOSE", [turned, numbers(m, "again", 0, 2, 1, 3)], [back])
    pooled = m.tensor("pooled", (1, 2, 3, 2), "int8", 2.0, 5)
    window = {"filter_height": 2, "filter_width": 2, "stride_h": 2, "stride_w": 2}
    m.node("MAX_POOL_2D", [back], [pooled], {**window, "fused_activation_function": "RELU"})
    y = m.value("DEQUANTIZE", [pooled], m.tensor("y", (1, 2, 3, 2), "float32"), version=2)
    real = m.value("DEQUANTIZE", [back], m.tensor("real", (1, 4, 6, 2), "float32"), version=2)
    m.output(y, real)


def pruned_channels(m: ModelWriter) -> None:
    """Model with filters of zeros at scale 0, and one whole layer of zeros."""
    x, y = m.input("x", (1, 3, 3, 2), "int8", 0.5, 1), m.tensor("y", (1, 3, 3, 2), "int8", 0.25, 3)
    w = m.constant("w", np.array([1, -2, 0, 0], np.int8).reshape(2, 1, 1, 2), (0.1, 0.0))
    bias = m.constant("bias", np.array([3, 77], np.int32))
    conv_2d(m, x, w, bias, y)
    deep = m.constant("deep", np.array([0, 5], np.int8).reshape(1, 1, 1, 2), (0.0, 0.1), axis=3)
    z = m.tensor("z", (1, 3, 3, 2), "int8", 0.25, -3)
    options: dict[str, OptionValue] = {"stride_h": 1, "stride_w": 1, "depth_multiplier": 1}
    m.node("DEPTHWISE_CONV_2D", [y, deep, bias], [z], options, version=3)
    flat, units = m.tensor("flat", (9, 2), "int8", 0.25, -3), m.constant("zeros", ZEROS, 0.0)
    m.node("RESHAPE", [z, numbers(m, "flattened", 9, 2)], [flat])
    sums = m.tensor("sums", (9, 2), "int8", 0.5, 7)
    m.node("FULLY_CONNECTED", [flat, units, bias], [sums], {}, version=4)
    m.output(z, sums)


def inputs_that_none_gives(m: ModelWriter) -> None:
    """Model with graph inputs that are constant, empty, or listed twice."""
    none, x = m.input("none", (0, 3), "int8", 0.5, 1), m.input("x", (2, 3), "int8", 0.5, 1)
    known = m.constant("known", np.array([[1, -2, 3]], np.int8), 0.5, 1)
    m.content.inputs += [x.index, known.index]
    y = m.tensor("y", (3, 3), "int8", 0.5, 1)
    m.node("CONCATENATION", [none, x, known], [y], {"axis": 0})
    m.output(y)


ODD_FIELDS: Sequence[Build] = (
    shapes_left_out, stored_for_another_batch, bodies_stored_for_another_batch, made_of_nothing,
    computed_of_nothing, stored_nothing, odd_quantisation, zero_points_of_others, nothing_left,
    bytes_of_another_meaning, pruned_channels,
)  # fmt: skip
