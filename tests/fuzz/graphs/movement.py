"""Nodes that move elements to places that follow from shapes: none computes a number."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs.builder import Builder, of
from tests.fuzz.graphs.kind import ANY, kinds

NUMBERS = "int8 int16 int32 int64 uint8 float32"
IMAGES = "int8 int32 int64 uint8 float32"


def reshape(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype)
    size = math.prod(x.shape)
    sizes = [build.one(*(d for d in range(1, size + 1) if size % d == 0))]
    sizes.append(size // sizes[0])
    if build.one(True, False):
        sizes.insert(build.chance.randint(0, 2), 1)
    wanted = list(sizes)
    wanted[build.chance.randrange(len(wanted))] = -1
    build.like(op, x, sizes, build.numbers(wanted))


def expand_dims(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    axis = build.chance.randint(-len(x.shape) - 1, len(x.shape))
    shape = list(x.shape)
    shape.insert(axis if axis >= 0 else axis + len(shape) + 1, 1)
    build.like(op, x, shape, build.numbers(axis))


def _rank_4(x: ModelTensor) -> bool:
    return len(x.shape) <= 4


def squeeze(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=lambda t: 1 in t.shape and math.prod(t.shape) > 1)
    axes = [axis for axis, size in enumerate(x.shape) if size == 1]
    axes = axes[: build.chance.randint(1, len(axes))]
    shape = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
    build.like(op, x, shape, squeeze_dims=axes)


def transpose(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_not_a_vector)
    order = build.chance.sample(range(len(x.shape)), len(x.shape))
    build.like(op, x, [x.shape[axis] for axis in order], build.numbers(order))


def _not_a_vector(x: ModelTensor) -> bool:
    return len(x.shape) > 1


def _alike(
    build: Builder, x: ModelTensor, fits: Callable[[ModelTensor], bool]
) -> list[ModelTensor]:
    """Tensors with the type and the quantisation of x that fit."""
    return [t for t in build.tensors if (t.dtype, of(t)) == (x.dtype, of(x)) and fits(t)]


def concatenation(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype)
    axis = build.chance.randrange(len(x.shape))

    def beside(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:axis], *shape[axis + 1 :])

    found = _alike(
        build, x, lambda t: len(t.shape) == len(x.shape) and beside(t.shape) == beside(x.shape)
    )
    parts = [x, *(build.one(*found) for _ in range(build.chance.randint(1, 3)))]
    shape = list(x.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    options = {"axis": build.one(axis, axis - len(shape))}
    build.node(op, parts, shape, dtype, of(x), options, version=2)


def pack(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    found = _alike(build, x, lambda t: t.shape == x.shape)
    parts = [x, *(build.one(*found) for _ in range(build.chance.randint(0, 2)))]
    axis = build.chance.randint(0, len(x.shape))
    shape = [*x.shape[:axis], len(parts), *x.shape[axis:]]
    options = {"axis": axis, "values_count": len(parts)}
    build.node(op, parts, shape, dtype, of(x), options, version=2)


def slice_(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype)
    begin = [build.chance.randrange(size) for size in x.shape]
    sizes = [build.chance.randint(1, n - b) for n, b in zip(x.shape, begin, strict=True)]
    wanted = [
        build.one(size, -1) if b + size == n else size
        for size, b, n in zip(sizes, begin, x.shape, strict=True)
    ]
    build.like(op, x, sizes, build.numbers(begin), build.numbers(wanted))


def strided_slice(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    begin, end, strides, shape = [], [], [], []
    for size in x.shape:
        first, last = sorted(build.chance.choices(range(size), k=2))
        stride = build.one(1, 1, 2, -1)
        start, stop = (first, last + 1) if stride > 0 else (last, first - 1)
        stop = stop if stop >= 0 else -size - 1
        begin.append(start)
        end.append(stop)
        strides.append(stride)
        shape.append(len(range(last - first + 1)[::stride]))
    build.like(op, x, shape, *map(build.numbers, (begin, end, strides)))


def tile(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=lambda t: math.prod(t.shape) < 100)
    times = [build.one(1, 1, 2, 3) for _ in x.shape]
    shape = [size * count for size, count in zip(x.shape, times, strict=True)]
    build.like(op, x, shape, build.numbers(times))


def pad(build: Builder, op: str, dtype: str) -> None:
    """Add a PAD, or a PADV2 with a value."""
    x = build.pick(dtype, fits=_rank_4)
    borders = [[build.chance.randint(0, 2) for _ in range(2)] for _ in x.shape]
    shape = [n + sum(pair) for n, pair in zip(x.shape, borders, strict=True)]
    operands = [build.numbers(borders, build.one("int32", "int32", "int64"))]
    if op == "PADV2":
        operands.append(build.constant(build.values(dtype, (1,)), of(x)))
    build.node(op, [x, *operands], shape, dtype, of(x), version=2)


def mirror_pad(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    mode = build.one("REFLECT", "SYMMETRIC")
    less = 1 if mode == "REFLECT" else 0
    borders = [[min(build.chance.randint(0, 2), n - less) for _ in range(2)] for n in x.shape]
    shape = [n + sum(pair) for n, pair in zip(x.shape, borders, strict=True)]
    build.like(op, x, shape, build.numbers(borders), mode=mode)


def reverse(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    axis = build.chance.randrange(len(x.shape))
    build.like(op, x, x.shape, build.numbers([axis]))


def broadcast_to(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=_rank_4)
    shape = tuple(build.one(2, 3) if size == 1 else size for size in x.shape)
    build.node(op, [x, build.numbers(shape)], shape, dtype, of(x), version=2)


def space_to_depth(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4, fits=lambda t: t.shape[1] % 2 == t.shape[2] % 2 == 0)
    n, h, w, c = x.shape
    build.like(op, x, (n, h // 2, w // 2, c * 4), block_size=2)


def depth_to_space(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4, fits=lambda t: t.shape[3] % 4 == 0)
    n, h, w, c = x.shape
    build.like(op, x, (n, h * 2, w * 2, c // 4), block_size=2)


def space_to_batch(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4)
    block = [build.one(1, 2, 3), build.one(1, 2)]
    before = [build.one(0, 1) for _ in block]
    spatial = list(zip(x.shape[1:3], before, block, strict=True))
    pads = [[first, -(size + first) % each] for size, first, each in spatial]
    sizes = [(size + first + each - 1) // each for size, first, each in spatial]
    shape = (x.shape[0] * math.prod(block), *sizes, x.shape[3])
    build.like(op, x, shape, build.numbers(block), build.numbers(pads))


def batch_to_space(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, rank=4)
    batches = x.shape[0]
    block = [build.one(*(b for b in (1, 2, 3) if batches % b == 0)), 1]
    block[1] = build.one(*(b for b in (1, 2) if batches // block[0] % b == 0))
    grown = [size * each for size, each in zip(x.shape[1:3], block, strict=True)]
    crops = [[build.one(0, 0, 1) if size > 1 else 0, 0] for size in grown]
    sizes = [size - pair[0] for size, pair in zip(grown, crops, strict=True)]
    shape = (batches // math.prod(block), *sizes, x.shape[3])
    build.like(op, x, shape, build.numbers(block), build.numbers(crops))


def split(build: Builder, op: str, dtype: str) -> None:
    """Add a SPLIT or SPLIT_V, all parts of which nodes can read."""
    x = build.pick(dtype, fits=_not_a_vector)
    axis = build.chance.randrange(len(x.shape))
    size = x.shape[axis]
    count = build.one(*(d for d in range(1, 5) if size % d == 0))
    sizes = [size // count] * count
    inputs = [build.numbers(axis), x]
    if op == "SPLIT_V":
        first = build.chance.randint(1, size)
        sizes = [first, size - first] if first < size else [size]
        inputs = [x, build.numbers(sizes), build.numbers(axis)]
    shapes = [(*x.shape[:axis], each, *x.shape[axis + 1 :]) for each in sizes]
    _parts(build, op, inputs, x, shapes, {"num_splits": len(sizes)})


def unpack(build: Builder, op: str, dtype: str) -> None:
    x = build.pick(dtype, fits=lambda t: len(t.shape) > 1 and min(t.shape) <= 4)
    axis = build.one(*(axis for axis, size in enumerate(x.shape) if size <= 4))
    rest = (*x.shape[:axis], *x.shape[axis + 1 :])
    count = x.shape[axis]
    _parts(build, op, [x], x, [rest] * count, {"num": count, "axis": axis})


def _parts(
    build: Builder,
    op: str,
    inputs: Sequence[ModelTensor],
    x: ModelTensor,
    shapes: Sequence[Sequence[int]],
    options: dict[str, int],
) -> None:
    parts = [build.tensor(op, shape, x.dtype, of(x)) for shape in shapes]
    build.model.node(op, inputs, parts, options)
    build.tensors += parts


def shape_of(build: Builder, op: str, x_type: str, y_type: str) -> None:
    x = build.pick(x_type)
    build.node(op, [x], (len(x.shape),), y_type, options={"out_type": y_type.upper()})


def rank(build: Builder, op: str, dtype: str) -> None:
    build.node(op, [build.pick(dtype, scalars=True)], (), "int32")


def fill(build: Builder, op: str, dtype: str) -> None:
    scalars = [t for t in build.tensors if (t.dtype, t.shape) == (dtype, ())]
    value = build.one(*scalars) if scalars else build.input(dtype, ())
    shape = build.shape()
    build.node(op, [build.numbers(shape), value], shape, dtype, of(value), version=3)


def broadcast_args(build: Builder, op: str, dtype: str) -> None:
    """Add a BROADCAST_ARGS of a tensor's shape and of a constant shape that it broadcasts with."""
    x = build.pick("float32")
    shape = build.node("SHAPE", [x], (len(x.shape),), dtype, options={"out_type": dtype.upper()})
    other = [build.one(1, size) for size in x.shape][build.chance.randrange(len(x.shape)) :]
    build.node(op, [shape, build.constant(np.array(other, dtype))], shape.shape, dtype)


KINDS = (
    *kinds(reshape, RESHAPE=ANY),
    *kinds(expand_dims, EXPAND_DIMS=ANY),
    *kinds(squeeze, SQUEEZE=ANY),
    *kinds(transpose, TRANSPOSE=ANY),
    *kinds(concatenation, CONCATENATION=f"{NUMBERS} uint32 bool"),
    *kinds(pack, PACK=f"{NUMBERS} uint32"),
    *kinds(slice_, SLICE=ANY),
    *kinds(strided_slice, STRIDED_SLICE=ANY),
    *kinds(tile, TILE=ANY),
    *kinds(pad, PAD=f"{NUMBERS} bool", PADV2=f"{NUMBERS} bool"),
    *kinds(mirror_pad, MIRROR_PAD=ANY),
    *kinds(reverse, REVERSE_V2=f"{NUMBERS} bool"),
    *kinds(broadcast_to, BROADCAST_TO=ANY),
    *kinds(space_to_depth, SPACE_TO_DEPTH=IMAGES),
    *kinds(depth_to_space, DEPTH_TO_SPACE=IMAGES),
    *kinds(space_to_batch, SPACE_TO_BATCH_ND=ANY),
    *kinds(batch_to_space, BATCH_TO_SPACE_ND=ANY),
    *kinds(split, SPLIT=NUMBERS, SPLIT_V=NUMBERS),
    *kinds(unpack, UNPACK="int8 int16 int32 uint8 float32 bool"),
    *kinds(shape_of, SHAPE=" ".join(f"{x}/int32 {x}/int64" for x in ANY.split())),
    *kinds(rank, RANK=ANY),
    *kinds(fill, FILL=ANY),
    *kinds(broadcast_args, BROADCAST_ARGS="int32 int64"),
)
