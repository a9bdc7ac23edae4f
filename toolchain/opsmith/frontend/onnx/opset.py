"""Models of older opsets, converted to the oldest that the reader knows."""

from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.external import take_in

OLDEST = 7  # oldest opset that the package onnx converts reliably; has numpy's broadcasting
READ = 13  # oldest opset read without conversion; Q and DQ have an axis
COUNTED_ANEW = 11  # opset in which Resize became centred; the converter ignores that
RENAMED = frozenset({"Upsample"})  # operators with another name in opset 13
STANDARD = ("", "ai.onnx")


def opset_of(path: Path, onnx: Any, model: Any) -> int:
    """Opset of ONNX's own operators. Raises MDL038 for an opset that cannot be read."""
    newest = onnx.defs.onnx_opset_version()
    versions = sorted({e.version for e in model.opset_import if e.domain in STANDARD})
    if len(versions) == 1 and OLDEST <= versions[0] <= newest:
        return int(versions[0])
    others = ", ".join(f"'{shown(each.domain)}'" for each in model.opset_import)
    what = f"it names no opset of ONNX, but of {others}" if others else "it names no opset"
    if versions:
        what = f"its opset is {versions[0]}, which this reader does not know"
    if len(versions) > 1:
        what = f"it names {len(versions)} opsets of ONNX: {', '.join(map(str, versions[:9]))}"
    fix = f"export with one opset from {OLDEST} to {newest}"
    raise ToolchainError.of("MDL038", what, where=str(path), fix=fix)


def converted(path: Path, onnx: Any, model: Any) -> Any:
    """Model converted to opset 13 by the converter of the package onnx.

    Raises MDL013 where an attribute has another type than in the operator's schema, which the
    converter does not check, and MDL038 where conversion fails.
    """
    opset = opset_of(path, onnx, model)
    raise_all(_strange_attributes(path, onnx, model.graph, opset))
    del model.graph.value_info[:]  # stored sizes may be wrong, and would affect the conversion
    try:
        made = onnx.version_converter.convert_version(model, READ)
        if opset < COUNTED_ANEW:
            _count_as_before(path, onnx, made.graph)
    except ToolchainError:
        raise
    except Exception as wrong:  # RuntimeError, ConvertError, ValueError; above 2 GB DecodeError
        why = shown(str(wrong).rpartition("failed: ")[2].strip())
        what = f"onnx.version_converter cannot bring its operators to opset {READ}: {why}"
        raise _not_converted(path, onnx, what) from wrong
    return made


def _strange_attributes(
    path: Path, onnx: Any, graph: Any, opset: int, within: str = ""
) -> Iterator[Problem]:
    """Problems with attributes, also in branches, of other types than the schema has at `opset`."""
    types = onnx.AttributeProto.AttributeType
    for index, node in enumerate(graph.node):
        where = f"{within}operator {index} ({shown(node.op_type)})"
        for inner in (body for each in node.attribute for body in (each.g, *each.graphs)):
            yield from _strange_attributes(path, onnx, inner, opset, f"{where}: ")
        try:
            known = onnx.defs.get_schema(node.op_type, opset, "").attributes
        except onnx.defs.SchemaError:
            continue  # from a later opset; the converter reports it
        for each in node.attribute:
            if each.name in known and each.type != known[each.name].type.value:
                what = f"attribute '{each.name}' is of {types.Name(each.type)}"
                fix = f"export it with one of {known[each.name].type.name}"
                yield Problem("MDL013", what, f"{path}: {where}", fix)


def _count_as_before(path: Path, onnx: Any, graph: Any) -> None:
    """Give each Resize, formerly Resize of opset 10 or Upsample, attributes for old positions."""
    values = {each.name: each for each in graph.initializer}
    fixed = [each for each in graph.node if each.op_type == "Constant" and each.attribute]
    values |= {each.output[0]: each.attribute[0].t for each in fixed}
    for node in (each for each in graph.node if each.op_type == "Resize"):
        words = {"coordinate_transformation_mode": "asymmetric"}
        if b"linear" not in [each.s for each in node.attribute if each.name == "mode"]:
            words["nearest_mode"] = _nearest(path, onnx, values.get(node.input[2]))
        node.attribute.extend(starmap(onnx.helper.make_attribute, words.items()))


def _nearest(path: Path, onnx: Any, scales: Any) -> str:
    """Rounding to the nearest element before opset 11, as in onnxruntime and ONNX's tests."""
    if scales is not None:
        if scales.external_data or scales.data_location == onnx.TensorProto.EXTERNAL:
            take_in(path, onnx, scales)
        factors = onnx.numpy_helper.to_array(scales)
        if np.all(factors >= 1) or np.all(factors <= 1):
            return "floor" if np.all(factors >= 1) else "ceil"
    what = "Resize of an older opset has scales on both sides of 1, or no constants"
    raise _not_converted(path, onnx, what)


def _not_converted(path: Path, onnx: Any, what: str) -> ToolchainError:
    fix = f"export with one opset from {READ} to {onnx.defs.onnx_opset_version()}"
    return ToolchainError.of("MDL038", what, where=str(path), fix=fix)
