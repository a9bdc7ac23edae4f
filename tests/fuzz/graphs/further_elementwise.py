"""Further nodes that compute each element by itself: of bits, angles, and steps."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs.builder import Builder
from tests.fuzz.graphs.elementwise import broadcasts, other
from tests.fuzz.graphs.kind import kinds

BITS = "int8 int16 int32 uint8 uint16 uint32"
BITCASTS = (  # also of bytes to and from what is wider
    "int8/uint8 uint8/int8 int32/uint32 int32/float32 uint32/int32 uint32/float32 float32/int32 "
    "float32/uint32 int64/uint64 int64/float64 uint64/int64 uint64/float64 float64/int64 "
    "float64/uint64 int16/uint8 uint8/int16 int32/uint8 uint8/int32 uint32/uint8 uint8/uint32 "
    "float32/uint8 uint8/float32"
)


def alike(build: Builder, op: str, dtype: str) -> None:
    """Add an operator of two tensors of one shape."""
    x = build.pick(dtype, scalars=True)
    same = [t for t in build.tensors if (t.dtype, t.shape) == (dtype, x.shape)]
    build.node(op, [x, build.one(*same)], x.shape, dtype, build.quantisation(dtype))


def bits(build: Builder, op: str, dtype: str) -> None:
    """Add an operator of bits, of two tensors that broadcast."""
    x = build.pick(dtype, scalars=True, fits=broadcasts)
    y = other(build, x, build.quantisation(dtype))
    shape = np.broadcast_shapes(x.shape, y.shape)
    build.node(op, [x, y], shape, dtype, build.quantisation(dtype))


def bitcast(build: Builder, op: str, x_type: str, y_type: str) -> None:
    """Add a BITCAST. Floats made from bits may be NaN, so no node reads them."""
    x_size, y_size = (np.dtype(each).itemsize for each in (x_type, y_type))

    def fits(x: ModelTensor) -> bool:
        return len(x.shape) < 5 and (x_size >= y_size or x.shape[-1:] == (y_size // x_size,))

    x = build.pick(x_type, scalars=x_size >= y_size, fits=fits)
    shape = x.shape[:-1] if x_size < y_size else x.shape
    if x_size > y_size:
        shape = (*shape, x_size // y_size)
    y = build.node(op, [x], shape, y_type, build.quantisation(y_type))
    if y_type.startswith("float"):
        build.end(y)


def bucketize(build: Builder, op: str, dtype: str) -> None:
    """Add a BUCKETIZE with a few boundaries."""
    x = build.pick(dtype, scalars=True)
    boundaries = np.sort(build.values("float32", (build.chance.randint(1, 5),)))
    build.node(op, [x], x.shape, "int32", options={"boundaries": boundaries.tolist()})


def fake_quant(build: Builder, op: str, dtype: str) -> None:
    """Add a FAKE_QUANT whose range includes zero or ends at zero."""
    x = build.pick(dtype, scalars=True)
    low, high = build.one((-1.0, 1.0), (0.0, 6.0), (-2.3, 0.0), (-0.7, 3.1))
    options = {"min": low, "max": high, "num_bits": build.one(4, 8, 16)}
    build.node(op, [x], x.shape, dtype, options=options)


KINDS = (
    *kinds(alike, ATAN2="float32"),
    *kinds(bits, BITWISE_XOR=BITS, RIGHT_SHIFT=BITS),
    *kinds(bucketize, BUCKETIZE="int32 int64 float32 float64"),
    *kinds(fake_quant, FAKE_QUANT="float32"),
    *kinds(bitcast, BITCAST=BITCASTS),
)
