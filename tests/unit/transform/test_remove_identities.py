"""Nodes go that give their input back, and only those."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from opsmith.ir import Array, Graph, Quantization, TensorType
from opsmith.ir.types import f32, i8
from opsmith.op.declare import Output
from opsmith.op.describe import Op, Variant
from opsmith.op.hooks import Hooks, Views
from opsmith.op.view import NodeView
from opsmith.transform.remove_identities import remove_identities
from tests.unit.graphs import COPY, QUANTIZATION, graph, kernel, node, op, ops, tensor


def function(name: str, of: Callable[[Array], Array], to: type = np.int8) -> Op:
    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [of(inputs[0].astype(np.float64)).astype(to)]

    types = ({"T": x, "U": y} for x in (i8, f32) for y in (i8, f32))
    return replace(
        op(name, traits={"elementwise"}, evaluate=evaluate),
        outputs=(Output("y", "U"),),
        variants=tuple(Variant(each, (kernel(),)) for each in types),
    )


def infer_as_told(node: NodeView) -> Sequence[TensorType]:
    return [node["y"].type]


OPS = ops(
    COPY,
    op("says_so", hooks=Hooks(views=Views(identity=lambda node: True))),
    op("does_not", hooks=Hooks(views=Views(identity=lambda node: False))),
    replace(op("view", traits={"view"}), infer=infer_as_told),
    function("same", lambda x: x),
    function("below_127", lambda x: np.minimum(x, 126)),
    function("half", lambda x: x / 2, np.float32),
    function("twice", lambda x: x * 2),
    function("thrice", lambda x: x * 3),
)


def chain(*names: str) -> Graph:
    """Graph x -> copy -> a0 -> names … -> copy -> z, in which only copies touch x and z."""
    tensors = [tensor("x"), tensor("z")]
    nodes, last = [node("copy", ["x"], "a0")], "a0"
    for i, name in enumerate(names):
        nodes.append(node(name, [last], f"a{i + 1}"))
        last = f"a{i + 1}"
    for made in nodes:
        tensors.append(tensor(made.outputs[0], dtype=f32 if made.op == "half" else i8))
    return graph(tensors, [*nodes, node("copy", [last], "z")], ["x"], ["z"])


@pytest.mark.parametrize(
    "names", [["says_so"], ["view"], ["same"], ["half", "twice"], ["same", "half", "twice", "same"]]
)
def test_identities_go(names: list[str]) -> None:
    after = remove_identities(chain(*names), OPS)
    copies = [each for each in after.nodes if each.op == "copy"]
    assert copies[-1].inputs == ("a0",)
    assert remove_identities(after, OPS).nodes == after.nodes


@pytest.mark.parametrize("names", [["does_not"], ["below_127"], ["half", "thrice"], ["copy"]])
def test_what_changes_an_element_stays(names: list[str]) -> None:
    before = chain(*names)
    assert remove_identities(before, OPS).nodes == before.nodes


def test_a_clamp_goes_behind_the_same_clamp() -> None:
    after = remove_identities(chain("below_127", "below_127"), OPS)
    assert [each.op for each in after.nodes] == ["copy", "below_127", "copy"]


def with_other_scale(g: Graph) -> Graph:
    other = replace(g.tensors["a1"], quantization=Quantization((0.25,), (0,)))
    return replace(g, tensors={**g.tensors, "a1": other})


def with_state(g: Graph) -> Graph:
    return replace(g, tensors={**g.tensors, "a0": replace(g.tensors["a0"], variable=True)})


def with_output_in_front(g: Graph) -> Graph:
    return replace(g, outputs=("a0", "a1"))


@pytest.mark.parametrize("change", [with_other_scale, with_state, with_output_in_front])
@pytest.mark.parametrize("name", ["says_so", "view", "same"])
def test_an_identity_stays_where_it_could_be_told(
    name: str, change: Callable[[Graph], Graph]
) -> None:
    before = change(chain(name))
    assert name in [each.op for each in remove_identities(before, OPS).nodes]


def test_an_output_keeps_its_name() -> None:
    g = chain("same")
    after = remove_identities(replace(g, nodes=g.nodes[:-1], outputs=("a1",)), OPS)
    assert [(each.op, each.outputs) for each in after.nodes] == [("copy", ("a1",))]


def test_a_view_of_a_view_reads_what_the_first_reads() -> None:
    g = chain("view", "view")
    wide = replace(g.tensors["a1"], shape=(2, 2))
    after = remove_identities(replace(g, tensors={**g.tensors, "a1": wide}), OPS)
    assert after.nodes[-1].inputs == ("a0",)
    last = replace(g.tensors["a2"], shape=(4, 1))
    after = remove_identities(replace(g, tensors={**g.tensors, "a1": wide, "a2": last}), OPS)
    assert [each.inputs for each in after.nodes if each.outputs == ("a2",)] == [("a0",)]
    assert after.tensors["a2"].quantization == QUANTIZATION
