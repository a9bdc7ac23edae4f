"""Reads the parts of an .onnx file of which a graph is made. The file is untrusted."""

import importlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError, raise_all, together
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.external import take_in
from opsmith.frontend.onnx.halves import CONSTANT, half_problems, widened
from opsmith.frontend.onnx.inputs import inputs_of
from opsmith.frontend.onnx.local import inlined
from opsmith.frontend.onnx.opset import READ, RENAMED, STANDARD, converted, opset_of
from opsmith.frontend.onnx.stated import Stated, kinds, sizes_of, stated_of, with_inferred
from opsmith.frontend.onnx.unread import instead, is_claimable, why
from opsmith.home import with_our_pip
from opsmith.ir import Array

_VALUES = ("value", "value_float", "value_floats", "value_int", "value_ints")  # Constant's
_TYPES = ("float32", "float16", "int8", "uint8", "int32", "int64", "bool")  # of constants
PLAIN = ("bool", "int32", "int64")  # types of inputs that are not quantised
_AGAIN = "export the model again"
_KEPT = ("ai.onnx", "com.microsoft", "com.ms.", "onnx.", "qonnx.")  # domains that no user's op has


@dataclass(frozen=True)
class Operator:
    """An operator of the file."""

    name: str  # as messages show it
    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    otherwise: str = "convert the model by `onnx2tf -i FILE`"  # alternative that fixes suggest
    made: Stated | None = None  # outputs that the file states, of operators that folders claim


@dataclass(frozen=True)
class Content:
    """A graph of the file, with operators in order."""

    inputs: Mapping[str, tuple[int, ...]]  # shapes of inputs, with axes in ONNX's order
    integers: Mapping[str, str]  # input name -> int8 or uint8, for inputs of these types
    outputs: tuple[str, ...]
    operators: tuple[Operator, ...]
    constants: Mapping[str, Array]
    assumed: tuple[str, ...]
    plain: Mapping[str, str] = field(default_factory=dict)  # input name -> bool, int32 or int64
    request: str = ""  # advice to give the sizes that were assumed
    unranked: str = ""  # advice about inputs whose number of axes only the build says
    sizes: Mapping[str, int] = field(default_factory=dict)  # of open axes that have names
    stated: Stated = field(default_factory=dict)


def error(code: str, what: str, path: Path, fix: str = _AGAIN) -> ToolchainError:
    """Error about the whole file."""
    return ToolchainError.of(code, what, where=str(path), fix=fix)


def content(
    path: Path, data: bytes, known: frozenset[str], input_shape: Sequence[str] = ()
) -> Content:
    """Content of a model's bytes, if all its operators are `known`, by their names or as source ops
    that folders claim; `input_shape` has sizes of open axes. Raises codes MDL.
    """
    try:
        onnx = importlib.import_module("onnx")
    except ImportError as missing:
        what = "the package onnx is not installed"
        fix = with_our_pip("pip install 'opsmith[onnx]'")
        raise error("MDL037", what, path, fix) from missing
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as wrong:  # protobuf's DecodeError; Opsmith does not depend on protobuf
        raise error("MDL001", "the bytes are no ONNX model", path) from wrong
    graph = model.graph
    if not graph.node or not graph.output:
        raise error("MDL001", "it has no graph with operators and outputs", path)
    _check_version(path, model, onnx.IR_VERSION)
    model = inlined(path, model)
    graph = model.graph
    if not all(isinstance(each, str) for each in _texts(graph)):
        raise error("MDL001", "a name is no text of UTF-8", path)
    if not any(each.domain in STANDARD for each in model.opset_import):
        _check_known(path, graph, known, ())  # it has none of ONNX's operators
    if not all(map(_is_of_users, graph.node)) and opset_of(path, onnx, model) < READ:
        _check_known(path, graph, known | RENAMED, ())
        stored = onnx.GraphProto(value_info=graph.value_info)
        model = converted(path, onnx, model)
        graph = model.graph
        graph.value_info.extend(stored.value_info)
    if any(_source(node) in known for node in graph.node):
        model = with_inferred(onnx, model)
        graph = model.graph
    operators, constants = operators_of(path, graph, known)
    stored = {each.name for each in graph.initializer}
    given = [each for each in graph.input if each.name not in stored]
    types = {each.name: _kind(path, onnx, each) for each in given}
    inputs = inputs_of(path, given, input_shape)
    return Content(
        inputs.shapes,
        {name: kind for name, kind in types.items() if kind in ("int8", "uint8")},
        tuple(o.name for o in graph.output),
        tuple(operators),
        constants,
        inputs.assumed,
        {name: kind for name, kind in types.items() if kind in PLAIN},
        inputs.request,
        inputs.unranked,
        dict(sizes_of(given, inputs.shapes)),
        dict(stated_of(onnx, graph)),
    )


def unread_types(data: bytes, known: frozenset[str]) -> frozenset[str]:
    """Source ops for ONNX's operators in a model's bytes that are not `known`, but those for which
    there is better advice than a folder.
    """
    try:
        onnx = importlib.import_module("onnx")
        graph = onnx.ModelProto.FromString(data).graph
    except Exception:  # which content() reports
        return frozenset()
    types = {each.op_type for each in graph.node if each.domain in STANDARD}
    return frozenset(f"onnx.{each}" for each in types - known - {CONSTANT} if is_claimable(each))


def operators_of(
    path: Path, graph: Any, known: frozenset[str], within: str = ""
) -> tuple[list[Operator], dict[str, Array]]:
    """Operators of a graph, and its constants, of initializers and Constants; those of float16 are
    widened in the place of their Casts. The names of operators begin with `within`.
    """
    onnx = importlib.import_module("onnx")
    casts = widened(onnx, graph)
    raise_all(half_problems(path, onnx, graph, casts))
    _check_known(path, graph, known, casts, within)
    constants = {each.name: _array(path, onnx, each) for each in graph.initializer}
    operators, stated = [], dict(stated_of(onnx, graph))
    for index, node in enumerate(graph.node):
        if index in casts:
            continue
        attributes = _attributes(path, onnx, node)
        if node.op_type == CONSTANT:
            values = [np.asarray(attributes[n]) for n in _VALUES if n in attributes]
            if len(values) != 1 or values[0].dtype.kind not in "iufb" or len(node.output) != 1:
                what = f"{within}operator {index} ({CONSTANT}) has no value"
                raise error("MDL006", what, path)
            (value,) = values  # Python floats are float64
            constants[node.output[0]] = value.astype(np.float32) if value.dtype == float else value
            continue
        name = f"{within}operator {index} ({shown(node.op_type)})"
        names = tuple(node.input), tuple(node.output)
        made = Operator(name, node.op_type, *names, attributes)
        if (source := _source(node)) in known:
            made = replace(made, type=source, made=stated)
        elif _is_of_users(node):
            made = replace(made, type=f"{node.domain}::{node.op_type}", made=stated)
        operators.append(made)
    for index, name in casts.items():
        constants |= dict.fromkeys(graph.node[index].output, constants[name].astype(np.float32))
    constants = {name: each for name, each in constants.items() if each.dtype != np.float16}
    return operators, constants


def _kind_of(node: Any) -> str:
    return node.op_type if node.domain in STANDARD else f"{node.domain}.{node.op_type}"


def _source(node: Any) -> str:
    """Source op that a folder claims which takes the node."""
    return f"onnx.{_kind_of(node)}"


def _is_of_users(node: Any) -> bool:
    return node.domain not in STANDARD and not node.domain.startswith(_KEPT)


def _texts(graph: Any) -> Iterator[object]:
    """Names in a graph and its branches; protobuf returns bytes for names that are no UTF-8."""
    for node in graph.node:
        yield from (node.op_type, node.domain, *node.input, *node.output)
        for each in node.attribute:
            yield each.name
            for inner in (each.g, *each.graphs):
                yield from _texts(inner)
    for each in (*graph.input, *graph.output, *graph.initializer):
        yield each.name


def _check_version(path: Path, model: Any, newest: int) -> None:
    if model.ir_version > newest:
        what = f"its ir_version is {model.ir_version}, and the package onnx knows {newest} at most"
        install = with_our_pip("pip install --upgrade onnx")
        fix = f"{install}; or export with ir_version={newest}"
        raise error("MDL038", what, path, fix)


def _check_known(
    path: Path, graph: Any, known: frozenset[str], casts: Container[int], within: str = ""
) -> None:
    """Raise MDL010 for operators, besides `casts`, that nothing reads, each once."""
    raise_all(together(_unknown(path, graph, known, casts, within), f"{path}: "))


def _unknown(
    path: Path, graph: Any, known: frozenset[str], casts: Container[int], within: str
) -> Iterator[Problem]:
    for index, node in enumerate(graph.node):
        kind, taken = _kind_of(node), _source(node) in known or _is_of_users(node)
        if kind not in {*known, CONSTANT} and index not in casts and not taken:
            what = f"nothing reads ONNX's operator {shown(kind)}{why(kind)}"
            fix = instead(kind, str(path), standard=node.domain in STANDARD)
            yield Problem("MDL010", what, f"{within}operator {index}", fix)


def _array(path: Path, onnx: Any, tensor: Any) -> Array:
    name = shown(tensor.name)
    if any(size < 0 for size in tensor.dims):
        raise error("MDL006", f"'{name}' has a negative size", path)
    if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
        take_in(path, onnx, tensor)
    try:
        found = np.array(onnx.numpy_helper.to_array(tensor))
    except Exception as wrong:  # onnx raises several types
        what = f"the elements of '{name}' do not fit its type and shape"
        raise error("MDL006", what, path) from wrong
    if found.dtype.name not in _TYPES:
        fix = "export elements of float32, int8 or uint8"
        if found.dtype.itemsize == 2:
            fix += "; quantize_static() makes them by activation_type and weight_type"
        raise error("MDL012", f"'{name}' is of {found.dtype.name}", path, fix)
    return found


def _attributes(path: Path, onnx: Any, node: Any) -> dict[str, Any]:
    found = {}
    for each in node.attribute:
        if each.type == onnx.AttributeProto.TENSOR:
            found[each.name] = _array(path, onnx, each.t)
            continue
        try:
            found[each.name] = onnx.helper.get_attribute_value(each)
        except ValueError as wrong:
            raise error("MDL013", f"attribute '{shown(each.name)}' has no type", path) from wrong
    return found


def _kind(path: Path, onnx: Any, value: Any) -> str:
    """Name of the type of an input's elements."""
    found = kinds(onnx).get(value.type.tensor_type.elem_type)
    if found is None:
        known = "float32, bool or integers of 8, 32 or 64 bits"
        fix = f"export it with inputs of {known}"
        what = f"input '{shown(value.name)}' is not of {known}"
        raise error("MDL012", what, path, fix)
    return found


def disorder(found: Content) -> Iterator[Problem]:
    """Problems with operators that write no tensor, and with tensors that are read before they are
    written, or written twice.
    """
    seen = {*found.inputs, *found.constants}
    fix = "sort the operators, and write each tensor once"
    for each in found.operators:
        for name in each.inputs:
            if name and name not in seen:
                what = f"'{shown(name)}' is read before it is written, or never written"
                yield Problem("MDL007", what, each.name, fix)
        if not any(each.outputs):
            yield Problem("MDL007", "it writes no tensor", each.name, "leave the operator out")
        for name in filter(None, each.outputs):
            if name in seen:
                yield Problem("MDL007", f"'{shown(name)}' is written twice", each.name, fix)
            seen.add(name)
    for name in found.outputs:
        if name not in seen or name in found.inputs:
            what = "no operator writes it"
            fix = "export with outputs that operators compute of the inputs"
            yield Problem("MDL007", what, f"output '{shown(name)}'", fix)
