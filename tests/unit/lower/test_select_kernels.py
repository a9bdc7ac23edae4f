"""Each node gets the first kernel that fits, with the reasons against those before it."""

from __future__ import annotations

from tests.unit.graphs import graph, node, op, ops, tensor
from toolchain.ir import Graph, KernelChoice
from toolchain.ir.types import f32, i8
from toolchain.lower.select_kernels import select_kernels
from toolchain.op.describe import Kernel
from toolchain.op.view import NodeView


def large(node: NodeView) -> bool:
    return node["y"].elements >= 8


OPS = ops(
    op(
        "work",
        types=(i8, f32),
        kernels=(
            Kernel("mve.h", dtypes=(i8,), requires={"mve", "dsp"}),
            Kernel("dsp.h", dtypes=(i8,), requires={"dsp"}, when=large),
            Kernel("fast.h", when=large),
            Kernel("reference.h"),
        ),
    )
)


def choice(size: int, features: set[str], made: Graph | None = None) -> KernelChoice:
    """What a node of so many elements gets."""
    g = made or graph([tensor("x", size), tensor("y", size)], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, OPS, frozenset(features)).nodes[0].kernel
    assert found is not None
    return found


def test_the_first_row_that_fits_is_taken() -> None:
    found = choice(8, {"dsp", "mve"})
    assert (found.source, found.row, found.symbol) == ("mve.h", 0, "work_i8_mve")
    assert found.why == "first choice"
    assert found.dtypes == (("T", i8),)


def test_a_missing_feature_is_told() -> None:
    found = choice(8, {"dsp"})
    assert (found.source, found.why) == ("dsp.h", "mve.h needs mve")
    assert choice(8, set()).why == "mve.h needs dsp, mve; dsp.h needs dsp"


def test_a_node_that_a_kernel_cannot_take_is_told() -> None:
    found = choice(4, {"dsp"})
    assert found.source == "reference.h"
    assert found.why == (
        "mve.h needs mve; dsp.h does not take such a node; fast.h does not take such a node"
    )


def test_several_reasons_are_joined() -> None:
    assert "dsp.h needs dsp and does not take such a node" in choice(4, set()).why


def test_a_type_that_a_kernel_does_not_take_is_told() -> None:
    tensors = [tensor("x", 8, f32), tensor("y", 8, f32)]
    found = choice(8, {"dsp", "mve"}, graph(tensors, [node("work", "x", "y")], "x", "y"))
    assert found.symbol == "work_f32_fast"
    assert found.why == "mve.h takes i8; dsp.h takes i8"


def test_the_rest_of_the_graph_is_as_it_was() -> None:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    after = select_kernels(g, OPS, frozenset())
    assert after.tensors == g.tensors
    assert (after.inputs, after.outputs) == (g.inputs, g.outputs)
    assert g.nodes[0].kernel is None
