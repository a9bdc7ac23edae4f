"""Subgraphs that an op takes the place of fit it, or the error says which part does not."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from opsmith.errors import ToolchainError
from opsmith.op.declare import Match, Matched
from opsmith.op.hook_results import MATCHED, HookCall
from opsmith.op.matching import matched_node, with_matched
from opsmith.op.view import GraphReader, NodeView
from opsmith.op.wrap import wrapped
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import loaded
from opsmith.transform.match_subgraphs import match_subgraphs
from tests.unit.graphs import graph, node, op, ops, tensor

OP = loaded(ROOT / "tests/data/my_ops/bounded").op
RIGHT = Matched(("inner", "root"), {"x": "a"}, {"y": "b"}, {"low": -1, "high": 1})


@pytest.mark.parametrize(("found", "wrong"), [
    (RIGHT, None),
    (None, None),
    (7, "it is another value"),
    (replace(RIGHT, nodes=("inner",)), "nodes= lacks the root, root"),
    (replace(RIGHT, inputs={}), "inputs= lacks x"),
    (replace(RIGHT, inputs={"x": "a", "z": "a"}), "inputs= has 'z', which the op does not"),
    (replace(RIGHT, outputs={"z": "b"}), "outputs= has 'z', which the op does not declare"),
    (replace(RIGHT, outputs={}), "outputs= lacks y"),
    (replace(RIGHT, attributes={"lo": 1}), "attributes= has 'lo', which the op does not"),
    (replace(RIGHT, attributes={"low": "a", "high": 1}), "attribute 'low' is 'a', no int"),
    (replace(RIGHT, attributes={"high": 1}), "attribute 'low' is None, no int"),
    (replace(RIGHT, attributes=7), "attributes= is no mapping"),  # type: ignore[arg-type]
])  # fmt: skip
def test_the_part_that_does_not_fit_is_named(found: object, wrong: str | None) -> None:
    said = MATCHED.broken(HookCall(OP, (SimpleNamespace(name="root"),), found))
    assert said == wrong or (said is not None and wrong is not None and f": {wrong}" in said)


@pytest.mark.parametrize(("found", "wrong"), [
    (RIGHT, ""),
    (replace(RIGHT, inputs={"x": "nowhere"}), "inputs= has 'nowhere', no tensor"),
    (replace(RIGHT, inputs={"x": 7}), "inputs= has 7, no tensor"),  # type: ignore[dict-item]
    (replace(RIGHT, inputs={"x": "b"}), "inputs= has 'b', which the nodes that go write"),
    (replace(RIGHT, inputs={"x": "m"}), "inputs= has 'm', which the nodes that go write"),
    (replace(RIGHT, outputs={"y": "a"}), "outputs= has 'a', which no node writes that goes"),
])  # fmt: skip
def test_tensors_that_the_new_node_cannot_have_are_named(found: Matched, wrong: str) -> None:
    nodes = [node("maximum", "a", "m"), node("minimum", "m", "b")]
    g = graph([tensor(each) for each in "amb"], nodes, "a", "b")
    found, known = replace(found, nodes=("m", "b")), ops(OP, op("minimum"))
    made = matched_node(found, g.nodes[1], OP)
    if not wrong:
        assert with_matched(g, known, found, made) is not None
        return
    with pytest.raises(ToolchainError, match=f"OPS070: find of op 'bounded'.*: {wrong}"):
        with_matched(g, known, found, made)


def test_a_find_without_end_is_ended() -> None:
    def find(seen: NodeView, graph: GraphReader) -> None:
        while graph.producer(seen["x"], "minimum"):
            pass

    endless = wrapped(replace(op("endless"), match=Match("minimum", find)), Path("endless"))
    nodes = [node("minimum", "a", "m"), node("minimum", "m", "b")]
    g = graph([tensor(each) for each in "amb"], nodes, "a", "b")
    with pytest.raises(ToolchainError, match="OPS061: find of .*asks for the producer of 'm'"):
        match_subgraphs(g, ops(endless, op("minimum")))
