"""Layers over sequences, with axes batch, channel and step, as layers over images of one row."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import CHANNELS_LAST, PLACES_FIRST, StoredConstant, Value, refuse

Handler = Callable[[Reader, Operator], None]
WEIGHTED = ("Conv", "ConvTranspose")
_OF_ROW = {"strides": 1, "dilations": 1, "kernel_shape": 1, "output_padding": 0, "output_shape": 1}


def of_sequences(handler: Handler) -> Handler:
    """Handler that reads an operator over sequences as the given handler reads one over images."""

    def either(reader: Reader, operator: Operator) -> None:
        x = reader.value(operator, 0)
        if len(x.order) != 3:
            handler(reader, operator)
            return
        names = [_image(reader, operator, x)]
        names += [_with_row(reader, operator, i) for i in range(1, len(operator.inputs))]
        attributes = _with_rows(operator.attributes)
        handler(reader, replace(operator, inputs=tuple(names), attributes=attributes))
        made = next(reversed(reader.values))  # the last value written
        image = reader.tensors[reader.values[made].tensor].shape
        shape = (image[0], *image[2:])
        found = reader.like(made, reader.values[made], shape)
        inputs = [reader.values[made].tensor, reader.numbers("shape", shape)]
        reader.node(operator, "RESHAPE", inputs, found)
        reader.values[made] = Value(found, PLACES_FIRST)

    return either


def _image(reader: Reader, operator: Operator, x: Value) -> str:
    """Name of a value for the sequence as an image of one row."""
    x = reader.ordered(operator, x, PLACES_FIRST)
    batch, places, channels = reader.tensors[x.tensor].shape
    shape = (batch, 1, places, channels)
    made = reader.like(f"{reader.tensors[x.tensor].name}_row", x, shape)
    reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", shape)], made)
    return _new(reader, operator, 0, Value(made, CHANNELS_LAST))


def _with_row(reader: Reader, operator: Operator, index: int) -> str:
    """Name of an operand with an axis of one row, for a filter or numbers of axes."""
    name = operator.inputs[index]
    found = reader.weights.get(name)
    if found is None:
        return name
    if index == 1 and operator.type in WEIGHTED and found.array.ndim != 3:
        what = f"the weights {found.array.shape} are not of sequences"
        raise refuse(operator, what, "MDL006")
    if found.array.ndim == 3:
        return _new(reader, operator, index, replace(found, array=found.array[:, :, None]))
    every = operator.type == "Resize" and "axes" not in operator.attributes
    if every and found.array.shape == (3,):
        array = np.insert(found.array, 2, found.array.dtype.type(1))
        return _new(reader, operator, index, replace(found, array=array))
    return name


def _new(reader: Reader, operator: Operator, index: int, of: Value | StoredConstant) -> str:
    """Unused name for an operand, which stands for the given value or constant."""
    name = f"{operator.name}, operand {index}"
    while name in reader.readers or name in reader.values or name in reader.weights:
        name += "_"
    if isinstance(of, Value):
        reader.values[name] = of
    else:
        reader.weights[name] = of
    return name


def _with_rows(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of windows, with numbers for the axis of one row added."""
    found = {**attributes}
    for name in {*_OF_ROW} & {*found}:
        found[name] = [_OF_ROW[name], *found[name]]
    if "axes" in found:
        found["axes"] = [axis + 1 if axis > 1 else axis for axis in (a % 3 for a in found["axes"])]
    if "pads" in found:
        found["pads"] = [0, *found["pads"][:1], 0, *found["pads"][1:]]
    return found
