"""Models of older opsets, brought to the oldest that the reader knows."""

from __future__ import annotations

from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.external import take_in
from opsmith.ir import Array

OLDEST = 7  # that the package onnx is trusted to convert from; broadcasting is numpy's since
READ = 13  # the oldest that is read as it is; Q and DQ have an axis since
COUNTED_ANEW = 11  # Resize since, from the middle of elements; the converter leaves it out
RENAMED = frozenset({"Upsample"})  # operators that are others in opset 13
STANDARD = ("", "ai.onnx")


def opset_of(path: Path, onnx: Any, model: Any) -> int:
    """The one opset of ONNX's own operators. Raises MDL038 where it is none that can be read."""
    newest = onnx.defs.onnx_opset_version()
    versions = [each.version for each in model.opset_import if each.domain in STANDARD]
    if len(versions) == 1 and OLDEST <= versions[0] <= newest:
        return int(versions[0])
    others = ", ".join(f"'{shown(each.domain)}'" for each in model.opset_import)
    what = f"it names no opset of ONNX, but of {others}" if others else "it names no opset"
    if versions:
        what = f"its opset is {versions[0]}, which this reader does not know"
    fix = f"export with one opset from {OLDEST} to {newest}"
    raise ToolchainError.of("MDL038", what, where=str(path), fix=fix)


def converted(path: Path, onnx: Any, model: Any) -> Any:
    """The model with the operators of opset 13, by the converter of the package onnx.

    Raises MDL038 where it cannot convert them.
    """
    try:
        made = onnx.version_converter.convert_version(model, READ)
        if opset_of(path, onnx, model) < COUNTED_ANEW:
            _count_as_before(path, onnx, made.graph)
    except ToolchainError:
        raise
    except Exception as wrong:  # RuntimeError, ConvertError, ValueError, or above 2 GB DecodeError
        what = f"onnx.version_converter cannot bring its operators to opset {READ}"
        raise _not_converted(path, onnx, what) from wrong
    return made


def _count_as_before(path: Path, onnx: Any, graph: Any) -> None:
    """Give each Resize, which was Resize of opset 10 or Upsample, the attributes that say so."""
    values = {each.name: each for each in graph.initializer}
    fixed = [each for each in graph.node if each.op_type == "Constant" and each.attribute]
    values |= {each.output[0]: each.attribute[0].t for each in fixed}
    for node in (each for each in graph.node if each.op_type == "Resize"):
        mode = None
        if (scales := values.get(node.input[2])) is not None:
            if scales.external_data or scales.data_location == onnx.TensorProto.EXTERNAL:
                take_in(path, onnx, scales)
            mode = _nearest(onnx.numpy_helper.to_array(scales))
        if mode is None:
            what = "Resize of an older opset has scales on both sides of 1, or no constants"
            raise _not_converted(path, onnx, what)
        words = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": mode}
        node.attribute.extend(starmap(onnx.helper.make_attribute, words.items()))


def _nearest(scales: Array) -> str | None:
    """The rounding to the nearest element before opset 11, as onnxruntime's and ONNX's tests'."""
    if np.all(scales >= 1):
        return "floor"
    return "ceil" if np.all(scales <= 1) else None


def _not_converted(path: Path, onnx: Any, what: str) -> ToolchainError:
    fix = f"export with one opset from {READ} to {onnx.defs.onnx_opset_version()}"
    return ToolchainError.of("MDL038", what, where=str(path), fix=fix)
