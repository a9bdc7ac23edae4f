"""Nodes that find elements by numbers or put them there."""

import numpy as np

from tests.fuzz.graphs.builder import Builder, Quantisation, of
from tests.fuzz.graphs.elementwise import NO_REFERENCE
from tests.fuzz.graphs.kind import ANY, kinds, pairs

ELEMENTS = "int8 int16 int32 int64 uint8 float32 bool"
MATRICES = "int8 uint8 int16 int32 int64 float32"
INDICES = "int32 int64"
ROWS_OF_BYTES = "int8/float32"  # a table of int8 whose rows are dequantised


def gather(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a GATHER along an axis, by indices of one or two axes."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 3)
    axis = build.chance.randrange(len(x.shape))
    where = build.random.integers(0, x.shape[axis], build.shape(build.one(1, 1, 2)))
    shape = (*x.shape[:axis], *where.shape, *x.shape[axis + 1 :])
    build.like(op, x, shape, build.numbers(where, index_type), axis=axis)


def gather_nd(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a GATHER_ND by positions along the first axes."""
    x = build.pick(dtype, fits=lambda t: 1 < len(t.shape) <= 5)
    depth, count = build.chance.randint(1, len(x.shape)), build.chance.randint(1, 4)
    where = np.stack([build.random.integers(0, n, count) for n in x.shape[:depth]], axis=-1)
    build.like(op, x, (count, *x.shape[depth:]), build.numbers(where, index_type))


def embedding_lookup(build: Builder, op: str, dtype: str, to: str = "") -> None:
    """Add a lookup of rows of a table, which is constant where its elements change their type."""
    if to:
        values = build.values(dtype, build.shape(2))
        table = build.constant(values, Quantisation(0.0137, 0))
        dtype = to
    else:
        table = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    where = build.random.integers(0, table.shape[0], build.chance.randint(1, 4))
    shape = (len(where), *table.shape[1:])
    found = of(table) if dtype == table.dtype else Quantisation()
    build.node(op, [build.numbers(where), table], shape, dtype, found)


def embedding_lookup_sparse(build: Builder, op: str, dtype: str) -> None:
    """Add sums of weighted rows of a table; some results have no rows."""
    table = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    count, shape = build.chance.randint(1, 5), build.shape(build.one(1, 2, 3))
    ids = build.random.integers(0, table.shape[0], count)
    where = build.random.integers(0, np.array(shape), (count, len(shape)))
    weights = build.constant(build.random.uniform(0.5, 2, count).astype(np.float32))
    inputs = [build.numbers(ids), build.numbers(where), build.numbers(shape), weights, table]
    options = {"combiner": build.one("SUM", "MEAN", "SQRTN")}
    build.node(op, inputs, (*shape[:-1], *table.shape[1:]), dtype, options=options)


def unique(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a UNIQUE of a constant vector."""
    values = build.values(dtype, (build.chance.randint(1, 8),))
    values = np.resize(values[: max(1, len(values) // 2)], values.shape)
    y = build.tensor(op, np.unique(values).shape, dtype, build.quantisation(dtype))
    made = [y, build.tensor(op, values.shape, index_type)]
    build.model.node(op, [build.constant(values)], made, {"idx_out_type": index_type.upper()})
    build.tensors += made


def scatter_nd(build: Builder, op: str, dtype: str) -> None:
    """Add a SCATTER_ND to distinct places."""
    x = build.pick(dtype, rank=1)
    size = build.chance.randint(x.shape[0], x.shape[0] + 4)
    where = np.array(build.chance.sample(range(size), x.shape[0]))[:, np.newaxis]
    build.node(op, [build.numbers(where), x, build.numbers([size])], (size,), dtype, of(x))


def reverse_sequence(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a REVERSE_SEQUENCE: of each row, the first N elements, N being given by row."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    turned, batch = build.chance.sample(range(len(x.shape)), 2)
    lengths = build.random.integers(0, x.shape[turned], x.shape[batch], endpoint=True)
    inputs = [x, build.numbers(lengths, index_type)]
    options = {"seq_dim": turned, "batch_dim": batch}
    build.node(op, inputs, x.shape, dtype, of(x), options)


def dynamic_update_slice(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add an update at a constant position; positions outside the tensor are clamped."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 5)
    sizes = [build.chance.randint(1, size) for size in x.shape]
    start = build.random.integers(-1, np.array(x.shape), endpoint=True)
    alike = [
        t
        for t in build.tensors
        if (t.dtype, of(t), len(t.shape)) == (dtype, of(x), len(x.shape))
        and all(part <= whole for part, whole in zip(t.shape, x.shape, strict=True))
    ]
    made = build.constant(build.values(dtype, sizes), of(x))
    part = build.one(*alike[-3:], made)
    build.like(op, x, x.shape, part, build.numbers(start, index_type))


def one_hot(build: Builder, op: str, index_type: str, dtype: str) -> None:
    """Add a ONE_HOT along a new last axis."""
    x = build.pick(index_type, fits=lambda t: len(t.shape) < 4)
    depth = build.chance.randint(1, 4)
    found = build.quantisation(dtype)
    values = [build.constant(build.values(dtype, ()), found) for _ in range(2)]
    inputs = [x, build.numbers(depth), *values]
    build.node(op, inputs, (*x.shape, depth), dtype, found, {"axis": -1})


def where(build: Builder, op: str, dtype: str) -> None:
    """Add a WHERE: positions of elements other than zero in a constant."""
    values = build.values(dtype, build.shape())
    values[build.random.random(values.shape) < 0.3] = 0
    shape = (int(np.count_nonzero(values)), values.ndim)
    build.node(op, [build.constant(values)], shape, "int64")


def slice_(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a SLICE from positions that an input gives, limited so that the slice lies within the
    tensor.
    """
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 5)
    sizes = [build.chance.randint(1, size) for size in x.shape]
    room = np.subtract(x.shape, sizes)
    given = build.pick("int32", fits=lambda t: t.shape == (len(x.shape),))
    within = build.node("MAXIMUM", [given, build.numbers(0)], given.shape, "int32")
    begin = build.node("MINIMUM", [within, build.numbers(room)], given.shape, "int32")
    if index_type != "int32":
        begin = build.node("CAST", [begin], begin.shape, index_type)
    build.like(op, x, sizes, begin, build.numbers(sizes, index_type))


def dilate(build: Builder, op: str, dtype: str) -> None:
    """Add a DILATE, which puts constants between neighbours along any axes."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 3)
    steps = [build.one(1, 1, 2, 3) for _ in x.shape]
    shape = [(size - 1) * step + 1 for size, step in zip(x.shape, steps, strict=True)]
    build.like(op, x, shape, build.numbers(steps), build.constant(build.values(dtype, ())))


def segments(build: Builder, op: str, dtype: str) -> None:
    """Add a reduction of segments of x's rows: ids ascend, or have any order and a given end."""
    x = build.pick(dtype)
    ids = np.cumsum([0, *build.random.integers(0, 2, x.shape[0] - 1)])
    number, counts = int(ids[-1]) + 1, []
    if op != "SEGMENT_SUM":
        number += build.chance.randint(0, 2)
        ids, counts = build.random.integers(-1, number, x.shape[0]), [build.numbers(number)]
    y = (number, *x.shape[1:])
    build.node(op, [x, build.numbers(ids), *counts], y, dtype)


def diagonal(build: Builder, op: str, dtype: str) -> None:
    """Add a MATRIX_DIAG, or a MATRIX_SET_DIAG that replaces the diagonals of existing matrices."""
    x = build.pick(dtype, fits=lambda t: len(t.shape) <= 4)
    if op == "MATRIX_DIAG":
        build.like(op, x, (*x.shape, x.shape[-1]))
        return
    matrices = build.pick(dtype, fits=lambda t: len(t.shape) > 1)
    shape = (*matrices.shape[:-2], min(matrices.shape[-2:]))
    build.like(op, matrices, matrices.shape, build.constant(build.values(dtype, shape)))


def sparse_to_dense(build: Builder, op: str, dtype: str, index_type: str) -> None:
    """Add a SPARSE_TO_DENSE whose places may be equal."""
    x = build.pick(dtype, rank=1)
    shape = build.shape(build.one(1, 2, 3))
    where = np.stack([build.random.integers(0, n, x.shape[0]) for n in shape], axis=-1)
    rest = build.constant(build.values(dtype, ()))
    operands = [build.numbers(where, index_type), build.numbers(shape), x, rest]
    build.node(op, operands, shape, dtype, of(x))


def numbers(build: Builder, op: str, dtype: str) -> None:
    """Add a RANGE of a few numbers, up or down; of floats the limit lies halfway between two."""
    start, step = build.values(dtype, ()), build.one(-3, -1, 1, 2)
    size = build.chance.randint(1, 6)
    limit = start + step * (size - (0.5 if dtype == "float32" else 0))
    operands = [build.constant(np.array(each, dtype)) for each in (start, limit, step)]
    build.node(op, operands, (size,), dtype)


def boxes(build: Builder, op: str, dtype: str) -> None:
    """Add a non-maximum suppression of a few boxes, whose scores may be any vector."""
    scores = build.pick(dtype, rank=1)
    corners = build.input(dtype, (scores.shape[0], 4))
    most = build.chance.randint(1, 4)
    numbers = [most, build.one(0.0, 0.3, 1.0), build.one(-np.inf, 0.5)]
    numbers += [build.one(0.0, 0.5)] if op.endswith("5") else []
    types = ["int32", *["float32"] * 3]
    limits = [build.numbers(*each) for each in zip(numbers, types, strict=False)]
    made = [build.tensor(op, (most,), "int32"), build.tensor(op, (), "int32")]
    if op.endswith("5"):
        made.insert(1, build.tensor(op, (most,), "float32"))
    build.model.node(op, [corners, scores, *limits], made)
    build.tensors += made


KINDS = (
    *kinds(boxes, NON_MAX_SUPPRESSION_V4="float32", NON_MAX_SUPPRESSION_V5="float32"),
    *kinds(gather, GATHER=pairs(ELEMENTS, f"{INDICES} int16")),
    *kinds(gather_nd, GATHER_ND=pairs(ELEMENTS, f"{INDICES} int16")),
    *kinds(embedding_lookup, EMBEDDING_LOOKUP=f"{ANY} {ROWS_OF_BYTES}"),
    *kinds(embedding_lookup_sparse, EMBEDDING_LOOKUP_SPARSE="float32"),
    *kinds(unique, UNIQUE=pairs(MATRICES, INDICES)),
    *kinds(scatter_nd, SCATTER_ND="int8 int32 int64 uint8 float32 bool"),
    *kinds(reverse_sequence, REVERSE_SEQUENCE=pairs("int16 int32 int64 uint8 float32", INDICES)),
    *kinds(dynamic_update_slice, DYNAMIC_UPDATE_SLICE=pairs(ANY, INDICES)),
    *kinds(
        segments,
        UNSORTED_SEGMENT_MAX="int32 float32",
        UNSORTED_SEGMENT_MIN="int32 float32",
        UNSORTED_SEGMENT_PROD="int32 float32",
        UNSORTED_SEGMENT_SUM="int32 float32",
    ),
    *kinds(segments, apart=NO_REFERENCE, SEGMENT_SUM="int32 float32"),
    *kinds(slice_, SLICE=pairs(ANY, INDICES)),
    *kinds(dilate, DILATE=ANY),
    *kinds(diagonal, MATRIX_DIAG=MATRICES, MATRIX_SET_DIAG=MATRICES),
    *kinds(sparse_to_dense, SPARSE_TO_DENSE=pairs("int8 uint8 int32 int64 float32", INDICES)),
    *kinds(where, WHERE="bool int8 uint8 int32 int64 uint32 float32"),
    *kinds(numbers, RANGE="int32 int64 float32"),
    *kinds(one_hot, ONE_HOT=pairs(INDICES, "bool int8 uint8 int32 int64 float32")),
)
