"""Rules about the values of examples; examples.py checks that they are valid uses of the op."""

import math
from collections.abc import Iterator

from opsmith.ir import Array
from opsmith.op.declare import ExampleTensor
from opsmith.op.describe import Op

Found = Iterator[tuple[str, str, str]]
MOST_ELEMENTS = 1 << 24  # of a tensor: examples are compiled and computed by `check`


def example_problems(op: Op) -> Found:
    """Problems of values that no tensor of an example can have."""
    outputs = {each.name for each in op.outputs}
    for number, example in enumerate(op.all_examples):
        for name, given in example.tensors.items():
            for tensor in (given,) if isinstance(given, ExampleTensor) else given:
                if tensor.shape is None and name in outputs:
                    continue  # as `infer` says
                for what, fix in _tensor(tensor):
                    yield "OPS020", f"example {number}: tensor '{name}': {what}", fix


def _tensor(tensor: ExampleTensor) -> Iterator[tuple[str, str]]:
    shape = tensor.shape
    if shape is None or not all(map(_whole, shape)) or math.prod(shape) > MOST_ELEMENTS:
        yield "shape= must be a tuple of sizes, of few elements in all", "write shape=(2, 3)"
        return
    right = all(math.isfinite(scale) and scale > 0 for scale in _scales(tensor))
    if not right or tensor.scale == ():
        yield "scale= must be a positive number, or a tuple of them", "write scale=0.5"
    if not _whole(tensor.zero_point, least=-(1 << 31)):
        yield "zero_point= must be an integer of 32 bits", "write zero_point=0"
    if not _whole(tensor.axis) or tensor.axis >= max(len(shape), 1):
        yield "axis= must be one of the shape's", "write axis=0"
    elif len(_scales(tensor)) not in (0, 1, (*shape, 1)[tensor.axis]):
        yield "scale= has another number of scales than its axis", "write one for each channel"
    yield from _data(tensor.data, math.prod(shape))


def _data(data: Array | None, elements: int) -> Iterator[tuple[str, str]]:
    if data is None:
        return
    if data.dtype.kind not in "biuf":
        yield "data= must be an array of numbers", "write data=np.arange(6)"
    elif data.size != elements:
        yield f"data= has {data.size} elements where the shape has {elements}", "make them equal"


def _scales(tensor: ExampleTensor) -> tuple[float, ...]:
    if tensor.scale is None:
        return ()
    return tensor.scale if isinstance(tensor.scale, tuple) else (tensor.scale,)


def _whole(value: int, least: int = 0) -> bool:
    return least <= value < 1 << 31
