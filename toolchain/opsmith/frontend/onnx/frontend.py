"""Read an .onnx file into a graph in TFLite's names. The file is untrusted, so all is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.frontend.foreign import START, check_known
from opsmith.frontend.model import Model
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.batch_norm import fold_batch_norms
from opsmith.frontend.onnx.file import Operator, content, disorder, error
from opsmith.frontend.onnx.literal import is_literal
from opsmith.frontend.onnx.operators import HANDLERS
from opsmith.frontend.onnx.qoperators import MICROSOFTS, QLINEAR, as_qdq
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated
from opsmith.numerics import Numerics

KNOWN = frozenset({*HANDLERS, *QLINEAR}) | {f"com.microsoft.{each}" for each in MICROSOFTS}
MOST = 1 << 31  # bytes of a file that protobuf reads


def read_model(path: Path, name: str, signature: str = "") -> Model:
    """The model in the file, with its graph called `name` (a C identifier). Raises MDL0xx."""
    if signature:
        what, where = "'.onnx' files have no signatures", f"{path}: signature={signature}"
        raise ToolchainError.of("MDL024", what, where=where, fix="leave signature= out")
    try:
        if path.stat().st_size >= MOST:
            raise error("MDL001", "it has 2 GiB or more", path)
        data = path.read_bytes()
    except OSError as wrong:
        fix = "correct the path, or who may read the file"
        raise error("MDL002", f"cannot read the model: {wrong.strerror}", path, fix) from wrong
    check_known(path, data[:START], but="a model of ONNX")
    found = content(path, data, KNOWN)
    try:
        found = replace(found, operators=tuple(as_qdq(found.operators)))
        raise_all(disorder(found))
        reader = Reader(fold_batch_norms(found))
        for operator in reader.content.operators:
            if operator.name not in reader.fused:
                _read(reader, operator)
    except ToolchainError as wrong:
        raise ToolchainError(*(_within(path, each) for each in wrong.problems)) from wrong
    outputs = [_output(path, reader, each) for each in found.outputs]
    for each, value in zip(found.outputs, outputs, strict=True):
        if value.order != stated(len(value.order)) and len(_long(reader, value.tensor)) > 1:
            axes = " ".join(map(str, value.order))
            reader.assumed.append(f"'{shown(each)}': the output has ONNX's axes in order {axes}")
    graph = reader.graph(name, reader.inputs, [value.tensor for value in outputs])
    quantised = any(reader.tensors[n].quantization is not None for n in reader.tensors)
    return Model(
        graph,
        hashlib.sha256(data).hexdigest(),
        ("main",),
        tuple(graph.tensors),
        assumed=(*reader.assumed, *_rules(reader)),
        numerics=Numerics.NOTEBOOK if quantised else "",
    )


def _output(path: Path, reader: Reader, name: str) -> Value:
    if name not in reader.values:
        what = f"output '{shown(name)}' is constant, or fused into the operator after it"
        raise error("MDL007", what, path, "export with outputs that operators compute at the end")
    return reader.values[name]


def _read(reader: Reader, operator: Operator) -> None:
    try:
        if is_literal(reader, operator):
            reader.literal.add(operator.name)
            reader.assumed.append(
                f"'{shown(operator.outputs[0])}' ({operator.type}): computed in float32, as the"
                " file literally has it"
            )
        HANDLERS[operator.type](reader, operator)
    except (TypeError, ValueError, LookupError, ArithmeticError) as wrong:
        what = "an attribute or operand has a type or number that it cannot have"
        raise refuse(operator, what) from wrong


def _within(path: Path, problem: Problem) -> Problem:
    return Problem(problem.code, problem.what, f"{path}: {problem.where}", problem.fix)


def _long(reader: Reader, tensor: str) -> list[int]:
    return [size for size in reader.tensors[tensor].shape if size > 1]


def _rules(reader: Reader) -> Iterator[str]:
    """Sentences about operators whose integers are not proved to be ONNX's."""
    for name, source in reader.others:
        yield (
            f"'{shown(name)}' ({source}): its elements follow numerics=notebook; those of ONNX's"
            " float32 may differ by one"
        )
    count = sum(node.op == "tflite.TRANSPOSE" for node in reader.nodes)
    yield f"layout: {count} transposes are left"
