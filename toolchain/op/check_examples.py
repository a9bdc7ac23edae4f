"""Rules about the values of examples: whether they are uses of the op is told by examples.py."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from toolchain.ir import DType
from toolchain.op.describe import Example, ExampleTensor, Op

Found = Iterator[tuple[str, str, str]]
MOST_ELEMENTS = 1 << 24  # of a tensor: examples are compiled and computed by `check`


def example_kinds(op: Op) -> Found:
    """What no field of an example can be."""
    for number, example in enumerate(op.examples):
        for what, fix in _example(example):
            yield "OPS020", f"example {number}: {what}", fix


def _example(example: Example) -> Iterator[tuple[str, str]]:
    for field in ("tensors", "attributes"):
        named = getattr(example, field)
        if not isinstance(named, Mapping) or not all(isinstance(name, str) for name in named):
            yield f"{field}= must be values by name", f"write {field}={{…}}"
            return
    for name, given in example.tensors.items():
        several = given if isinstance(given, list | tuple) else (given,)
        for tensor in several:
            if not isinstance(tensor, ExampleTensor):
                what = f"tensor '{name}' must be an ExampleTensor, not {type(tensor).__name__}"
                yield what, "write ExampleTensor(i8, (2, 3))"
            else:
                yield from ((f"tensor '{name}': {what}", fix) for what, fix in _tensor(tensor))


def _tensor(tensor: ExampleTensor) -> Iterator[tuple[str, str]]:
    if not isinstance(tensor.dtype, DType):
        yield "dtype= must be an element type", "write i8, f32, …"
    sized = isinstance(tensor.shape, tuple) and all(_whole(size) for size in tensor.shape)
    if not sized or math.prod(tensor.shape) > MOST_ELEMENTS:
        yield "shape= must be a tuple of sizes, of few elements in all", "write shape=(2, 3)"
        return
    if not all(_real(scale) for scale in _scales(tensor)):
        yield "scale= must be a positive number, or a tuple of them", "write scale=0.5"
    if not _whole(tensor.zero_point, least=-(1 << 31)):
        yield "zero_point= must be a whole number", "write zero_point=0"
    if not _whole(tensor.axis) or tensor.axis >= max(len(tensor.shape), 1):
        yield "axis= must be one of the shape's", "write axis=0"
    elif len(_scales(tensor)) not in (0, 1, (*tensor.shape, 1)[tensor.axis]):
        yield "scale= has another number of scales than its axis", "write one for each channel"
    yield from _data(tensor.data, math.prod(tensor.shape))


def _data(data: Any, elements: int) -> Iterator[tuple[str, str]]:
    if data is None:
        return
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "biuf":
        yield "data= must be an array of numbers", "write data=np.arange(6)"
    elif data.size != elements:
        yield f"data= has {data.size} elements where the shape has {elements}", "make them equal"


def _scales(tensor: ExampleTensor) -> tuple[Any, ...]:
    if tensor.scale is None:
        return ()
    return tensor.scale if isinstance(tensor.scale, tuple) else (tensor.scale,)


def _whole(value: Any, least: int = 0) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and least <= value < 1 << 31


def _real(value: Any) -> bool:
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return real and math.isfinite(value) and value > 0
