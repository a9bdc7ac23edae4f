"""Blocks are rewritten one by one, and their names stay apart."""

from dataclasses import replace

import numpy as np

from opsmith.ir import Constant, Graph, Tensor
from opsmith.ir.flow import STRAIGHT, Branch, Loop
from opsmith.ir.verify import verify
from opsmith.transform.by_blocks import by_blocks
from tests.unit.graphs import graph, node, tensor


def constant(name: str, value: int) -> Tensor:
    made = tensor(name)
    return replace(made, constant=Constant(np.full(made.shape, value, np.int8)))


def in_blocks(nodes: Graph, *blocks: int) -> Graph:
    """Graph whose nodes are in the given blocks."""
    pairs = zip(nodes.nodes, blocks, strict=True)
    return replace(nodes, nodes=tuple(replace(each, block=block) for each, block in pairs))


C = replace(tensor("c"), shape=())
Y = replace(tensor("y"), joined=True)
PLAIN = graph(
    [tensor("x"), C, tensor("k"), tensor("a"), Y],
    [node("copy", ["x"], "a"), node("add", ["a", "k"], "y"), node("mul", ["a", "k"], "y")],
    ["x", "c"],
    ["y"],
)
GRAPH = in_blocks(
    replace(
        PLAIN,
        tensors={**PLAIN.tensors, "k": constant("k", 1)},
        nodes=(*PLAIN.nodes[:2], replace(PLAIN.nodes[2], name="y_2")),
        flow=(0, Branch("c", (1,), (2,)), 3),
    ),
    *(0, 1, 2),
)


def test_each_block_with_nodes_is_a_graph_of_its_own() -> None:
    seen: list[tuple[tuple[str, ...], tuple[str, ...], list[str]]] = []

    def rewritten(block: Graph) -> Graph:
        verify(block, "legal")
        seen.append((block.inputs, block.outputs, [each.op for each in block.nodes]))
        return block

    verify(GRAPH, "legal")
    assert by_blocks(GRAPH, rewritten) == GRAPH
    assert seen == [
        (("x",), ("a",), ["copy"]),
        (("a",), ("y",), ["add"]),
        (("a",), ("y",), ["mul"]),
    ]


def test_a_constant_that_two_blocks_change_is_two() -> None:
    def rewritten(block: Graph) -> Graph:
        if "k" not in block.tensors:
            return block
        value = 5 if block.nodes[0].op == "add" else 7
        return replace(block, tensors={**block.tensors, "k": constant("k", value)})

    made = verify(by_blocks(GRAPH, rewritten), "legal")
    values = [int(made.tensors[each.inputs[1] or ""].data.flat[0]) for each in made.nodes[1:]]
    assert values == [5, 7]


def test_new_names_of_two_blocks_stay_apart() -> None:
    def rewritten(block: Graph) -> Graph:
        if not block.nodes:
            return block
        last = block.nodes[-1]
        between = node("copy", [*last.inputs[:1]], "between")
        after = replace(last, inputs=("between", *last.inputs[1:]))
        return block.with_nodes((*block.nodes[:-1], between, after), between=tensor("between"))

    made = verify(by_blocks(GRAPH, rewritten), "legal")
    assert [each.name for each in made.nodes if each.op == "copy"] == [
        *("between", "a", "between_2", "between_3")
    ]


def test_a_condition_that_a_block_makes_constant_is_decided() -> None:
    def rewritten(block: Graph) -> Graph:
        return replace(
            block,
            tensors={
                name: constant("a", 0) if name == "a" else each
                for name, each in block.tensors.items()
            },
            nodes=tuple(each for each in block.nodes if each.outputs != ("a",)),
        )

    asked = replace(GRAPH, flow=(0, Branch("a", (1,), (2,)), 3))
    made = verify(by_blocks(asked, rewritten), "legal")
    assert made.flow == STRAIGHT
    assert [each.op for each in made.nodes] == ["mul"]
    assert not made.tensors["y"].joined


def test_what_a_loop_reads_of_its_last_pass_is_kept() -> None:
    looped = replace(GRAPH, flow=(0, 1, Loop("c", (), (2,)), 3))
    made = by_blocks(looped, lambda block: block)
    assert [each.op for each in made.nodes] == ["copy", "add", "mul"]


def test_a_branch_whose_outputs_nobody_reads_goes() -> None:
    unread = replace(GRAPH, outputs=("c",))
    made = by_blocks(unread, lambda block: block)
    assert (made.flow, made.nodes) == (STRAIGHT, ())
