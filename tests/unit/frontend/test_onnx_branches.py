"""If operators whose conditions depend on shapes alone, functions that a model defines, and inputs
of one element.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, near, random, saved, wanted
from tests.unit.frontend.test_onnx_relations import check

SHAPE = (3, 1, 4)


def graph(m: OnnxWriter, output: str, constants: list[Any] | None = None) -> Any:
    """Body of the operators that a writer has, which reads tensors of the model around it."""
    value = onnx.helper.make_tensor_value_info(output, 1, None)
    return onnx.helper.make_graph(m.nodes, "body", [], [value], constants or m.constants)


def squeezed(m: OnnxWriter, condition: str, inner: str = "") -> str:
    """Output of an If: x without its second axis, times a float16, or x; as exporters write a
    squeeze. With `inner`, a condition, it is doubled by an If in the branch. All branches of a
    kind have the same names.
    """
    then, other = OnnxWriter(), OnnxWriter()
    then.count = other.count = 1000
    for name, array in (("axes", np.array([1])), ("half", np.array(1.5, np.float16))):
        then.constants.append(onnx.numpy_helper.from_array(array, name))
    y = then.node("Squeeze", ["x", "axes"])
    y = then.node("Mul", [y, then.node("Cast", ["half"], to=1)])
    if inner:
        body = OnnxWriter()
        body.count = 2000
        twice, once = graph(body, body.node("Add", [y, y])), OnnxWriter()
        once.count = 2000
        same = graph(once, once.node("Identity", [y]))
        y = then.node("If", [inner], then_branch=twice, else_branch=same)
    branches = {
        "then_branch": graph(then, y),
        "else_branch": graph(other, other.node("Identity", ["x"])),
    }
    return m.node("If", [condition], **branches)


def condition(m: OnnxWriter, size: int) -> str:
    """Condition whether the second axis of x has this size."""
    one = m.node("Gather", [m.node("Shape", ["x"]), m.constant(np.array(1))])
    count = m.node("Size", ["x"])
    return m.node(
        "And",
        [
            m.node("Equal", [one, m.constant(np.array(size))]),
            m.node("Not", [m.node("Less", [count, m.constant(np.array(12))])]),
        ],
    )


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("inner", [False, True])
def test_the_branch_that_shapes_decide_is_taken(m: OnnxWriter, size: int, inner: bool) -> None:
    test = condition(m, size)
    names = [squeezed(m, test, inner=test if inner else "") for _ in range(2)]
    path = saved(m, m.node("Sub", [m.node("Neg", names[:1]), names[1]]), m.folder, SHAPE)
    near(found(path, random(SHAPE)), wanted(path, random(SHAPE)), rtol=0, atol=0)
    assert len(read(path, "m", shipped_ops())[1].nodes) == 2 + (size == 1) * (6 if inner else 4)


def test_conditions_that_elements_decide_are_refused(m: OnnxWriter) -> None:
    least = m.node("ReduceMin", ["x"], keepdims=0)
    y = squeezed(m, m.node("Less", [least, m.constant(np.float32(0))]))
    with pytest.raises(ToolchainError, match="MDL013: which of its branches is taken"):
        read(saved(m, y, m.folder, SHAPE), "m", shipped_ops())


def test_a_branch_has_operators_that_are_known_and_as_many_outputs(tmp_path: Path) -> None:
    for kind, why in (("Loop", "MDL010: nothing reads ONNX's operator Loop"), ("Relu", "MDL006")):
        m, body = OnnxWriter(), OnnxWriter()
        test = condition(m, 1)
        body.count, body.constants = 100, m.constants[:1]
        then = graph(body, body.node(kind, ["x"]))
        y = m.node("If", [test], then_branch=then, else_branch=then)
        m.nodes[-1].output.append("more")
        with pytest.raises(ToolchainError, match=why):
            read(saved(m, y, tmp_path, SHAPE), "m", shipped_ops())


@pytest.mark.slow
def test_many_branches_are_refused(m: OnnxWriter) -> None:
    test = condition(m, 2)
    for _ in range(100):
        squeezed(m, test)
    path = saved(m, squeezed(m, test), m.folder, SHAPE)
    with pytest.raises(ToolchainError, match="(?s)MDL013: it has 100 or more If .*onnxsim"):
        read(path, "m", shipped_ops())


def test_an_input_may_be_one_number(m: OnnxWriter) -> None:
    y = m.node("Mul", ["a", m.constant(random((3, 1)))])
    check(m, {"a": np.array(1.5, np.float32)}, [y, m.node("Neg", ["a"])], m.folder)


def called(calls: dict[str, list[str]]) -> Any:
    """Model of x that calls F0; each function applies the functions and operators of its list."""
    make, functions = onnx.helper, []
    opsets = [make.make_opsetid("", 18), make.make_opsetid("own", 1)]
    for name, kinds in calls.items():
        names = ["x", *(f"n{i}" for i in range(1, len(kinds))), "y"]
        nodes = [
            make.make_node(kind, [a], [b], domain="own" if kind in calls else "")
            for kind, (a, b) in zip(kinds, pairwise(names), strict=True)
        ]
        functions.append(make.make_function("own", name, ["x"], ["y"], nodes, opsets))
    value = [make.make_tensor_value_info(each, 1, SHAPE) for each in ("x", "y")]
    graph = make.make_graph(
        [make.make_node("F0", ["x"], ["y"], domain="own")], "main", value[:1], value[1:]
    )
    return make.make_model(graph, opset_imports=opsets, functions=functions, ir_version=9)


def test_functions_of_the_model_stand_in_their_calls_place(tmp_path: Path) -> None:
    model = called({"F1": ["Neg", "Exp"], "F0": ["Relu", "F1", "F1"]})
    (path := tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    near(found(path, random(SHAPE)), wanted(path, random(SHAPE)), rtol=1e-6, atol=1e-6)


def in_domain_of_onnx(model: Any) -> None:
    model.functions[0].domain = model.graph.node[0].domain = "ai.onnx"
    model.functions[0].node[1].domain = ""


def overloaded(model: Any) -> None:
    for each in (model.functions[0], model.functions[0].node[1], model.graph.node[0]):
        each.overload = "other"
    model.functions.add().CopyFrom(model.functions[0])
    model.functions[1].overload = ""
    del model.functions[1].node[1:]
    model.functions[1].output[:] = ["n1"]


def in_graphs(model: Any) -> None:
    node = model.functions[0].node[1]
    body = onnx.helper.make_graph([node], "body", [], [])
    node.attribute.append(onnx.helper.make_attribute("bodies", [body]))
    node.op_type, node.domain = "Neg", ""


@pytest.mark.parametrize("edit", [in_domain_of_onnx, overloaded, in_graphs])
def test_functions_that_call_themselves_by_another_name_are_refused(
    tmp_path: Path, edit: Callable[[Any], None]
) -> None:
    edit(model := called({"F0": ["Relu", "F0"]}))
    (path := tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ToolchainError, match="MDL013: its functions make more than 65536"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize("calls", [
    {"F0": ["Relu", "F0"]},
    {"F0": ["F1"], "F1": ["F0"]},
    {f"F{i}": [f"F{i + 1}"] * 9 if i < 9 else ["Relu"] for i in range(10)},
])  # fmt: skip
def test_functions_without_an_end_are_refused(tmp_path: Path, calls: dict[str, list[str]]) -> None:
    (path := tmp_path / "m.onnx").write_bytes(called(calls).SerializeToString())
    with pytest.raises(ToolchainError, match="MDL013: its functions make more than 65536"):
        read(path, "m", shipped_ops())
