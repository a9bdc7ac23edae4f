"""Operators of ONNX whose operands fit or are mistaken, beside onnxruntime:
`python -m tests.fuzz.onnx_operands --count=N --seed=S`.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from tests.fuzz.onnx_nodes import answers
from tests.fuzz.trials import Limits, command
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import operand

LIMITS = Limits(seconds=10.0, mebibytes=300)
PAIRS = ("Add", "Sub", "Mul", "Max", "Min", "PRelu", "Sum")
OF_FLOAT = ("Div", "Pow", "Greater", "Where", "Mod")
BOOLS = ("Greater",)  # whose outputs are no numbers
OPSET = 23
Operand = tuple[int, ...] | list[Any]  # the shape of a float32 operand, or constant integers
Drawn = tuple[str, Sequence[Operand], dict[str, Any]]  # with the operator's attributes


def drawn(chance: Random, *, quantised: bool) -> Drawn:
    """Random operator whose operands fit."""
    channels = chance.choice((1, 2, 3))
    image = (chance.choice((1, 2)), channels, *(chance.choice((1, 3, 4)),) * 2)
    sides = tuple([chance.choice([size, 1]) for size in image][chance.randrange(5) :])
    kind = chance.choice(PAIRS if quantised else PAIRS + OF_FLOAT)
    several = {"Where": [image, image, sides], "Sum": [image, sides, image]}
    others = [*_products(chance), *_layers(chance, image), *_moves(chance, image)]
    return chance.choice([(kind, several.get(kind, [image, sides]), {})] * 4 + others)


def _products(chance: Random) -> list[Drawn]:
    rows, columns, depth = (chance.choice((1, 2, 3)) for _ in range(3))
    a, b = chance.choice(((), (2,), (1,))), chance.choice(((), (2,), (1,), (3, 1)))
    turned = {"transA": chance.choice((0, 1)), "transB": chance.choice((0, 1))}
    matrices = [(rows, depth), (depth, columns)]
    gemm = [each[:: -1 if on else 1] for each, on in zip(matrices, turned.values(), strict=True)]
    addend = chance.choice([(rows, columns), (1, columns), (rows, 1), (columns,), (1,), (), (1, 1)])
    return [
        *[("Gemm", [*gemm, addend], turned)] * 4,
        ("MatMul", [(*a, rows, depth), (*b, depth, columns)], {}),
        ("MatMul", [(*a, rows, depth), (depth,)], {}),
        ("MatMul", [(depth,), (*b, depth, columns)], {}),
    ]


def _layers(chance: Random, image: tuple[int, ...]) -> list[Drawn]:
    channels = image[1]
    groups = chance.choice([each for each in (1, 2, 3) if channels % each == 0])
    last = image[chance.randrange(1, 4) :]
    weights = (2 * groups, channels // groups, *(1 for _ in image[2:]))
    return [
        ("Conv", [image, weights, (2 * groups,)], {"group": groups}),
        ("Conv", [image[:3], weights[:3], (2 * groups,)], {"group": groups}),
        ("ConvTranspose", [image, (channels, 2, 2, 2), (2,)], {}),
        ("BatchNormalization", [image, *[(channels,)] * 4], {}),
        ("InstanceNormalization", [image, *[(channels,)] * 2], {}),
        ("LayerNormalization", [image, last, last], {"axis": -len(last)}),
        ("RMSNormalization", [image, last], {"axis": -len(last)}),
        ("Clip", [image, (), ()], {}),
    ]


def _moves(chance: Random, image: tuple[int, ...]) -> list[Drawn]:
    axis, size = chance.randrange(4), image[1] * image[2]
    places: list[Any] = [chance.randrange(-image[axis], image[axis]) for _ in range(2)]
    indices: Operand = chance.choice([places, [places]])
    several = [chance.choice((1, each)) for each in image]
    pads = [chance.choice((0, 0, 1)) for _ in range(8)]
    return [
        ("Concat", [image, image], {"axis": axis}),
        ("Reshape", [image, [image[0], size, -1]], {}),
        ("Expand", [tuple(several), [*image]], {}),
        ("Tile", [image, [chance.choice((1, 2)) for _ in image]], {}),
        ("Pad", [image, pads], {}),
        ("Slice", [image, [0], [chance.choice((1, 9, -1))], [axis], [chance.choice((1, 2))]], {}),
        ("Gather", [image, indices], {"axis": axis}),
        ("GatherND", [image, [[0, 0], [-1, 0]]], {}),
        ("GatherElements", [image, np.zeros(image, int).tolist()], {"axis": axis}),
        ("ScatterND", [image, [[0]], image[1:]], {}),
        ("Squeeze", [(*image[:axis], 1, *image[axis:]), [axis]], {}),
        ("Unsqueeze", [image, [axis]], {}),
        ("Transpose", [image], {"perm": chance.sample(range(4), 4)}),
        ("ReduceSum", [image, [axis]], {"keepdims": chance.choice((0, 1))}),
        ("CumSum", [image, [axis]], {}),
    ]


def mistaken(chance: Random, operands: Sequence[Any]) -> list[Any]:
    """Operands of which one has another size or number, an axis or number more or less, or two of
    them exchanged.
    """
    made = [[*each] for each in operands]
    at = chance.randrange(len(made))
    one = made[at]
    match chance.randrange(4):
        case 0 if one:
            one[chance.randrange(len(one))] = chance.choice((1, 2, 3, 4))
        case 1 if len(one) < 5:
            one.insert(chance.randrange(len(one) + 1), chance.choice((1, 1, 2)))
        case 2 if one:
            del one[chance.randrange(len(one))]
        case _:
            chance.shuffle(one)
    return [tuple(e) if isinstance(o, tuple) else e for e, o in zip(made, operands, strict=True)]


def trial(chance: Random, folder: Path) -> str:
    """Verdict of an operator: `right` or `refused` where onnxruntime agrees, else the operator
    that Opsmith refuses.
    """
    quantised = chance.random() < 0.3
    kind, operands, attributes = drawn(chance, quantised=quantised)
    if chance.random() < 0.6:
        operands = mistaken(chance, operands)
    told = (kind, operands, attributes, "quantised" * quantised)
    m, given, names = OnnxWriter(), dict[str, Array](), []
    random = np.random.default_rng(chance.randrange(1 << 30))
    for index, each in enumerate(operands):
        try:
            array = _array(random, each, conditions=kind == "Where" and not index)
        except ValueError:
            return "ragged"
        name = f"x{index}"
        if isinstance(each, tuple) and (not index or chance.random() < 0.3):
            given[name] = array
            names.append(m.through(name, 0.02, 0) if quantised else name)
        else:
            of_parts = quantised and isinstance(each, tuple) and array.ndim
            names.append(operand(m, kind, array) if of_parts else m.constant(array))
    if chance.random() < 0.05:  # an operator of constants that writes no tensor
        held = [m.constant(_array(random, each, conditions=False)) for each in operands]
        m.nodes.append(onnx.helper.make_node(kind, held, chance.choice([[], [""]]), **attributes))
    y = m.node(kind, names, **attributes)
    if not quantised and kind not in BOOLS and chance.random() < 0.1:  # beside a Range of floats
        limits = [np.array(round(chance.uniform(-2, 2), 1), np.float32) for _ in range(3)]
        flat = m.node("Reshape", [y, m.constant(np.array([-1]))])
        y = m.node("Concat", [flat, m.node("Range", [*map(m.constant, limits)])], axis=0)
    y = m.through(y, 0.1, 0) if quantised else y
    path = folder / "m.onnx"
    path.write_bytes(_model(m, given, y, kind in BOOLS).SerializeToString())
    right = _answer(path, given)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            (ours,) = answers(path, given, [y], [kind not in BOOLS])
    except ToolchainError:
        return "refused" if right is None else f"not read: {kind}"
    assert right is not None, told
    assert ours.size == right.size, (told, ours.shape, right.shape)
    error = np.abs(ours.reshape(right.shape).astype(float) - right)
    most = 0.11 if quantised else 2e-4 * max(1.0, float(np.abs(right).max(initial=0)))
    assert np.all(error <= most), (told, error.max())
    return "right"


def _array(random: Any, of: Any, *, conditions: bool) -> Array:
    if isinstance(of, list):
        return np.array(of, np.int64)
    array = np.asarray(np.abs(random.normal(1, 0.3, of)), np.float32)
    return np.asarray(array > 1) if conditions else array


def _model(m: OnnxWriter, given: dict[str, Array], output: str, of_bools: bool) -> Any:
    make = onnx.helper.make_tensor_value_info
    of = onnx.helper.np_dtype_to_tensor_dtype
    inputs = [make(name, of(each.dtype), each.shape) for name, each in given.items()]
    kind = onnx.TensorProto.BOOL if of_bools else onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(m.nodes, "m", inputs, [make(output, kind, None)], m.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _answer(path: Path, given: dict[str, Array]) -> Array | None:
    """Output by onnxruntime; None where it refuses the model."""
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = runtime.InferenceSession(path, options, ["CPUExecutionProvider"])
        return np.asarray(session.run(None, given)[0])
    except Exception:  # of several types
        return None


if __name__ == "__main__":
    sys.exit(command("onnx_operands", trial, LIMITS, sys.argv[1:]))
