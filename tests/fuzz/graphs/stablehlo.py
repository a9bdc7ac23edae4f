"""Nodes of StableHLO's operators, some of which apply a subgraph of one operator."""

from collections.abc import Mapping, Sequence

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.builder import Builder, of
from tests.fuzz.graphs.calls import call
from tests.fuzz.graphs.further_elementwise import alike
from tests.fuzz.graphs.kind import ANY, impossible_unless, kinds, pairs

COMPARED = "int8 uint8 int16 int32 int64 float32"
REDUCED = f"{COMPARED} bool"
NUMBERS = ANY.removesuffix(" bool")
INDICES = "int32 int64"
STABLEHLO = ("ADD", "MULTIPLY", "MINIMUM", "MAXIMUM")
OPERATORS = ("ADD", "MUL", "MINIMUM", "MAXIMUM")
OF_BOOL = {"ALL": "LOGICAL_AND", "ANY": "LOGICAL_OR"}


def pad(build: Builder, op: str, dtype: str) -> None:
    """Add a pad with borders, which may be negative, and elements between neighbours."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 4)
    low, high = ([build.one(0, 0, 1, 2, -1) for _ in x.shape] for _ in range(2))
    inner = [build.one(0, 0, 1, 2) for _ in x.shape]
    sizes = zip(x.shape, low, high, inner, strict=True)
    y = [(size - 1) * (i + 1) + 1 + a + b for size, a, b, i in sizes]
    options = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    build.like(op, x, y, build.constant(build.values(dtype, ()), of(x)), **options)


def reduce_window(build: Builder, op: str, dtype: str) -> None:
    """Add a reduction of windows that lie within x."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 4)
    window, strides, dilations, y = _windows(build, x.shape)
    lists = [build.numbers(each, "int64") for each in (window, strides, dilations)]
    function = build.one(*OF_BOOL) if dtype == "bool" else build.one(*OPERATORS)
    first = build.constant(build.values(dtype, ()))
    build.node(op, [x, first, *lists], y, dtype, of(x), {"reduce_function": function})


def stablehlo_reduce_window(build: Builder, op: str, dtype: str) -> None:
    """Add a reduction of windows of an x with borders."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 3)
    base = [build.one(1, 1, 2) for _ in x.shape]
    padding = [build.one(0, 0, 1, -1) for _ in range(2 * len(x.shape))]
    around = zip(x.shape, base, padding[::2], padding[1::2], strict=True)
    sizes = [(size - 1) * step + 1 + low + high for size, step, low, high in around]
    impossible_unless(min(sizes) > 0)
    window, strides, dilations, y = _windows(build, sizes)
    options: dict[str, OptionValue] = {
        "window_dimensions": window,
        "window_strides": strides,
        "base_dilations": base,
        "window_dilations": dilations,
        "padding": padding,
    }
    function = OF_BOOL[build.one(*OF_BOOL)] if dtype == "bool" else build.one(*OPERATORS)
    first = build.constant(build.values(dtype, ()))
    _applying(build, op, function, [x, first], y, options, "body_subgraph_index")


def _windows(
    build: Builder, sizes: Sequence[int]
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Sizes, strides and dilations of windows, and how many there are along each axis."""
    window = [build.chance.randint(1, min(size, 3)) for size in sizes]
    strides = [build.one(1, 1, 2) for _ in sizes]
    room = zip(sizes, window, strict=True)
    dilations = [build.one(1, (n - 1) // (w - 1)) if w > 1 else 1 for n, w in room]
    lists = zip(sizes, window, strides, dilations, strict=True)
    return window, strides, dilations, [(n - (w - 1) * d - 1) // s + 1 for n, w, s, d in lists]


def gather(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a gather of slices that start along some axes, also where slices do not fit."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 3)
    mapped, sizes, left, count = _slices(build, x.shape)
    where = build.random.integers(-1, max(x.shape), (count, len(mapped)), endpoint=True)
    shape = (count, *(size for axis, size in enumerate(sizes) if axis not in left))
    options: dict[str, OptionValue] = {
        "offset_dims": [*range(1, len(shape))],
        "collapsed_slice_dims": left,
        "start_index_map": mapped,
        "slice_sizes": sizes,
        "index_vector_dim": 1,
    }
    build.like(op, x, shape, build.numbers(where, index_type), **options)


def scatter(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a scatter of slices that start along some axes, also beyond the end."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 3)
    mapped, sizes, left, count = _slices(build, x.shape)
    where = build.random.integers(0, max(x.shape), (count, len(mapped)), endpoint=True)
    shape = (count, *(size for axis, size in enumerate(sizes) if axis not in left))
    updates = build.constant(build.values(dtype, shape), of(x))
    options: dict[str, OptionValue] = {
        "update_window_dims": [*range(1, len(shape))],
        "inserted_window_dims": left,
        "scatter_dims_to_operand_dims": mapped,
        "index_vector_dim": 1,
    }
    inputs = [x, build.numbers(where, index_type), updates]
    function = build.one("", *(f"STABLEHLO_{each}" for each in STABLEHLO))
    body = "update_computation_subgraph_index"
    _applying(build, op, function, inputs, x.shape, options, body)


def _slices(build: Builder, shape: Sequence[int]) -> tuple[list[int], list[int], list[int], int]:
    """Axes that indices are for, sizes of slices, axes that are left out, and how many slices."""
    mapped = build.chance.sample(range(len(shape)), build.chance.randint(1, len(shape)))
    sizes = [build.chance.randint(1, size) for size in shape]
    left = sorted(axis for axis in mapped if build.one(True, False))
    return mapped, [1 if i in left else n for i, n in enumerate(sizes)], left, build.one(1, 2, 3)


def _applying(
    build: Builder,
    op: str,
    function: str,
    inputs: Sequence[ModelTensor],
    shape: Sequence[int],
    options: Mapping[str, OptionValue],
    body: str,
) -> None:
    """Add a node whose option `body` is a subgraph of two elements: the named function or, for "",
    the second element.
    """
    x, inner = inputs[0], ModelWriter("function")
    a, b = (inner.input(name, (), x.dtype) for name in "ab")
    y = inner.tensor("y", (), x.dtype) if function else b
    if function:
        inner.node(function, [a, b], [y])
    inner.output(y)
    made = build.tensor(op, shape, x.dtype, of(x))
    numbers = tuple(each.index for each in inputs)
    node = call(op, numbers, (made.index,), {body: inner.content}, options)
    build.model.content.nodes.append(node)
    build.tensors.append(made)


KINDS = (
    *kinds(
        alike,
        STABLEHLO_ADD="int32 int64 float32",
        STABLEHLO_MAXIMUM=COMPARED,
        STABLEHLO_MINIMUM=COMPARED,
        STABLEHLO_MULTIPLY="int32 int64 uint32 float32",
    ),
    *kinds(pad, STABLEHLO_PAD=ANY),
    *kinds(reduce_window, REDUCE_WINDOW=REDUCED),
    *kinds(stablehlo_reduce_window, STABLEHLO_REDUCE_WINDOW=REDUCED),
    *kinds(gather, STABLEHLO_GATHER=pairs(NUMBERS, INDICES)),
    *kinds(scatter, STABLEHLO_SCATTER=pairs(COMPARED, INDICES)),
)
