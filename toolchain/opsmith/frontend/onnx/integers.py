"""Operators that read int8 or uint8 elements as integers, without dequantising."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from opsmith.errors import Problem, raise_all
from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.values import word
from opsmith.ir import Array

FLOAT = 1  # number of the type float32
INTEGERS = "integers"  # attribute of what such an operator reads: 'int8' or 'uint8'
# Operators that compare or move elements, which give the same result for integers as for the
# numbers that these represent.
MOVES = frozenset(
    "Concat DepthToSpace Dropout Expand Flatten Gather GatherElements GatherND GlobalMaxPool"
    " Identity Max MaxPool Min Pad"
    " ReduceMax ReduceMin Reshape Resize Slice SpaceToDepth Split Squeeze Tile Transpose"
    " Unsqueeze".split()
)
TELLS = frozenset(
    {"ArgMax", "ArgMin", "Shape", "Size"}
)  # operators whose outputs are no such elements


def of_integers(content: Content) -> Content:
    """Content in which each operator that reads elements is marked by an attribute. Raises MDL012
    about operators that compute with elements.
    """
    kinds, operators = dict(content.integers), []
    given, constants = {*content.integers}, dict(content.constants)  # elements of inputs
    taken = {*content.inputs}.union(*((*o.inputs, *o.outputs) for o in content.operators))
    problems: list[Problem] = []
    for each in content.operators:
        if given & {*each.inputs[:1]}:
            each = _dequantised(each, kinds, constants, taken)
        read = [kinds[name] for name in each.inputs if name in kinds]
        given |= {*each.outputs} if each.type in MOVES and given & {*each.inputs[:1]} else set()
        if each.type == "QuantizeLinear":
            kinds |= dict.fromkeys(each.outputs, _made(content, each))
        elif read and each.type != "DequantizeLinear":
            problems += _computes(each, {*read})
            kinds |= {} if each.type in TELLS else dict.fromkeys(each.outputs, read[0])
            each = replace(each, attributes={**each.attributes, INTEGERS: read[0]})
        operators.append(each)
    raise_all(problems)
    return replace(content, operators=tuple(operators), constants=constants)


def _dequantised(
    operator: Operator, kinds: Mapping[str, str], constants: dict[str, Array], taken: set[str]
) -> Operator:
    """A Cast of an input's elements to float32 as a DequantizeLinear by a scale of 1."""
    if operator.type != "Cast" or operator.attributes.get("to") != FLOAT or not operator.outputs:
        return operator
    name, output = operator.inputs[0], operator.outputs[0]
    scale, point = f"{output} scale", f"{output} point"
    while {scale, point} & {*constants, *taken}:
        scale, point = f"{scale}_", f"{point}_"
    constants |= {scale: np.ones((), np.float32), point: np.zeros((), kinds[name])}
    return replace(operator, type="DequantizeLinear", inputs=(name, scale, point), attributes={})


def dequantizer(name: str, readers: Mapping[str, Sequence[Operator]]) -> Operator | None:
    """The first DequantizeLinear that reads the named elements, directly or after operators that
    only move them; None if there is none. `readers` has the operators that read each tensor.
    """
    names = [name]
    for given in names:  # which grow
        for each in readers.get(given, ()):
            if each.type == "DequantizeLinear" and each.inputs[0] == given:
                return each
            if each.type in MOVES:
                names += [output for output in each.outputs if output not in names]
    return None


def as_int8(elements: Array) -> Array:
    """Elements as int8: those of uint8 less 128, any others unchanged."""
    if elements.dtype != np.uint8:
        return elements
    return np.asarray(elements.astype(np.int16) - 128, np.int8)


def _made(content: Content, quantize: Operator) -> str:
    """Type of the elements that a QuantizeLinear makes."""
    point = content.constants.get(quantize.inputs[2]) if len(quantize.inputs) > 2 else None
    return "uint8" if point is None else point.dtype.name


def _computes(each: Operator, kinds: set[str]) -> Iterator[Problem]:
    """Problem of an operator that computes with elements, or reads both types."""
    between = each.type == "Resize" and word(each, "mode", "nearest") != "nearest"
    if each.type not in MOVES | TELLS or between:
        what = "it computes with elements of 8 bits, not with the numbers for which these stand"
        yield Problem("MDL012", what, each.name, "let DequantizeLinear read the elements first")
    elif len(kinds) > 1:
        fix = "quantise all that it reads to the same type"
        yield Problem("MDL012", "it reads elements of both int8 and uint8", each.name, fix)
