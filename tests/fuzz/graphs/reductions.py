"""Nodes that sum, order or compare along axes."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs.builder import NONE, QUANTISED, Builder, Quantisation, of
from tests.fuzz.graphs.kind import kinds, pairs

PLAIN = "int32 int64 float32"
ASYMMETRIC = -32768
WINDOWS = "LiteRT's reference kernel leaves out an element of each window"
DOUBLES = "LiteRT computes spectra in double precision"
LONGEST_ROW = 500  # of longer ones of uint8 LiteRT ends the process
ALIKE = ("REDUCE_MAX", "REDUCE_MIN")
RESULT = {  # the quantisation of y
    ("SOFTMAX", "int8", "int8"): Quantisation(1 / 256, -128),
    ("SOFTMAX", "uint8", "uint8"): Quantisation(1 / 256, 0),
    ("SOFTMAX", "int8", "int16"): Quantisation(1 / 65536, ASYMMETRIC),
    ("SOFTMAX", "uint8", "int16"): Quantisation(1 / 65536, ASYMMETRIC),
    ("SOFTMAX", "int16", "int16"): Quantisation(1 / 32768, 0),
    ("LOG_SOFTMAX", "int8", "int8"): Quantisation(16 / 256, 127),
    ("LOG_SOFTMAX", "uint8", "uint8"): Quantisation(16 / 256, 255),
    ("L2_NORMALIZATION", "int8", "int8"): Quantisation(1 / 128, 0),
    ("L2_NORMALIZATION", "uint8", "uint8"): Quantisation(1 / 128, 128),
}


def reduction(build: Builder, op: str, dtype: str) -> None:
    """Add a reduction over some axes, which are kept or not."""
    x = build.pick(dtype, fits=_rank_4)
    rank = len(x.shape)
    axes = build.chance.sample(range(rank), build.chance.randint(1, rank))
    keep = build.one(True, False)
    sizes = [(1 if axis in axes else size) for axis, size in enumerate(x.shape)]
    if not keep:
        sizes = [size for axis, size in enumerate(x.shape) if axis not in axes]
    operand = build.numbers([build.one(a, a - rank) for a in axes])
    found = of(x) if op in ALIKE or dtype not in QUANTISED else build.quantisation(dtype)
    version = 1 if dtype == "bool" else 2
    build.node(op, [x, operand], sizes, dtype, found, {"keep_dims": keep}, version=version)


def _rank_4(x: ModelTensor) -> bool:
    return len(x.shape) <= 4


def arg(build: Builder, op: str, dtype: str, index_type: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    axis = build.chance.randrange(len(x.shape))
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    options = {"output_type": index_type.upper()}
    build.node(op, [x, build.numbers(axis)], shape, index_type, NONE, options, version=2)


def spectrum(build: Builder, op: str, dtype: str) -> None:
    """Add an RFFT2D of planes, and the real parts, imaginary parts or magnitudes of its result."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    height, length = build.one(1, 1, 2, 4, 8), build.one(4, 8, 16)
    shape = (*x.shape[:-2], height, length // 2 + 1)
    z = build.tensor("z", shape, "complex64")
    build.model.node("RFFT2D", [x, build.numbers([height, length])], [z])
    build.node(op, [z], shape, dtype)


def normalised(build: Builder, op: str, dtype: str, result: str) -> None:
    """Add a SOFTMAX, LOG_SOFTMAX or L2_NORMALIZATION along the last axis."""
    x = build.pick(dtype, fits=lambda t: _rank_4(t) and t.shape[-1] <= LONGEST_ROW)
    options = {"beta": build.one(1.0, 1.0, 0.5)} if op == "SOFTMAX" else {}
    found = RESULT.get((op, dtype, result), NONE)
    y = build.node(op, [x], x.shape, result, found, options, version=2)
    if found.zero_point == ASYMMETRIC:  # which few ops take of int16
        build.end(y)
        build.node("QUANTIZE", [y], y.shape, "int8", build.quantisation("int8"))


def by_neighbours(build: Builder, op: str, dtype: str) -> None:
    """Add a normalisation by neighbouring channels of an image."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) == 4)
    options = {
        "radius": build.chance.randint(0, 5),
        "bias": build.one(1.0, 2.0, 0.5),
        "alpha": build.one(1e-4, 0.3),
        "beta": build.one(0.5, 0.75, 1.0, 1.7),
    }
    build.node(op, [x], x.shape, dtype, NONE, options)


def cumsum(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype)
    axis = build.numbers(build.chance.randrange(len(x.shape)))
    options = {"exclusive": build.one(True, False), "reverse": build.one(True, False)}
    build.node(op, [x, axis], x.shape, dtype, build.quantisation(dtype), options)


def top_k(build: Builder, op: str, dtype: str) -> None:
    """Add a TOPK_V2, of which nodes can read both elements and indices."""
    x = build.pick(dtype, fits=_rank_4)
    count = build.chance.randint(1, x.shape[-1])
    shape = (*x.shape[:-1], count)
    outputs = [build.tensor("top", shape, dtype, of(x)), build.tensor("top_at", shape, "int32")]
    build.model.node(op, [x, build.constant(np.array(count, np.int32))], outputs, version=2)
    build.tensors += outputs


KINDS = (
    *kinds(spectrum, apart=DOUBLES, COMPLEX_ABS="float32", REAL="float32", IMAG="float32"),
    *kinds(by_neighbours, apart=WINDOWS, LOCAL_RESPONSE_NORMALIZATION="float32"),
    *kinds(reduction, weight=3, MEAN="int8"),
    *kinds(
        reduction,
        MEAN="uint8 int16 int32 int64 float32",
        REDUCE_MAX="int8 uint8 int16 int32 int64 float32 bool",
        REDUCE_MIN="int8 uint8 int16 int32 int64 float32 bool",
    ),
    *kinds(
        reduction,
        SUM="uint8 int32 int64 float32",
        REDUCE_PROD="int8 int16 int32 int64 float32",
        REDUCE_ANY="bool",
        REDUCE_ALL="bool",
    ),
    *kinds(reduction, apart="LiteRT reads the elements as uint8", SUM="int8 int16"),
    *kinds(
        arg,
        ARG_MAX=pairs("int8 uint8 int32 float32 bool", "int32 int64"),
        ARG_MIN=pairs("int8 uint8 int32 float32 bool", "int32 int64"),
    ),
    *kinds(normalised, weight=3, SOFTMAX="int8/int8"),
    *kinds(normalised, SOFTMAX="uint8/uint8 int8/int16 uint8/int16 int16/int16 float32/float32"),
    *kinds(
        normalised,
        LOG_SOFTMAX="int8/int8 uint8/uint8 float32/float32",
        L2_NORMALIZATION="int8/int8 uint8/uint8 float32/float32",
    ),
    *kinds(cumsum, CUMSUM=PLAIN),
    *kinds(cumsum, apart="LiteRT's kernel does not take the type", CUMSUM="int8"),
    *kinds(top_k, TOPK_V2="int8 uint8 int16 int32 int64 float32"),
)
