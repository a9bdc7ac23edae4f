"""In the plan of shipped ops: what is taken apart, put together or renamed is not copied."""

import numpy as np
import pytest

from opsmith.ir.program import Program
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled

OPS = shipped_ops()
SCALE = 0.5


class Model:
    """Model of int8 tensors of one scale, to which nodes are added one by one."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.m = ModelWriter()
        self.x = self.m.input("x", shape, "int8", SCALE)

    def constant(self, name: str, values: object) -> ModelTensor:
        return self.m.constant(name, np.array(values, np.int32))

    def node(self, op: str, given: list[ModelTensor], *made: tuple[str, tuple[int, ...]],
             **options: int) -> list[ModelTensor]:  # fmt: skip
        tensors = [self.m.tensor(name, shape, "int8", SCALE) for name, shape in made]
        version = 1 if op == "EXPAND_DIMS" else 2
        self.m.node(op, given, tensors, options, version=version)
        return tensors

    def compiled(self, *outputs: ModelTensor) -> tuple[Program, dict[str, int]]:
        self.m.output(*outputs)
        program = compiled(self.m)
        assert program.graph.plan is not None
        return program, {n: at.offset for n, at in program.graph.plan.placements.items()}


@pytest.mark.slow
def test_what_is_split_and_put_together_again_is_not_copied() -> None:
    model = Model((4, 16))
    [a] = model.node("RELU", [model.x], ("a", (4, 16)))
    axis = model.constant("axis", 0)
    parts = model.node("SPLIT", [axis, a], ("p", (2, 16)), ("q", (2, 16)), num_splits=2)
    clamped = [model.node("RELU6", [p], (f"r{i}", (2, 16)))[0] for i, p in enumerate(parts)]
    [y] = model.node("CONCATENATION", clamped, ("y", (4, 16)), axis=0)
    program, at = model.compiled(y)
    assert (at["p"], at["q"]) == (at["a"], at["a"] + 32)
    assert (at["r0"], at["r1"]) == (at["y"], at["y"] + 32)
    assert [step.node.op for step in program.steps if not step.in_place] == ["relu", *["relu6"] * 2]


@pytest.mark.slow
def test_what_is_packed_and_unpacked_is_not_copied() -> None:
    model = Model((2, 16))
    parts = model.node("UNPACK", [model.x], ("p", (16,)), ("q", (16,)), num=2, axis=0)
    clamped = [model.node("RELU6", [p], (f"r{i}", (16,)))[0] for i, p in enumerate(parts)]
    [y] = model.node("PACK", clamped, ("y", (2, 16)), axis=0, values_count=2)
    program, at = model.compiled(y)
    assert (at["p"], at["q"]) == (at["x"], at["x"] + 16)
    assert (at["r0"], at["r1"]) == (at["y"], at["y"] + 16)
    assert {step.node.op for step in program.steps if not step.in_place} == {"relu6"}


@pytest.mark.parametrize(("order", "arena"), [("ab", 512), ("ba", 528), ("aa", 768)])
def test_rows_side_by_side_lie_over_the_widest(order: str, arena: int) -> None:
    model = Model((8, 32))
    parts = {"b": model.m.input("b", (8, 16), "int8", SCALE)}
    [parts["a"]] = model.node("RELU", [model.x], ("a", (8, 32)))
    made = (8, sum(parts[name].shape[1] for name in order))
    [y] = model.node("CONCATENATION", [parts[name] for name in order], ("y", made), axis=1)
    program, _ = model.compiled(y)
    assert program.graph.plan is not None
    assert program.graph.plan.arenas == {"ram": arena}


def test_a_slice_of_rows_lies_over_what_it_is_of() -> None:
    model = Model((8, 48))
    bounds = [model.constant(*each) for each in (("b", [0, 16]), ("e", [8, 48]), ("s", [1, 1]))]
    [y] = model.node("STRIDED_SLICE", [model.x, *bounds], ("y", (8, 32)), begin_mask=1, end_mask=1)
    _, at = model.compiled(y)
    assert at["x"] < at["y"] + 256 <= at["x"] + 384


def test_what_loses_or_gets_axes_is_where_it_was() -> None:
    model = Model((1, 4, 1, 5))
    [a] = model.node("RELU", [model.x], ("a", (1, 4, 1, 5)))
    [b] = model.node("SQUEEZE", [a], ("b", (4, 5)))
    [c] = model.node("RELU6", [b], ("c", (4, 5)))
    [y] = model.node("EXPAND_DIMS", [c, model.constant("axis", 1)], ("y", (4, 1, 5)))
    program, at = model.compiled(y)
    assert at["c"] == at["y"]
    assert [step.in_place for step in program.steps if step.node.op == "reshape"]
    assert all(step.in_place for step in program.steps if step.node.op == "reshape")


def test_a_border_is_put_around_what_is_there() -> None:
    model = Model((1, 8, 8, 4))
    [a] = model.node("RELU", [model.x], ("a", (1, 8, 8, 4)))
    borders = model.constant("borders", [[0, 0], [1, 1], [1, 1], [0, 0]])
    [y] = model.node("PAD", [a, borders], ("y", (1, 10, 10, 4)))
    program, at = model.compiled(y)
    assert at["y"] < at["a"] < at["y"] + 400
    assert program.graph.plan is not None
    assert program.graph.plan.arenas["ram"] < 400 + 256
