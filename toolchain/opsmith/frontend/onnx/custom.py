"""Operators that op folders claim: CUSTOM ones of domains that are not ONNX's, with the attributes
as options in a flexbuffer, and ONNX's own under their names, with the attributes as options.

A node has its operands and outputs in ONNX's order of axes, and computes float32 where the file has
it between QuantizeLinear and DequantizeLinear, as onnxruntime does. The file has to state the
shapes of outputs, except where the package onnx infers them.
"""

from collections.abc import Iterator
from typing import Any

from opsmith.errors import Problem
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.file import PLAIN, Operator
from opsmith.frontend.onnx.means import custom
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated
from opsmith.ir.limits import size_problem
from opsmith.ir.types import BY_NAME

_STATE = "state its type and shape: graph.value_info of the model has them by name"


def called_twice(operators: tuple[Operator, ...]) -> Iterator[Problem]:
    """Problems of operators that have one name in several domains, which CUSTOM operators lack."""
    first: dict[str, str] = {}
    for each in operators:
        if each.made is None:
            continue
        name = _code(each)
        if first.setdefault(name, each.type) != each.type:
            what = f"two domains have a {shown(name)}: {shown(first[name])} and {shown(each.type)}"
            yield Problem("MDL010", what, each.name, "rename one of them")


def write_custom(reader: Reader, operator: Operator) -> None:
    """Write the node of an operator that a folder claims, or that is of a user's domain."""
    inputs = [_operand(reader, operator, index) for index in range(len(operator.inputs))]
    batches = set(_batches(reader, operator))
    outputs = [_output(reader, operator, name, batches) for name in operator.outputs]
    options = {name: _option(each) for name, each in operator.attributes.items()}
    space, _, name = operator.type.partition(".")
    if "::" in operator.type:
        space, name, options = "tflite", f"CUSTOM.{_code(operator)}", custom(options)
    reader.node(operator, name, inputs, outputs[0], options, outputs[1:], space)


def _code(operator: Operator) -> str:
    """Name of a CUSTOM operator, which has no domain."""
    return operator.type.rpartition("::")[2]


def _operand(reader: Reader, operator: Operator, index: int) -> str | None:
    name = operator.inputs[index]
    if not name:
        return None
    if name in reader.weights:
        stored = reader.weights[name]
        array = stored.array if stored.quantization is None else stored.real
        return reader.constant(name, array)
    value = reader.value(operator, index)
    return reader.ordered(operator, value, stated(len(value.order))).tensor


def _batches(reader: Reader, operator: Operator) -> Iterator[int]:
    """Sizes of the first axes of operands that are not constants."""
    for index, name in enumerate(operator.inputs):
        if name and name not in reader.weights:
            yield from reader.shape(reader.value(operator, index))[:1]


def _output(reader: Reader, operator: Operator, name: str, batches: set[int]) -> str:
    """Tensor that an output is. Raises MDL012 and MDL014 where the file does not state it."""
    assert operator.made is not None
    if not name:
        raise refuse(operator, "an output has no name", "MDL007", "name all outputs")
    if name not in operator.made:
        raise refuse(operator, f"nothing says what '{shown(name)}' is", "MDL014", _STATE)
    dtype, sizes = operator.made[name]
    if dtype not in ("float32", *PLAIN):
        what = f"'{shown(name)}' is stated to be of neither float32, bool, int32 nor int64"
        raise refuse(operator, what, "MDL012", "let the operator make one of these")
    shape = [reader.content.sizes.get(n, 0) if isinstance(n, str) else n for n in sizes]
    if shape[:1] == [0] and sizes[0] == 0 and reader.content.request and batches == {1}:
        shape[0] = 1  # an open axis without a name: the batch, which inputs leave open
    if min(shape, default=1) < 1:
        raise refuse(operator, f"nothing says the size of '{shown(name)}'", "MDL014", _STATE)
    if problem := size_problem(BY_NAME[dtype], tuple(shape)):
        what = f"'{shown(name)}': {problem}"
        raise refuse(operator, what, "MDL003", "let the operator make less of them")
    tensor = reader.tensor(name, shape, BY_NAME[dtype])
    reader.values[name] = Value(tensor, stated(len(shape)))
    return tensor


def _option(value: Any) -> Any:
    """Attribute as a node has it. Raises TypeError for tensors and graphs."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_option(each) for each in value]
    if not isinstance(value, (int, float, str)):
        raise TypeError(type(value))
    return value
