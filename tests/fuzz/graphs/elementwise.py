"""Nodes that compute each element by itself: functions, arithmetic, comparisons, choices."""

from collections.abc import Sequence

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from tests.fuzz.graphs.bounds import bound
from tests.fuzz.graphs.builder import Builder, Quantisation, of
from tests.fuzz.graphs.kind import ANY, impossible_unless, kinds, pairs

FIXED = {  # the scale and zero point that an output has
    ("LOGISTIC", "int8"): (1 / 256, -128),
    ("LOGISTIC", "uint8"): (1 / 256, 0),
    ("LOGISTIC", "int16"): (1 / 32768, 0),
    ("TANH", "int8"): (1 / 128, 0),
    ("TANH", "uint8"): (1 / 128, 128),
    ("TANH", "int16"): (1 / 32768, 0),
}
FUSED = ("ADD", "SUB", "MUL", "DIV")
UNFUSED = ("int32", "int64", "uint32")
VERSIONS = {("MUL", "uint32"): 7}
DIVISIONS = ("DIV", "FLOOR_DIV", "FLOOR_MOD")  # by constants: LiteRT refuses to divide by 0
ALIKE = ("MAXIMUM", "MINIMUM")
POSITIVE = ("RSQRT", "SQRT", "LOG")  # LiteRT refuses others where they are quantised
RANK = 4  # of tensors that broadcast
NOT_THE_TYPE = "LiteRT's kernel does not take the type"
NO_REFERENCE = "LiteRT has no reference kernel"
PLAIN = "int32 int64 float32"
INTEGERS = "bool int8 int16 int32 int64 uint8 uint16 uint32"
QUANTISED_INT32 = Quantisation(2e-5, 0)


def function(build: Builder, op: str, dtype: str) -> None:
    """Add a function of one tensor."""
    x = build.pick(dtype, scalars=True)
    found = build.quantisation(dtype)
    if (op, dtype) in FIXED:
        found = Quantisation(*FIXED[op, dtype])
    if op in POSITIVE:
        x = _positive(build, x)
    options: dict[str, OptionValue] = {}
    if op == "LEAKY_RELU":
        options["alpha"] = build.one(0.1, 0.3, 0.5, 2.0)
    if op == "GELU":
        options["approximate"] = build.one(True, False)
    y = build.node(op, [x], x.shape, dtype, found, options)
    if bound(op, dtype).ulps:
        build.end(y)


def _positive(build: Builder, x: ModelTensor) -> ModelTensor:
    """Tensor like x whose elements are above zero; floats may be zero."""
    if x.dtype == "float32":
        return build.node("ABS", [x], x.shape, x.dtype)
    least = x.zero_point[0] + 1 if x.scale else 0
    impossible_unless(x.scale != () and least <= np.iinfo(x.dtype).max)
    return build.like("MAXIMUM", x, x.shape, build.constant(np.array(least, x.dtype), of(x)))


def prelu(build: Builder, op: str, dtype: str, slopes: str = "") -> None:
    """Add a PRELU with a slope for each channel, of x's type or a different one."""
    x = build.pick(dtype, rank=4)
    values = build.values(slopes or dtype, (1, 1, x.shape[3]))
    alpha = build.constant(values, build.quantisation(slopes or dtype, 0.01))
    build.node(op, [x, alpha], x.shape, dtype, build.quantisation(dtype))


def arithmetic(build: Builder, op: str, dtype: str) -> None:
    """Add an arithmetic operator of two tensors, or of a tensor and a constant, whose shapes
    broadcast.
    """
    x = build.pick(dtype, scalars=True, fits=broadcasts)
    if op in DIVISIONS:
        y = _divisors(build, x)
    elif op in ALIKE:
        y = other(build, x, of(x))
    else:
        y = other(build, x, build.quantisation(dtype))
    found = of(x) if op in ALIKE else build.quantisation(dtype)
    options: dict[str, OptionValue] = {}
    if op in FUSED:
        fused = build.one("NONE", "NONE", "RELU", "RELU6")
        options["fused_activation_function"] = "NONE" if dtype in UNFUSED else fused
    pair = [x, y] if op in DIVISIONS or build.chance.random() < 0.7 else [y, x]
    build.node(
        op,
        pair,
        np.broadcast_shapes(x.shape, y.shape),
        dtype,
        found,
        options,
        version=VERSIONS.get((op, dtype), 2),
    )


def broadcasts(x: ModelTensor) -> bool:
    return len(x.shape) <= RANK


def other(build: Builder, x: ModelTensor, quantisation: Quantisation) -> ModelTensor:
    """Tensor that broadcasts with x: an existing one quantised like x, or a constant."""
    alike = quantisation == of(x)
    same = [
        t
        for t in build.tensors
        if t.dtype == x.dtype and _together(t, x) and (not alike or of(t) == of(x))
    ]
    if same and build.chance.random() < 0.6:
        found: ModelTensor = build.one(*same)
        return found
    return build.constant(build.values(x.dtype, _part(build, x)), quantisation)


def _part(build: Builder, x: ModelTensor) -> tuple[int, ...]:
    """Random shape that broadcasts to that of x."""
    shape = tuple(build.one(size, size, 1) for size in x.shape)
    return shape[build.chance.randint(0, len(shape)) :] if build.one(True, False) else shape


def _divisors(build: Builder, x: ModelTensor) -> ModelTensor:
    """Constant of divisors without 0 and, since it overflows with the least integer, -1."""
    values = build.values(x.dtype, _part(build, x))
    if x.dtype == "float32":
        values = np.where(values == 0, np.float32(1), values)
    else:
        zeros = [0, -1, *x.zero_point] if x.dtype != "uint8" else [0, *x.zero_point]
        values = np.where(np.isin(values, zeros), np.array(_not_of(zeros), x.dtype), values)
    return build.constant(values, of(x))


def _not_of(zeros: Sequence[int]) -> int:
    """Random small divisor that is not among the given numbers."""
    return next(each for each in (7, 5, 3) if each not in zeros)


def _together(one: ModelTensor, other: ModelTensor) -> bool:
    try:
        np.broadcast_shapes(one.shape, other.shape)
    except ValueError:
        return False
    return max(len(one.shape), len(other.shape)) <= RANK


def power(build: Builder, op: str, dtype: str) -> None:
    """Add a POW with constant exponents that are not negative, and integers where floats may be
    negative.
    """
    x = build.pick(dtype, scalars=True, fits=broadcasts)
    exponents = np.abs(build.values(dtype, _part(build, x)))
    if dtype == "float32" and build.one(True, False):
        x = _positive(build, x)
    elif dtype == "float32":
        exponents = np.rint(exponents)
    build.node(op, [x, build.constant(exponents)], x.shape, dtype)


def relation(build: Builder, op: str, dtype: str) -> None:
    """Add a comparison, AND or OR of two tensors."""
    x = build.pick(dtype, fits=broadcasts)
    y = other(build, x, build.quantisation(dtype))
    build.node(op, [x, y], np.broadcast_shapes(x.shape, y.shape), "bool")


def negation(build: Builder, op: str, dtype: str) -> None:
    """Add a NOT of booleans."""
    x = build.pick(dtype, scalars=True)
    build.node(op, [x], x.shape, dtype)


def select(build: Builder, op: str, dtype: str) -> None:
    """Add a choice from two tensors by booleans: SELECT also takes one per row, SELECT_V2
    broadcasts.
    """
    x = build.pick(dtype, fits=broadcasts)
    if op == "SELECT_V2":
        y = other(build, x, of(x))
        shape = np.broadcast_shapes(x.shape, y.shape)
        wanted = [shape, _part(build, x)]
    else:
        alike = [t for t in build.tensors if (t.dtype, t.shape, of(t)) == (dtype, x.shape, of(x))]
        y = build.one(*alike, build.constant(build.values(dtype, x.shape), of(x)))
        shape = x.shape
        wanted = [shape, shape[:1], ()]
    chosen = [t for t in build.tensors if t.dtype == "bool" and t.shape in wanted]
    condition = chosen or [build.constant(build.values("bool", build.one(*wanted)))]
    build.node(op, [build.one(*condition), x, y], shape, dtype, of(x))


def quantize(build: Builder, op: str, x_type: str, y_type: str) -> None:
    """Add a QUANTIZE to a different quantisation. A result of int32 comes from int16 or int8 alone,
    and only a further QUANTIZE reads it.
    """
    x = build.pick("int16" if x_type == "int32" else x_type, scalars=True)
    if "int32" in (x_type, y_type):  # of which nothing else is quantised
        x = build.node(op, [x], x.shape, "int32", QUANTISED_INT32)
        build.end(x)
    if y_type != "int32":
        build.node(op, [x], x.shape, y_type, build.quantisation(y_type))


def dequantize(build: Builder, op: str, dtype: str) -> None:
    """Add a DEQUANTIZE of quantised elements."""
    x = build.pick(dtype, scalars=True)
    build.node(op, [x], x.shape, "float32", version=2)


def cast(build: Builder, op: str, x_type: str, y_type: str) -> None:
    """Adds a conversion of x to another element type, which can hold its numbers where they are
    floats.
    """
    x = build.pick(x_type, scalars=True)
    if x_type == "float32" and y_type not in ("float32", "bool"):
        x = build.node("RELU6", [x], x.shape, x_type)
    build.node(op, [x], x.shape, y_type, build.quantisation(y_type))


def add_n(build: Builder, op: str, dtype: str) -> None:
    """Add the sum of several tensors of one shape that are quantised alike."""
    x = build.pick(dtype)
    same = [t for t in build.tensors if (t.dtype, t.shape, of(t)) == (dtype, x.shape, of(x))]
    terms = [build.one(*same) for _ in range(build.chance.randint(2, 4))]
    build.node(op, terms, x.shape, dtype, build.quantisation(dtype))


KINDS = (
    *kinds(
        function,
        ABS="int8 int16 int32 float32",
        COS="float32",
        EXP="int8 int16 float32",
        FLOOR="float32",
        GELU="int8 uint8 int16 float32",
        HARD_SWISH="int8 uint8 float32",
        LEAKY_RELU="int8 uint8 int16 float32",
        LOG="int8 int16 float32",
        LOGISTIC="int8 uint8 int16 float32",
        NEG="int8 int16 int32 int64 float32",
        RELU="uint8 int16 float32",
        RELU6="uint8 int16 float32",
        RELU_0_TO_1="uint8 float32",
        RELU_N1_TO_1="uint8 float32",
        RSQRT="int8 int16 float32",
        SIGN="int32 float32 float64",
        SIN="float32",
        SQRT="int8 int16 float32",
        SQUARE="float32",
        TANH="int8 uint8 int16 float32",
        ZEROS_LIKE="int32 int64 float32",
    ),
    *kinds(function, apart=NOT_THE_TYPE, ZEROS_LIKE="int8"),
    *kinds(arithmetic, apart=NOT_THE_TYPE, SQUARED_DIFFERENCE="int16"),
    *kinds(function, apart=NO_REFERENCE, CEIL="float32", ELU="int8 float32", ROUND="float32"),
    *kinds(function, weight=2, RELU="int8", RELU6="int8", RELU_0_TO_1="int8", RELU_N1_TO_1="int8"),
    *kinds(
        arithmetic, weight=3, ADD="int8", SUB="int8", MUL="int8", MAXIMUM="int8", MINIMUM="int8"
    ),
    *kinds(
        arithmetic,
        ADD=f"uint8 int16 {PLAIN}",
        SUB=f"uint8 int16 {PLAIN}",
        MUL=f"uint8 int16 uint32 {PLAIN}",
        MAXIMUM=f"uint8 int16 {PLAIN}",
        MINIMUM=f"uint8 int16 {PLAIN}",
        DIV="int8 uint8 int16 int32 float32",
        FLOOR_DIV="int8 int16 int32 float32",
        FLOOR_MOD="int8 int16 int32 int64 float32",
        SQUARED_DIFFERENCE="int8 int32 float32",
    ),
    *kinds(power, POW="int32 float32"),
    *kinds(
        relation,
        EQUAL="bool int8 uint8 int16 int32 int64 float32",
        NOT_EQUAL="bool int8 uint8 int16 int32 int64 float32",
        LESS="int8 uint8 int16 int32 int64 float32",
        LESS_EQUAL="int8 uint8 int16 int32 int64 float32",
        GREATER="int8 uint8 int16 int32 int64 float32",
        GREATER_EQUAL="int8 uint8 int16 int32 int64 float32",
        LOGICAL_AND="bool",
        LOGICAL_OR="bool",
    ),
    *kinds(negation, LOGICAL_NOT="bool"),
    *kinds(select, SELECT=ANY, SELECT_V2=ANY),
    *kinds(
        quantize,
        QUANTIZE="float32/int8 float32/uint8 float32/int16 int8/uint8 int8/int16 "
        "uint8/int8 uint8/uint8 uint8/int16 int16/int8 int16/int16 int16/int32 "
        "int32/int8 int32/int16",
    ),
    *kinds(quantize, weight=2, QUANTIZE="int8/int8"),
    *kinds(dequantize, weight=3, DEQUANTIZE="int8 uint8 int16"),
    *kinds(cast, CAST=pairs(f"{INTEGERS} float32", f"{INTEGERS} float32")),
    *kinds(quantize, apart=NOT_THE_TYPE, QUANTIZE="int8/int32"),
    *kinds(add_n, ADD_N="int32 float32"),
    *kinds(add_n, apart=NOT_THE_TYPE, ADD_N="int8"),
    *kinds(prelu, PRELU="int8 uint8 int16/int8 float32"),
)
