"""Compares what a file states of its tensors with what follows from its inputs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from opsmith.frontend.names import shown
from opsmith.frontend.onnx.dynamic import FINDING, LAYERS
from opsmith.frontend.onnx.file import Content, error
from opsmith.frontend.onnx.integers import INTEGERS, TELLS
from opsmith.frontend.onnx.reader import Reader
from opsmith.given_shapes import Shape, listed
from opsmith.ir.types import i32, i64

_FIX = "export the model again, or correct its entries of graph.output and graph.value_info"


def check_stated(path: Path, found: Content, reader: Reader, *, given: bool) -> None:
    """Raise MDL006 if a tensor has another type than the file states, or, unless shapes of inputs
    are given, other sizes. Open sizes, with names or without, contradict nothing.
    """
    kinds = dict(_kinds(found, reader))
    shapes = {name: each.array.shape for name, each in reader.weights.items()}
    shapes |= {name: reader.shape(each) for name, each in reader.values.items()}
    for each in reversed(reader.content.operators):  # whose input a node before them has as output
        if each.name in reader.fused and each.outputs[0] in shapes:
            shapes.setdefault(each.inputs[0], shapes[each.outputs[0]])
    wrong = []
    for name, (kind, sizes) in found.stated.items():
        whose = f"{'output ' if name in found.outputs else ''}'{shown(name)}'"
        made = kinds.get(name, (kind,))
        if kind and kind not in made:
            wrong.append(f"{whose} is of {made[0]}; the file states {kind}")
        if name in shapes and not given and _differs(shapes[name], sizes):
            wrong.append(f"{whose} {_but(shapes[name], sizes)}")
    if wrong:
        raise error("MDL006", listed(wrong), path, _FIX)


def other_sizes(reader: Reader) -> Iterator[str]:
    """Sentences about outputs that have other sizes than the file states."""
    for name in reader.content.outputs:
        found = reader.shape(reader.values[name])
        _, there = reader.content.stated.get(name, ("", found))
        if _differs(found, there):
            yield f"output '{shown(name)}' {_but(found, there)}"


def _differs(found: Shape, stated: tuple[int | str, ...]) -> bool:
    pairs = zip(found, stated, strict=False)
    other = any(isinstance(there, int) and 0 < there != size for size, there in pairs)
    return other or len(found) != len(stated)


def _but(found: Shape, stated: tuple[int | str, ...]) -> str:
    sizes = ["x".join(map(str, each)) or "scalar" for each in (found, stated)]
    return f"is {sizes[0]}, as follows from the inputs; the file states {shown(sizes[1])}"


def _kinds(found: Content, reader: Reader) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Types by tensor that ONNX may call it by; none for integers that are computed as floats."""
    marked: Mapping[str, str] = {
        name: str(each.attributes[INTEGERS])
        for each in reader.content.operators
        if INTEGERS in each.attributes and each.type not in TELLS
        for name in each.outputs
    } | {
        name: "int8" if reader.signed(each) else "uint8"
        for each in reader.content.operators
        if each.type == "QuantizeLinear"
        for name in each.outputs
    }
    dynamic = (each for each in found.operators if each.type in (FINDING, *LAYERS))
    floats = {name for each in dynamic for name in each.outputs}
    for name in {*reader.values} - floats - {*found.inputs}:
        tensor = reader.tensors[reader.values[name].tensor]
        if tensor.quantization is not None:
            yield name, (marked.get(name, "float32"),)
        elif tensor.dtype in (i32, i64):
            yield name, ("int64", "int32")
        else:
            yield name, (tensor.dtype.name,)
