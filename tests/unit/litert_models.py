"""Models whose shapes, operands and outputs are unusual, and that LiteRT runs."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.layers import conv_2d

Build = Callable[[ModelWriter], None]


def numbers(m: SubgraphWriter, name: str, *values: int) -> ModelTensor:
    """Constant vector of int32."""
    return m.constant(name, np.array(values, np.int32))


def flattened(m: SubgraphWriter, x: ModelTensor, y: ModelTensor) -> None:
    """Reshape of Keras 3: the batch is x's, the second size is left open."""
    rank = len(x.shape)
    shape, first = m.tensor("shape", (rank,), "int32"), m.tensor("first", (), "int32")
    m.node("SHAPE", [x], [shape], {"out_type": 2})
    ends = [numbers(m, f"end{i}", i) for i in (0, 1)]
    by = {"shrink_axis_mask": 1}
    m.node("STRIDED_SLICE", [shape, *ends, numbers(m, "by", 1)], [first], by)
    sizes, rest = m.tensor("sizes", (2,), "int32"), m.constant("rest", np.array(-1, np.int32))
    m.node("PACK", [first, rest], [sizes], {"axis": 0, "values_count": 2})
    m.node("RESHAPE", [x, sizes], [y])


def flatten(m: ModelWriter) -> None:
    """Model of Keras 3's Flatten, exported with a batch of any size."""
    x = m.input("x", (1, 4, 3), "int8", 0.5, 0, signature=(-1, 4, 3))
    y = m.tensor("y", (1, 1), "int8", 0.5, 0, signature=(-1, -1))
    flattened(m, x, y)
    m.output(m.value("QUANTIZE", [y], m.tensor("z", (1, 1), "int8", 0.25, 0, signature=(-1, -1))))


def flatten_of_fixed_batch(m: ModelWriter) -> None:
    """Model of Keras 3's Flatten with a batch of two, and the sizes that follow."""
    x, y = m.input("x", (2, 4, 3), "float32"), m.tensor("y", (2, 12), "float32")
    flattened(m, x, y)
    m.output(y)


def rows_by_name(m: ModelWriter) -> None:
    """Model whose input has any number of rows and of columns."""
    x = m.input("x", (1, 1, 2), "int8", 0.5, 0, signature=(-1, -1, 2))
    y = m.tensor("y", (1, 1), "int8", 0.5, 0, signature=(-1, -1))
    flattened(m, x, y)
    m.output(y)


def shape_arithmetic(m: ModelWriter) -> None:
    """Model that casts, multiplies and concatenates a shape."""
    x = m.input("x", (2, 6), "int8", 0.5, 0)
    wide, shape = m.tensor("wide", (2,), "int64"), m.tensor("shape", (2,), "int32")
    m.node("SHAPE", [x], [wide], {"out_type": 4})
    m.node("CAST", [wide], [shape], {"in_data_type": 4, "out_data_type": 2})
    twice = m.tensor("twice", (2,), "int32")
    m.node("MUL", [shape, numbers(m, "factors", 2, 1)], [twice], {})
    head, tail = m.tensor("head", (1,), "int32"), m.tensor("tail", (1,), "int32")
    one = numbers(m, "one", 1)
    m.node("STRIDED_SLICE", [twice, numbers(m, "zero", 0), one, one], [head], {})
    m.node("DIV", [numbers(m, "twelve", 12), head], [tail], {})
    sizes = m.value("CONCATENATION", [head, tail], m.tensor("sizes", (2,), "int32"), {"axis": 0})
    m.output(m.value("RESHAPE", [x, sizes], m.tensor("y", (4, 3), "int8", 0.5, 0)))


def transposed_to_computed_size(m: ModelWriter) -> None:
    """Transposed convolution as Keras exports it: a batch of any size, twice x's height, fixed
    other sizes.
    """
    x, shape = m.input("x", (2, 3, 4, 2), "float32"), m.tensor("shape", (4,), "int32")
    m.node("SHAPE", [x], [shape], {"out_type": 2})
    by, twice = numbers(m, "by", 1), m.tensor("twice", (1,), "int32")
    sizes = [m.tensor(name, (1,), "int32") for name in ("batch", "height")]
    for axis, size in enumerate(sizes):
        ends = [numbers(m, f"{size.name}_{i}", axis + i) for i in (0, 1)]
        m.node("STRIDED_SLICE", [shape, *ends, by], [size], {})
    m.node("MUL", [sizes[1], numbers(m, "two", 2)], [twice], {})
    wanted, y = m.tensor("wanted", (4,), "int32"), m.tensor("y", (2, 6, 8, 3), "float32")
    m.node("CONCATENATION", [sizes[0], twice, numbers(m, "last", 8, 3)], [wanted], {"axis": 0})
    w = m.constant("w", np.arange(54, dtype=np.float32).reshape(3, 3, 3, 2))
    m.node("TRANSPOSE_CONV", [wanted, w, x], [y], {"stride_h": 2, "stride_w": 2})
    m.output(y)


def shape_of_inner(m: ModelWriter) -> None:
    """Model of the shape of a computed tensor, which is an output, too."""
    x, y = m.input("x", (2, 3), "int8", 0.5, 0), m.tensor("y", (2, 3), "int8", 0.5, 0)
    shape = m.tensor("shape", (2,), "int32")
    m.node("RELU", [x], [y])
    m.node("SHAPE", [y], [shape], {"out_type": 2})
    m.output(shape, y)


def places_of_sizes(m: ModelWriter) -> None:
    """Model of the axes of a tensor that are longer than 1, in a number that is left open."""
    x, shape = m.input("x", (1, 4, 3)), m.tensor("shape", (3,), "int32")
    long = m.tensor("long", (3,), "bool")
    m.node("SHAPE", [x], [shape], {"out_type": 2})
    m.node("GREATER", [shape, numbers(m, "one", 1)], [long])
    m.output(m.value("WHERE", [long], m.tensor("y", (1, 1), "int64", signature=(-1, 1))))


def relu(m: SubgraphWriter, x: ModelTensor, name: str = "y") -> ModelTensor:
    """Output of a new RELU."""
    return m.value("RELU", [x], m.tensor(name, x.shape, x.dtype, x.scale, x.zero_point), version=2)


def input_is_output(m: ModelWriter) -> None:
    """Model with an input that is an output, and one output listed twice."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    y = relu(m, x)
    m.output(x, y, y)


def constant_output(m: ModelWriter) -> None:
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    m.output(m.constant("k", np.arange(3, dtype=np.int8), 0.5, 0), relu(m, x))


def nothing_computed(m: ModelWriter) -> None:
    """Model with an input that nothing reads, and without nodes."""
    m.input("x", (1, 4), "int8", 0.5, 0)
    m.output(m.constant("k", np.arange(3, dtype=np.int8), 0.5, 0))


def no_arena(m: ModelWriter) -> None:
    """Model without inputs and nodes, which needs no arena."""
    m.output(m.constant("k", np.arange(3, dtype=np.int8), 0.5, 0))


def dead_nodes(m: ModelWriter) -> None:
    """Model with nodes that no output depends on, of an unsupported operator and type."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    y = relu(m, x)
    other, last = m.tensor("other", (1, 4), "complex64"), m.tensor("last", (1, 4), "float32")
    m.node("CAST", [x], [other], {"in_data_type": 9, "out_data_type": 8})
    m.node("COMPLEX_ABS", [other], [last])
    relu(m, last, "relu_of_last")
    m.output(y)


def unused_tensors(m: ModelWriter) -> None:
    """Model with unused tensors of impossible sizes and types."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    m.tensor("odd", (0,), "int8")
    m.tensor("odd", (3,), "float16")
    m.output(relu(m, x))


def scalar_by_empty_shape(m: ModelWriter) -> None:
    """Model of a reshape to a scalar, by a vector without elements."""
    x, y = m.input("x", (1, 1), "float32"), m.tensor("y", (), "float32")
    m.node("RESHAPE", [x, m.tensor("sizes", (0,), "int32")], [y])
    m.output(y)


def nothing_taken(m: ModelWriter) -> None:
    """Model that slices no rows, and concatenates the empty slice with x."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    bounds = [numbers(m, "begin", 0, 0), numbers(m, "end", 0, 4), numbers(m, "by", 1, 1)]
    part = m.tensor("part", (0, 4), "int8", 0.5, 0)
    y = m.tensor("y", (1, 4), "int8", 0.5, 0)
    m.node("STRIDED_SLICE", [x, *bounds], [part], {})
    m.node("CONCATENATION", [x, relu(m, part, "empty")], [y], {"axis": 0})
    m.output(y)


def padded_by_int64(m: ModelWriter) -> None:
    x, y = m.input("x", (2, 4), "int8", 0.5, 3), m.tensor("y", (3, 6), "int8", 0.5, 3)
    m.node("PAD", [x, m.constant("paddings", np.array([[1, 0], [1, 1]]))], [y], version=2)
    m.output(y)


def float16_weights(m: ModelWriter) -> None:
    """Model with weights of float16, and nodes that widen them, as the converter writes."""
    x = m.input("x", (2, 4), "float32")
    halves = np.array([0.1, -2.5, 6e-8, 65504.0] * 3, np.float16).reshape(3, 4)
    w, b = m.tensor("w", (3, 4), "float32"), m.tensor("b", (3,), "float32")
    m.node("DEQUANTIZE", [m.constant("halves", halves)], [w], version=3)
    m.node("DEQUANTIZE", [m.constant("bias", halves[0, :3])], [b], version=3)
    m.output(m.value("FULLY_CONNECTED", [x, w, b], m.tensor("y", (2, 3), "float32"), {}))


def packed(*values: int) -> bytes:
    """Bytes of elements of four bits, the first of two in the low half."""
    low, high = values[::2], (*values[1::2], 0)
    return bytes(a & 15 | (b & 15) << 4 for a, b in zip(low, high, strict=False))


FOUR_BITS = (-7, 7, 0, 1, -1, 3, -4, 5, -6)


def int4_fully_connected(m: ModelWriter) -> None:
    """Model of a FULLY_CONNECTED with an odd number of int4 weights."""
    x, y = m.input("x", (2, 3), "int8", 0.5, -3), m.tensor("y", (2, 3), "int8", 0.25, 4)
    w = m.tensor("w", (3, 3), "int4", 0.1, 0, data=packed(*FOUR_BITS))
    m.node("FULLY_CONNECTED", [x, w, None], [y], {}, version=7)
    m.output(y)


def int4_convolution(m: ModelWriter) -> None:
    x, y = m.input("x", (1, 3, 3, 3), "int8", 0.5, -3), m.tensor("y", (1, 3, 3, 3), "int8", 0.25, 4)
    scales = (0.1, 0.2, 0.3)
    w = m.tensor("w", (3, 1, 1, 3), "int4", scales, (0, 0, 0), axis=0, data=packed(*FOUR_BITS))
    b = numbers(m, "b", 1000, -20, 3)
    m.output(conv_2d(m, x, w, b, y, padding="VALID", version=7))


def int4_depthwise(m: ModelWriter) -> None:
    x, y = m.input("x", (1, 3, 3, 3), "int8", 0.5, -3), m.tensor("y", (1, 1, 3, 3), "int8", 0.25, 4)
    scales = (0.1, 0.2, 0.3)
    w = m.tensor("w", (1, 3, 1, 3), "int4", scales, (0, 0, 0), axis=3, data=packed(*FOUR_BITS))
    window = {"stride_h": 1, "stride_w": 1, "depth_multiplier": 1, "padding": 1}
    m.node("DEPTHWISE_CONV_2D", [x, w, numbers(m, "b", 1000, -20, 3)], [y], window, version=6)
    m.output(y)


def int4_dequantised(m: ModelWriter) -> None:
    """Model with int4 weights that a DEQUANTIZE widens."""
    x = m.input("x", (3,), "float32")
    w = m.tensor("w", (3,), "int4", 0.1, 0, data=packed(*FOUR_BITS[:3]))
    wide = m.value("DEQUANTIZE", [w], m.tensor("wide", (3,), "float32"), version=6)
    m.output(m.value("ADD", [x, wide], m.tensor("y", (3,), "float32"), {}))


def weights_by_channel(m: ModelWriter) -> None:
    """Model with weights of int8 or int4 that a DEQUANTIZE widens, with scales of channels."""
    x, w, b, y = m.input("x", (3, 3), "float32"), *(m.tensor(n, (3, 3), "float32") for n in "wby")
    scales, points = (0.1, 0.013, 1 / 3), (3, -2, 5)
    added = m.constant("bytes", np.array([FOUR_BITS[:3]] * 3, np.int8), scales, points, axis=1)
    stored = m.tensor("four", (3, 3), "int4", scales, (0, 0, 0), axis=0, data=packed(*FOUR_BITS))
    m.node("DEQUANTIZE", [stored], [w], version=6)
    m.node("DEQUANTIZE", [added], [b], version=5)
    m.node("FULLY_CONNECTED", [x, w, None], [y], {})
    m.output(y, b)


def int2_fully_connected(m: ModelWriter) -> None:
    """Model of a FULLY_CONNECTED with int2 weights that do not fill their last byte."""
    x, y = m.input("x", (2, 3), "int8", 0.5, -3), m.tensor("y", (2, 3), "int8", 0.25, 4)
    w = m.tensor("w", (3, 3), "int2", 0.1, 0, data=bytes([0b11100100, 0b01001110, 0b10]))
    m.node("FULLY_CONNECTED", [x, w, None], [y], {}, version=14)
    m.output(y)


def two_signatures() -> ModelWriter:
    """Model of two functions of an int8 vector: its RELU, and half of it."""
    m = ModelWriter(signature="encode")
    m.output(relu(m, m.input("x", (1, 4), "int8", 0.5, 0)))
    other = m.subgraph("other", signature="decode")
    x = other.input("x", (1, 6), "int8", 0.5, 0)
    other.output(other.value("QUANTIZE", [x], other.tensor("y", (1, 6), "int8", 1.0, 0)))
    return m


AS_STORED: Sequence[Build] = (
    flatten, flatten_of_fixed_batch, shape_arithmetic, transposed_to_computed_size, shape_of_inner,
    places_of_sizes, input_is_output, constant_output, nothing_computed, no_arena, dead_nodes,
    unused_tensors, scalar_by_empty_shape, nothing_taken, padded_by_int64, float16_weights,
    int4_fully_connected, int4_convolution, int4_depthwise, int4_dequantised, weights_by_channel,
    int2_fully_connected,
)  # fmt: skip
SHAPED: Mapping[Build, tuple[str, tuple[int, ...]]] = {
    flatten: ("x:3x4x3", (3, 4, 3)),
    rows_by_name: ("x:2x5x2", (2, 5, 2)),
}
