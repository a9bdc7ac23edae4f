"""`prepare`: makes the .tflite to be compiled from a float model or a TensorFlow model."""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.command_line import Parser
from opsmith.elsewhere import QUANTIZER, TENSORFLOW, versions
from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.frontend.foreign import is_of_tensorflow
from opsmith.frontend.tflite.counts import count_tensors
from opsmith.ir import Graph
from opsmith.ir.types import f32
from opsmith.option import add_named_flags
from opsmith.oracle.litert import Reference
from opsmith.prepare.accuracy import accuracy, accuracy_by_ops, classes_of, ports
from opsmith.prepare.keras_file import check_keras
from opsmith.prepare.makers import converted, quantised
from opsmith.prepare_options import FACTS, INT8, INT16X8, PrepareOptions
from opsmith.rig.dataset import DataSet, load_samples
from opsmith.text import escaped
from opsmith.writing import replace_files

FEWEST = 10  # samples


def main(arguments: list[str]) -> int:
    """Write the model and prepared.json; returns 0. Raises problems of the model and samples."""
    parser = Parser(prog="opsmith prepare", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    add_named_flags(parser, PrepareOptions, "calibrate", "recipe", "python")
    given = parser.parse_args(arguments)
    python = str(given.python or sys.executable)
    with tempfile.TemporaryDirectory(prefix="opsmith-prepare-") as folder:
        model, recipe = given.model, given.recipe or INT8
        made, facts = _prepared(python, model, recipe, given.calibrate, Path(folder))
    text = json.dumps(facts, indent=1, sort_keys=True) + "\n"
    replace_files(given.out.parent, {given.out.name: made, FACTS: text})
    print(_line(model.name, facts))
    return 0


def _prepared(
    python: str, model: Path, recipe: str, samples: Path | None, folder: Path
) -> tuple[bytes, dict[str, Any]]:
    """Content of the model to be compiled, and facts about how it was made."""
    real = model
    if is_of_tensorflow(model):
        _check_of_tensorflow(model, recipe)
        real = folder / "float.tflite"
        converted(python, model, "float", real)
    packages = versions(python, TENSORFLOW if real != model else QUANTIZER)
    if samples is None:
        return real.read_bytes(), {"packages": packages}
    _require_float(real, model)
    before = Reference(real)
    data = _samples(samples, before)
    arrays, out = folder / "samples.npz", folder / "quantised.tflite"
    columns = zip(*(each.inputs for each in data.samples()), strict=True)
    np.savez(arrays, *(np.stack(column) for column in columns), allow_pickle=False)
    make = converted if real != model else quantised
    content = make(python, model, recipe, out, arrays)
    graph, tensors = read_model(out, "model").graph, count_tensors(out)
    if not tensors.quantised:
        what = f"recipe={recipe} quantises nothing of it"
        fix = "take a recipe for operators that it has, and for their sizes"
        raise ToolchainError.of("MDL053", what, where=str(model), fix=fix)
    sizes = {"float_bytes": real.stat().st_size, "bytes": len(content)}
    facts = {"packages": packages, "recipe": recipe, "samples": data.count, **sizes}
    if data.labelled:
        facts |= {"float_accuracy": accuracy(before, data)}
        by_ops = tensors.misread
        after = accuracy_by_ops(out, data) if by_ops else accuracy(Reference(out), data)
        facts |= {"accuracy": after}
    return content, facts | {"float_operators": _float_operators(graph)}


def _check_of_tensorflow(model: Path, recipe: str) -> None:
    """Raise MDL054 for code in a file, and MDL052 for a recipe that the converter lacks."""
    if model.is_file():
        check_keras(model)
    if recipe not in (INT8, INT16X8):
        what = f"TensorFlow's converter has no recipe '{escaped(recipe)}'"
        fix = "take recipe=int8 or int16x8; or quantise the .tflite that it makes of the model"
        raise ToolchainError.of("MDL052", what, where=str(model), fix=fix)


def _samples(path: Path, model: Reference) -> DataSet:
    """Data set of samples, if it is large enough. Raises RIG012, RIG013 and RIG058."""
    data = load_samples(path, ports(model.inputs), classes_of(model))
    if data.count < FEWEST:
        what, fix = f"{data.count} samples choose no scales", f"give {FEWEST} or more, like 100"
        raise ToolchainError.of("RIG013", what, where=escaped(str(path)), fix=fix)
    for each in data.samples():
        if not all(np.isfinite(array).all() for array in each.inputs):
            what, fix = "a sample has NaN or infinity, of which no scale can be", "leave it out"
            raise ToolchainError.of("RIG013", what, where=escaped(str(path)), fix=fix)
    return data


def _require_float(real: Path, model: Path) -> None:
    """Raise MDL051 for a quantised model, and the errors of an unreadable one."""
    read_model(real, "model").sound()
    found = count_tensors(real)
    if found.quantised:
        what = f"it is quantised already: {found.quantised} of {found.all} tensors"
        fix = "leave calibrate= out, or give the float model that it was made of"
        raise ToolchainError.of("MDL051", what, where=str(model), fix=fix)


def _float_operators(graph: Graph) -> list[str]:
    """Operators that compute float32, without DEQUANTIZE."""
    return [
        node.name.rpartition("_")[0]
        for node in graph.nodes
        if any(graph.tensors[name].dtype == f32 for name in node.outputs)
        and not node.op.endswith("DEQUANTIZE")
    ]


def _line(name: str, facts: Mapping[str, Any]) -> str:
    """Line for a person about the model that was made."""
    if "recipe" not in facts:
        return f"{escaped(name)} by TensorFlow"
    line = f"{escaped(name)} by {escaped(facts['recipe'])} and {facts['samples']:,} samples: "
    line += f"{facts['float_bytes']:,} -> {facts['bytes']:,} bytes"
    if "accuracy" in facts:
        after = "unknown" if facts["accuracy"] is None else f"{facts['accuracy']:.2%}"
        line += f", accuracy {facts['float_accuracy']:.2%} -> {after}"
    left = facts["float_operators"]
    return line + (f"\n  {len(left)} operators compute in float: {_counted(left)}" if left else "")


def _counted(names: Sequence[str]) -> str:
    """Distinct names, each with the number of its occurrences."""
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(names).items()))
