"""Structural mutants of an .onnx model: `python -m tests.fuzz.onnx --count=N --seed=S`."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.reading import read_or_refused
from tests.fuzz.trials import Limits, command
from tests.unit.frontend.onnx_cases import CASES, POINT, SCALE
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import operand

LIMITS = Limits(seconds=10.0, mebibytes=200)
NUMBERS = (-(1 << 63), -(1 << 31), -2, -1, 0, 1, 2, 3, 5, 7, 1 << 31, (1 << 63) - 1)
MORE = (
    *("QLinearConv", "HardSigmoid", "Clip", "Elu", "MatMulInteger", "MatMul", "Attention", "GRU"),
    *("DynamicQuantizeLinear", "ConvInteger", "Greater", "Equal", "And", "Not", "Where", "Cast"),
    *("GatherND", "ScatterND", "GatherElements", "OneHot", "TopK", "CumSum", "Trilu", "Einsum"),
    *("If", "RNN", "GroupNormalization", "RMSNormalization", "LpNormalization", "Erf", "Size"),
    "FastGelu",
)
PLACES = ("../m.onnx", "/etc/passwd", "link", "missing", "", ".", "a/../../b", "m.onnx", "\0")


def trial(chance: Random, folder: Path) -> str:
    """Verdict of a mutant, by `read_or_refused`."""
    model = whole() if chance.random() < 0.5 else _of_case(chance)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        with suppress(IndexError):  # of an edit that finds nothing to change
            chance.choice(EDITS)(chance, model)
    (folder / "link").symlink_to("/etc/passwd")
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return read_or_refused(path)


def whole() -> Any:
    """A model of float32 and int8 that nothing is wrong with."""
    m = OnnxWriter()
    y = m.node("Conv", ["x", m.constant(np.ones((4, 2, 3, 3), np.float32))], pads=[1, 1, 1, 1])
    y = m.node("BatchNormalization", [y, *(m.constant(np.ones(4, np.float32)) for _ in range(4))])
    y = m.node("Resize", [y, "", m.constant(np.array([1, 1, 2, 2], np.float32))])
    y = m.node("Slice", [y, *(m.constant(np.array([each])) for each in (1, 5, 2))])
    y = m.node("Pad", [y, m.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1]))])
    y = m.node("AveragePool", [m.through(y, 0.05, 3)], kernel_shape=[2, 2])
    sizes = m.constant(np.array([1, 4, 7, 9]))
    y = m.node("Resize", [m.through(y, 0.05, 3), "", "", sizes], mode="linear")
    y = m.node("ReduceMean", [m.through(y, 0.05, 3), m.constant(np.array([2, 3]))], keepdims=0)
    y = m.through(y, 0.05, 3)
    y = m.node("Gather", [y, m.constant(np.array([1, 0, 3]))], axis=1)
    held = onnx.numpy_helper.from_array(np.ones((5, 3), np.float16))
    w = m.node("Cast", [m.node("Constant", [], value=held)], to=onnx.TensorProto.FLOAT)
    scales = m.scales(np.full(5, 0.1), np.zeros(5))
    w = m.node(
        "DequantizeLinear", [m.node("QuantizeLinear", [w, *scales], axis=0), *scales], axis=0
    )
    y = m.node("Gemm", [y, w], transB=1)
    y = m.node("Sigmoid", [m.through(y, 0.1, 0)])
    y = m.node("QuantizeLinear", [y, *m.scales(0.02, 3)])
    integers = [m.constant(np.ones((5, 4), np.int8)), *m.scales(0.1, 0)]
    y = m.node("QLinearMatMul", [y, *m.scales(0.02, 3), *integers, *m.scales(0.1, 3)])
    y = m.node("DequantizeLinear", [y, *m.scales(0.1, 3)])
    y = m.node("Max", [y, m.through(m.node("Mul", [y, y]), 0.1, 3)])
    y = m.through(m.node("Add", [m.through(y, 0.1, 3), y]), 0.2, 3)
    y = m.node("MatMul", [y, m.node("Transpose", [y])])
    y = m.node("Unsqueeze", [y, m.constant(np.array([0]))])
    recurrent = [m.constant(np.ones((1, 8, width), np.float32)) for width in (1, 2)]
    y = m.node("LSTM", [y, *recurrent])
    y = m.node("Slice", [y, *(m.constant(np.array([each])) for each in (0, 1, 0))])
    y = m.node("PRelu", [y, m.constant(np.ones(2, np.float32))])
    y = m.node("GatherND", [y, m.constant(np.array([[0, 0]]))])
    y = m.node("ScatterND", [m.node("Trilu", [y]), m.constant(np.array([[0, 0]])), "row"])
    y = m.node("CumSum", [y, m.constant(np.array(1))])
    y = _either(m, m.node("Einsum", [y], equation="abc->acb"))
    row = onnx.numpy_helper.from_array(np.ones((1, 2), np.float32), "row")
    m.constants.append(row)
    return m.model([1, 2, 6, 6], m.through(y, 0.1, 0), opset=23)


def _of_case(chance: Random) -> Any:
    """A model of one operator, of float32 or between elements that are quantised."""
    kind, constants, options, far, shape = chance.choice(CASES)
    quantised = far is not None and chance.random() < 0.5
    m = OnnxWriter()
    given = [
        e if e is None else operand(m, kind, e) if quantised else m.constant(e) for e in constants
    ]
    x = m.through("x", SCALE, POINT) if quantised else "x"
    y = m.node(kind, [x, *("" if each is None else each for each in given)], **options)
    made = m.model(shape, m.through(y, SCALE, POINT) if quantised else y, opset=24)
    if quantised and chance.random() < 0.5:  # its input has elements
        del made.graph.node[0]
        made.graph.node[0].input[0] = "x"
        made.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT8
    return made


def _either(m: OnnxWriter, x: str) -> str:
    """Output of an If that squeezes x where its first axis has one position."""
    bodies = []
    for at, kind in enumerate(("Squeeze", "Identity")):
        inner = OnnxWriter()
        inner.count = 200 + at
        y = inner.node(kind, [x, inner.constant(np.array([0]))][: 2 - at])
        inner.constants = [onnx.numpy_helper.from_array(np.array([0]), "axes")] * (1 - at)
        inner.nodes[0].input[1:] = ["axes"] * (1 - at)
        value = onnx.helper.make_tensor_value_info(y, 1, None)
        bodies.append(onnx.helper.make_graph(inner.nodes, kind, [], [value], inner.constants))
    size = m.node("Gather", [m.node("Shape", [x]), m.constant(np.array(0))])
    one = m.node("Equal", [size, m.constant(np.array(1))])
    return m.node("If", [one], then_branch=bodies[0], else_branch=bodies[1])


def _wire(chance: Random, model: Any) -> None:
    """Let a node read or write a different tensor: cycles, two writers, nothing written."""
    names = [name for node in model.graph.node for name in (*node.input, *node.output)]
    node = chance.choice(model.graph.node)
    side = chance.choice((node.input, node.output))
    if side:
        side[chance.randrange(len(side))] = chance.choice((*names, "", "nobody"))


def _nodes(chance: Random, model: Any) -> None:
    """Leave an operator out, repeat it, or move it to the end."""
    nodes = model.graph.node
    at = chance.randrange(len(nodes)) if nodes else None
    if at is None:
        return
    node = onnx.NodeProto()
    node.CopyFrom(nodes[at])
    if chance.random() < 0.7:
        del nodes[at]
    if chance.random() < 0.7:
        nodes.append(node)


def _kind(chance: Random, model: Any) -> None:
    """Change a node's operator to one of the model's or an unknown one."""
    node = chance.choice(model.graph.node)
    kinds = [each.op_type for each in model.graph.node]
    node.op_type = chance.choice((*kinds, "Split", "LayerNormalization", *MORE, "Loop", "\x1b[31m"))


def _domain(chance: Random, model: Any) -> None:
    """Give an operator a user's domain, or one that no user's op has, and state its outputs."""
    node = chance.choice(model.graph.node)
    node.domain = chance.choice(("com.acme", "com.acme", "ai.onnx.ml", "\x1b[31m", "x" * 300))
    for name in node.output:
        sizes = [chance.choice((1, 2, 4, "n", *NUMBERS)) for _ in range(chance.randrange(6))]
        stated = onnx.helper.make_tensor_value_info(name, chance.randrange(1, 12), sizes)
        model.graph.value_info.append(stated)


def _sizes(chance: Random, model: Any) -> None:
    """Change the shape or type of a constant or of the input."""
    tensor, number = chance.choice(model.graph.initializer), chance.choice(NUMBERS)
    match chance.randrange(5):
        case 0:
            tensor.dims.append(number)
        case 1 if tensor.dims:
            tensor.dims[chance.randrange(len(tensor.dims))] = number
        case 2:
            tensor.data_type = chance.randrange(30)
        case 3:
            model.graph.input[0].type.tensor_type.elem_type = chance.randrange(12)
        case _:
            chance.choice(model.graph.input[0].type.tensor_type.shape.dim).dim_value = number


def _elements(chance: Random, model: Any) -> None:
    """Change elements of a constant, or remove some."""
    tensor = chance.choice(model.graph.initializer)
    raw = bytearray(tensor.raw_data)
    if raw and chance.random() < 0.7:
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    else:
        raw = raw[: chance.randrange(len(raw) + 1)]
    tensor.raw_data = bytes(raw)


def _attribute(chance: Random, model: Any) -> None:
    """Change the number, type or name of an attribute."""
    found = [each for node in model.graph.node for each in node.attribute]
    attribute = chance.choice(found)
    match chance.randrange(3):
        case 0:
            attribute.i = chance.choice(NUMBERS)
        case 1:
            attribute.ints.append(chance.choice(NUMBERS))
        case _:
            attribute.type = chance.randrange(15)


def _opset(chance: Random, model: Any) -> None:
    model.opset_import[0].version = chance.choice((*NUMBERS, *range(7, 14), 99))


def _external(chance: Random, model: Any) -> None:
    """Say that the elements of a constant are in a file, which may be none of the model's."""
    tensor = chance.choice(model.graph.initializer)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=chance.choice(PLACES))
    for key in ("offset", "length"):
        if chance.random() < 0.5:
            tensor.external_data.add(key=key, value=str(chance.choice((*NUMBERS, "x", "9" * 5000))))


def _ends(chance: Random, model: Any) -> None:
    """Leave out, repeat or rename an input or output of the model, or make it of another tensor."""
    graph = model.graph
    given = [each.name for each in (*graph.input, *graph.initializer)]
    made = [name for node in graph.node for name in node.output]
    ends = chance.choice((graph.input, graph.output, graph.output))
    match chance.randrange(4) if ends else None:
        case 0:
            del ends[chance.randrange(len(ends))]
        case 1:
            ends.append(chance.choice(ends))
        case 2:
            ends.append(onnx.helper.make_tensor_value_info(chance.choice(given + made), 1, None))
        case 3:
            chance.choice(ends).name = chance.choice((*given, *made, "", "nobody"))


def _names(chance: Random, model: Any) -> None:
    """Give a tensor the name of another, wherever it is read and written."""
    graph = model.graph
    constants = [each.name for each in graph.initializer]
    known = [name for node in graph.node for name in (*node.input, *node.output)] + constants
    old, new = (chance.choice(known) for _ in range(2))
    new = chance.choice((new, f"{new}_", f"{new} weights", f"{new} zero point", f"{new} terms"))
    for node in graph.node:
        for side in (node.input, node.output):
            side[:] = [new if name == old else name for name in side]
    for each in (*graph.initializer, *graph.input, *graph.output):
        each.name = new if each.name == old else each.name


def _operands(chance: Random, model: Any) -> None:
    """Take operands or outputs from an operator, or give it more."""
    node = chance.choice(model.graph.node)
    side = chance.choice((node.input, node.output))
    match chance.randrange(3):
        case 0 if side:
            del side[chance.randrange(len(side)) :]
        case 1 if side:
            side.append(chance.choice(side))
        case _:
            side.extend(chance.choice((["nobody"], [""], ["x"], ["", "", ""])))


def _stated(chance: Random, model: Any) -> None:
    """State type and sizes of a tensor, which may contradict what is computed."""
    name = chance.choice([name for node in model.graph.node for name in node.output])
    sizes = [chance.choice((1, 2, 4, "n", None, *NUMBERS)) for _ in range(chance.randrange(6))]
    stated = onnx.helper.make_tensor_value_info(name, chance.randrange(1, 12), sizes)
    if chance.random() < 0.5:
        model.graph.output[0].CopyFrom(stated)
    else:
        model.graph.value_info.append(stated)


EDITS: tuple[Callable[[Random, Any], None], ...] = (
    _wire, _wire, _nodes, _kind, _domain, _sizes, _elements, _attribute, _opset, _external, _ends,
    _ends, _names, _operands, _operands, _stated,
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(command("onnx", trial, LIMITS, sys.argv[1:]))
