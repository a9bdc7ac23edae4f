"""Streamed models: what generated C++ answers, how little it keeps, and what cannot stream."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.describe import ArenaRule
from opsmith.errors import ToolchainError
from opsmith.ir.program import Program
from opsmith.op.hooks import Hooks, Streaming
from opsmith.op.index import OpIndex
from opsmith.op.rows import RowWindow
from opsmith.op.view import NodeView
from opsmith.oracle.litert import Reference
from opsmith.schedule.stream_rows import frame_stream
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.traced_firmware import build_traced
from runtimes.families.image_filter import IMAGE_FILTER
from tests.programs import assert_litert, built, compiled, graph_of
from tests.unit.stream_models import Layers, residual, shared, speech, tower


def arena(program: Program) -> int:
    assert program.graph.plan is not None
    return program.graph.plan.arenas["ram"]


@pytest.mark.slow
@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize("model", [residual, shared])
def test_rows_give_what_the_whole_image_gives(model: object, opt: str, tmp_path: Path) -> None:
    assert callable(model)
    content = model()
    assert_litert(content, built(compiled(content, stream="rows", opt=opt), tmp_path))


@pytest.mark.slow
def test_frames_give_what_the_window_that_ends_with_each_gives(tmp_path: Path) -> None:
    firmware = built(compiled(speech(), stream="frames"), tmp_path)
    reference = Reference(speech())
    sets = seeded_inputs(reference.inputs, 3)
    frames = np.concatenate([inputs[0][0] for inputs in sets])
    size = reference.inputs[0].shape[1]
    hops = firmware.push(list(frames))
    assert len(hops) == len(frames) - size + 1
    for start, outputs in enumerate(hops):
        window = frames[np.newaxis, start : start + size]
        np.testing.assert_array_equal(outputs[0], reference.run([window])[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "stream"), [(residual(), "rows"), (shared(), "rows"), (speech(), "frames")]
)
def test_no_kernel_reads_what_was_overwritten(content: bytes, stream: str, tmp_path: Path) -> None:
    (firmware,) = build_traced([(compiled(content, stream=stream), shipped_ops())], tmp_path / "cc")
    reference = Reference(content)
    sets = seeded_inputs(reference.inputs, 2)[-2:]
    hops = firmware.push([row for inputs in sets for row in inputs[0][0]])
    for got, want in zip(hops[-1], reference.run(sets[-1]), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "stream"), [(residual(), "rows"), (shared(), "rows"), (speech(), "frames")]
)
def test_a_buffer_that_comes_too_close_is_caught(
    content: bytes, stream: str, tmp_path: Path
) -> None:
    program = compiled(content, stream=stream)
    plan = program.graph.plan
    assert plan is not None
    near = {name: replace(at, offset=at.offset // 2) for name, at in plan.placements.items()}
    graph = replace(program.graph, plan=replace(plan, placements=near))
    (firmware,) = build_traced([(replace(program, graph=graph), shipped_ops())], tmp_path / "cc")
    inputs = seeded_inputs(Reference(content).inputs, 1)[-1]
    with pytest.raises(AssertionError, match=r"ended with 3:\nnode \d+ "):
        firmware.push(list(inputs[0][0]))


@pytest.mark.slow
def test_a_hop_multiplies_only_for_the_newest_row() -> None:
    program = compiled(speech(), stream="frames")
    assert sum(step.macs or 0 for step in program.steps) == 3 * 3 * 8 + 8 * 5 + 4 * 5 * 6


@pytest.mark.slow
def test_an_image_multiplies_as_much_as_ever() -> None:
    plain, streamed = (compiled(residual(), stream=stream) for stream in ("0", "rows"))
    counts = [sum(step.macs or 0 for step in program.steps) for program in (plain, streamed)]
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_of_an_image_only_a_few_rows_are_there() -> None:
    plain, streamed = (compiled(tower(), stream=stream) for stream in ("0", "rows"))
    # two rows of 64 bytes, of 256 and seven more, the row that arrives of each, and the output
    assert arena(streamed) <= 3 * 64 + 3 * 256 + 8 * 256 + 256 + 2 * 256
    assert arena(plain) > 64 * 16 * 16


@pytest.mark.parametrize(("content", "stream", "code", "said"), [
    (speech(stride=2), "frames", "MDL022", "has stride 2 along time; it has to be 1"),
    (speech(padding="SAME"), "frames", "MDL022", "pads its input along time"),
])  # fmt: skip
def test_what_frames_cannot_be_pushed_into(
    content: bytes, stream: str, code: str, said: str
) -> None:
    with pytest.raises(ToolchainError, match=said) as caught:
        compiled(content, stream=stream)
    assert caught.value.problems[0].code == code


@pytest.mark.parametrize("stream", ["rows", "frames"])
def test_an_input_that_is_no_image_cannot_stream(stream: str) -> None:
    layers = Layers(1, 4, 4)
    content = layers.done(layers.flat(layers.x))
    with pytest.raises(ToolchainError, match="is no image of several rows") as caught:
        compiled(content, stream=stream)
    assert caught.value.problems[0].code == {"rows": "MDL021", "frames": "MDL022"}[stream]


@pytest.mark.slow
def test_kept_rows_go_where_a_rule_sends_inner_tensors() -> None:
    rules = (ArenaRule("ccm", ("inner",)),)
    program = compiled(tower(), arena=rules, stream="rows")
    plan, stream = program.graph.plan, program.graph.stream
    assert plan is not None and stream is not None
    inner = [held for held in stream.held if held.tensor != stream.row]
    assert inner
    assert {plan.placements[held.buffer].memory for held in inner} == {"ccm"}


def test_rows_that_the_op_refuses_lead_to_its_hook() -> None:
    found = shipped_ops().by_name["conv_2d"]

    def same(node: NodeView) -> RowWindow | None:
        assert IMAGE_FILTER.streaming.rows is not None
        rows = IMAGE_FILTER.streaming.rows(node)
        return None if rows is None else replace(rows, attributes={"padding": "SAME"})

    wrong_rows = Hooks(streaming=Streaming(same))
    variants = tuple(replace(each, hooks=each.hooks | wrong_rows) for each in found.op.variants)
    wrong = found.changed(replace(found.op, variants=variants))
    ops = OpIndex({**shipped_ops().by_name, "conv_2d": wrong}, shipped_ops().by_source)
    graph = graph_of(speech(), ops)
    with pytest.raises(ToolchainError, match="streaming.rows gives: conv_2d: ") as caught:
        frame_stream(graph, ops, "m.tflite")
    assert caught.value.problems[0].code == "OPS063"
    assert caught.value.problems[0].where.endswith("ops/conv_2d/op.py")


def test_two_inputs_cannot_stream() -> None:
    layers = Layers(5, 4, 4)
    other = layers.model.input("z", (1, 5, 4, 4), "int8", 0.05, 0)
    with pytest.raises(ToolchainError, match="the model has 2 inputs") as caught:
        compiled(layers.done(layers.add(layers.x, other)), stream="rows")
    assert caught.value.problems[0].code == "MDL021"
