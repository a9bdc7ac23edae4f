"""Equal kernel instances and equal constants are one."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from opsmith.emit.cpp import model_source
from opsmith.emit.pack_weights import pack_weights
from opsmith.emit.weights import write_weights
from opsmith.errors import ToolchainError
from opsmith.ir import Graph, Node
from opsmith.ir.program import Program
from opsmith.op.declare import Attribute
from opsmith.op.kernel import Kernel, every_node
from opsmith.op.view import NodeView
from opsmith.schedule.plan_memory import plan_memory
from tests.unit.graphs import COPY, VIEW, chosen, graph, kernel, node, op, ops, params, tensor


@dataclass(frozen=True)
class Tables:
    """Tables with a ramp up to each element of b."""

    ramp: NDArray[np.int16]


def tables(node: NodeView) -> Tables:
    return Tables(np.arange(node["b"].data[0], dtype=np.int16))


RAMP = op("ramp", ("x", "b"), kernels=(kernel(plan=every_node(params, tables), tables=Tables),))
RAMP = replace(RAMP, inputs=(RAMP.inputs[0], replace(RAMP.inputs[1], constant=True)))
OPS = ops(COPY, VIEW, RAMP, op("join", ("x", "b")))


def pack(g: Graph, *, specialised: bool = True) -> Program:
    planned = plan_memory(chosen(g, OPS), OPS, "ram")
    return pack_weights(replace(planned, nodes=of_params(planned, specialised)), OPS)


def of_params(g: Graph, specialised: bool) -> tuple[Node, ...]:
    """Nodes with kernels for one Params, or for all."""
    chosen = [(each, each.kernel) for each in g.nodes]
    return tuple(
        replace(each, kernel=replace(kernel, specialised=specialised))
        for each, kernel in chosen
        if kernel is not None
    )


def ramps(first: int, second: int) -> Graph:
    """Graph x -> ramp to first -> ramp to second."""
    constants = [tensor("k1", value=first), tensor("k2", value=second)]
    nodes = [node("ramp", ["x", "k1"], "a"), node("ramp", ["a", "k2"], "y")]
    return graph([tensor(name) for name in "xay"] + constants, nodes, "x", "y")


def test_equal_params_share_an_instance() -> None:
    program = pack(ramps(3, 4))
    assert [instance.name for instance in program.instances] == ["ramp_0"]
    assert program.steps[0].instance is program.steps[1].instance


def test_names_of_tables_have_no_two_underscores() -> None:
    nodes = [node("ramp", ["x", "k"], "int_")]
    program = pack(graph([tensor("x"), tensor("int_"), tensor("k", value=3)], nodes, "x", "int_"))
    assert [table.symbol for table in program.tables] == ["int_ramp"]


def test_tables_cannot_be_edited() -> None:
    (first, *_) = pack(ramps(3, 4)).tables
    with pytest.raises(ValueError, match="read-only"):
        first.array[0] = 1


def large_ramps(asked: list[int]) -> Program:
    """Program of two ramps, one of them large; `asked` gets the length of each ramp made. The
    fourth ramp made is too short, the fifth begins at 1.
    """

    def counted(node: NodeView) -> Tables:
        asked.append(1000 * int(node["b"].data[0]))
        first, missing = int(len(asked) == 5), int(len(asked) == 4)
        return Tables(np.arange(first, first + asked[-1] - missing).astype(np.int16))

    found = kernel(plan=every_node(params, counted), tables=Tables)
    known = ops(COPY, VIEW, replace(RAMP, variants=op("ramp", ("x",), kernels=(found,)).variants))
    return pack_weights(plan_memory(chosen(ramps(4, 100), known), known, "ram"), known)


def test_large_tables_are_made_again_when_they_are_written(tmp_path: Path) -> None:
    asked: list[int] = []
    program = large_ramps(asked)
    write_weights(program, tmp_path / "weights.bin")
    assert asked == [4000, 100_000]  # the last one is still known
    assert (tmp_path / "weights.bin").stat().st_size == 2 * 104_000
    large_ramps([])
    write_weights(program, tmp_path / "weights.bin")
    assert asked == [4000, 100_000, 100_000]
    for _ in ("too short", "others"):
        large_ramps([])
        with pytest.raises(ToolchainError, match="OPS070.* another array .* these 200000 bytes"):
            write_weights(program, tmp_path / "weights.bin")


@dataclass(frozen=True)
class Factor:
    """Params with one number, a factor."""

    factor: float


SCALE = op(
    "scale",
    attributes=(Attribute("factor", float),),
    kernels=(Kernel("reference", Factor, every_node(lambda n: Factor(n.attributes["factor"]))),),
)


def scaled(*factors: float) -> Graph:
    """Chain of nodes with the given params."""
    names = [f"t{i}" for i in range(len(factors) + 1)]
    nodes = [node("scale", [names[i]], names[i + 1], factor=f) for i, f in enumerate(factors)]
    return graph([tensor(name) for name in names], nodes, names[:1], names[-1:])


def test_zeros_of_two_signs_are_not_equal() -> None:
    index = ops(SCALE)
    planned = plan_memory(chosen(scaled(0.0, -0.0, 0.0), index), index, "ram")
    own = pack_weights(planned, index)
    assert [step.instance.name for step in own.steps] == ["scale_0", "scale_1", "scale_0"]
    told = pack_weights(replace(planned, nodes=of_params(planned, specialised=False)), index)
    calls = re.findall(r"scale_0\((params::\w+)", model_source(told, index))
    assert calls == ["params::t1", "params::t2", "params::t1"]


def copies() -> Graph:
    """Nodes that copy: two of four elements and one of nine."""
    nodes = [node("copy", "x", "y"), node("copy", "y", "z"), node("copy", "v", "w")]
    tensors = [tensor("v", 9), tensor("w", 9), *(tensor(name) for name in "xyz")]
    return graph(tensors, nodes, "xv", "zw")


def test_unequal_params_do_not() -> None:
    program = pack(copies())
    assert [step.instance.name for step in program.steps] == ["copy_0", "copy_0", "copy_1"]


def test_one_instance_serves_all_params_that_it_is_reported() -> None:
    program = pack(copies(), specialised=False)
    assert [instance.params for instance in program.instances] == [None]
    assert [step.params.elements for step in program.steps] == [4, 4, 9]


def test_equal_constants_are_one() -> None:
    program = pack(ramps(3, 3))
    assert [table.array.tolist() for table in program.tables] == [[0, 1, 2]]
    assert program.steps[0].tables == program.steps[1].tables == {"ramp": "a_ramp"}
    assert len(pack(ramps(3, 4)).tables) == 2


def test_a_constant_that_only_tables_need_is_not_stored() -> None:
    assert pack(ramps(3, 4)).constants == {}


def test_a_constant_that_a_kernel_or_the_application_reads_is_stored() -> None:
    tensors = [tensor("x"), tensor("k", value=5), tensor("y"), tensor("z", value=6)]
    program = pack(graph(tensors, [node("join", ["x", "k"], "y")], "x", "yz"))
    assert program.constants == {"k": "k", "z": "z"}
    assert {t.symbol: t.array.tolist() for t in program.tables} == {"k": [5] * 4, "z": [6] * 4}


def test_a_view_is_done_in_place_and_needs_no_instance() -> None:
    program = pack(graph([tensor("x"), tensor("y")], [node("view", "x", "y")], "x", "y"))
    assert [step.in_place for step in program.steps] == [True]
    assert program.instances == ()


def test_a_view_of_a_constant_is_copied() -> None:
    program = pack(graph([tensor("k", value=1), tensor("y")], [node("view", "k", "y")], "", "y"))
    assert [step.in_place for step in program.steps] == [False]
    assert [instance.name for instance in program.instances] == ["view_0"]


def test_names_keep_clear_of_tensors() -> None:
    tensors = [tensor("copy_0"), tensor("copy_0_2")]
    program = pack(graph(tensors, [node("copy", ["copy_0"], "copy_0_2")], ["copy_0"], ["copy_0_2"]))
    assert program.instances[0].name == "copy_0_3"
