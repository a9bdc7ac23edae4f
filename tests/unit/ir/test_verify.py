"""The verifier finds what a stage must not do."""

from dataclasses import replace

import numpy as np
import pytest

from opsmith.ir import Constant, Graph, MemoryPlan, Node, Placement, Tensor
from opsmith.ir.flow import Branch
from opsmith.ir.text import graph_to_text
from opsmith.ir.types import DType, i8
from opsmith.ir.verify import InvalidGraphError, verify


def chain() -> Graph:
    """Graph of two nodes, x -> a -> y."""
    tensors = {name: Tensor(name, name, i8, (4,)) for name in ("x", "a", "y")}
    nodes = (Node("a", "relu", ("x",), ("a",)), Node("y", "relu", ("a",), ("y",)))
    return Graph("m", tensors, nodes, ("x",), ("y",))


def planned(**offsets: int) -> Graph:
    """Graph of two nodes with a memory plan."""
    places = {n: Placement("ram", offset, 4, 0, 1) for n, offset in offsets.items()}
    return replace(chain(), plan=MemoryPlan(places, {"ram": 48}, 16, {"ram": 32}))


def test_a_good_graph_passes() -> None:
    assert verify(chain(), "legal") == chain()


def test_a_type_without_a_numpy_dtype_is_left_to_legalize() -> None:
    text = DType("string", "string", "", 0)
    tensor = Tensor("t", "t", text, (4,), constant=Constant(np.zeros((4,), np.uint8)))
    graph = replace(chain(), tensors={**chain().tensors, "t": tensor})
    assert verify(graph, "read") == graph


def broken() -> list[tuple[str, Graph, str]]:
    """Broken graphs: (stage, graph, complaint)."""
    g = chain()
    x = g.tensors["x"]
    wrong = Constant(np.zeros((3,), np.int8))
    wide = Constant(np.zeros((4,), np.int32))
    dotted = replace(g.nodes[0], op="tflite.RELU")
    return [
        ("read", replace(g, nodes=g.nodes[::-1]), "reads a before it is written"),
        ("read", replace(g, nodes=(g.nodes[0], g.nodes[0])), "a second time"),
        ("read", replace(g, outputs=("z",)), "input or output z does not exist"),
        ("read", replace(g, nodes=g.nodes[:1]), "output y is never written"),
        ("read", replace(g, tensors={**g.tensors, "b": x}), "'b' is not its id"),
        ("read", replace(g, tensors={**g.tensors, "x": replace(x, shape=(-1,))}), "negative"),
        ("read", replace(g, tensors={**g.tensors, "x": replace(x, constant=wrong)}), "data"),
        (
            "read",
            replace(g, tensors={**g.tensors, "x": replace(x, constant=wide)}),
            "data of int32",
        ),
        ("read", replace(g, tensors={"x": x, "y": g.tensors["y"]}), "tensor a of node a does not"),
        ("read", replace(g, flow=(0, 0)), "a block is in the flow twice"),
        ("read", replace(g, flow=(1,)), "nodes are not in the order of their blocks"),
        ("read", replace(g, flow=(0, Branch("z"))), "condition z is never written"),
        ("read", replace(g, flow=(Branch("x", (0,), (1,)),)), "output y is never written"),
        ("legal", replace(g, nodes=(dotted, g.nodes[1])), "still has the source name"),
        ("chosen", g, "node a has no kernel"),
        ("planned", g, "there is no plan"),
        ("planned", planned(x=0, a=16), "tensor y has no address"),
        ("planned", planned(x=0, a=16, y=48), "y lies outside the arena"),
        ("planned", planned(x=0, a=16, y=8), "y is not aligned"),
    ]


@pytest.mark.parametrize(("stage", "graph", "complaint"), broken(), ids=lambda v: str(v)[:30])
def test_a_broken_graph_is_named(stage: str, graph: Graph, complaint: str) -> None:
    with pytest.raises(InvalidGraphError, match=complaint):
        verify(graph, stage)


def test_the_text_of_a_graph() -> None:
    text = graph_to_text(planned(x=0, a=16, y=32))
    assert "  0: a = relu(x)\n  1: y = relu(a)\n" in text
    assert "  a: i8[4]  at ram+16 during 0..1  'a'\n" in text
    assert "plan: ram 48 bytes; lower bound 32 bytes" in text
