"""Broadcasting of shapes against each other, by numpy's rules, which are TFLite's."""

from __future__ import annotations

import numpy as np

from toolchain.op.describe import OpError

MAX_RANK = 5
Five = tuple[int, int, int, int, int]


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all of these broadcast to. Raises OpError where they do not."""
    try:
        return tuple(int(size) for size in np.broadcast_shapes(*shapes))
    except ValueError:
        raise OpError(f"shapes {', '.join(map(str, shapes))} do not broadcast") from None


def pad_shape(shape: tuple[int, ...]) -> Five:
    """The shape with leading ones, MAX_RANK long."""
    a, b, c, d, e = (1,) * (MAX_RANK - len(shape)) + shape
    return a, b, c, d, e


def broadcast_strides(shape: tuple[int, ...], to: tuple[int, ...]) -> Five:
    """Element strides of a dense tensor walked in shape `to`; 0 where it repeats."""
    strides, step = [], 1
    for size, target in zip(reversed(pad_shape(shape)), reversed(pad_shape(to)), strict=True):
        strides.append(0 if size == 1 and target != 1 else step)
        step *= size
    a, b, c, d, e = reversed(strides)
    return a, b, c, d, e
