"""Random networks, streamed in every way there is: bytes are LiteRT's, each row is made once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.op.node import node_problems
from opsmith.oracle.litert import Array, Reference
from opsmith.schedule.plan_memory import plan_memory
from opsmith.schedule.stream_rows import frame_stream, row_streams
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.stream_evaluate import StreamEvaluator
from opsmith.testing.traced_firmware import build_traced
from opsmith.tflite.writer import ModelWriter
from tests.examples import examples
from tests.programs import built, compiled
from tests.unit.stream_networks import frame_networks, row_networks

pytestmark = pytest.mark.slow
PORTABLE: frozenset[str] = frozenset()
FEATURES = (PORTABLE, frozenset({"dsp"}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


def rewritten(content: bytes) -> Graph:
    """The graph before it streams."""
    seen: dict[str, Graph] = {}
    compiled(content, watch=seen.__setitem__)
    return seen["order_nodes"]


def streamed_program(content: bytes, stream: str) -> Program:
    """The program that is emitted; what cannot stream is passed over."""
    try:
        return compiled(content, stream=stream)
    except ToolchainError as error:
        assert error.problems[0].code in ("MDL021", "MDL022")
        assume(False)
        raise


def machines(streamed: Graph) -> Iterator[StreamEvaluator]:
    """What runs it: every node is still one that its op can be. With other kernels only where they
    make another plan, since all else is numpy.
    """
    for node in streamed.nodes:
        assert not node_problems(streamed, node, shipped_ops()[node.op], node.name)
    plans: list[object] = []
    for features in FEATURES:
        chosen = select_kernels(streamed, shipped_ops(), features)
        planned = plan_memory(chosen, shipped_ops(), "ram")
        if planned.plan not in plans:
            plans.append(planned.plan)
            yield StreamEvaluator(planned, shipped_ops())


def equal(got: list[Array], want: list[Array]) -> None:
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@examples(10)
@given(content=row_networks())
def test_images_pushed_row_by_row(content: bytes) -> None:
    graph = rewritten(content)
    reference = Reference(content, outputs=["x"])
    sets = seeded_inputs(reference.inputs, 3)[-4:]
    wanted = [reference.run(inputs)[: len(graph.outputs)] for inputs in sets]
    try:
        streams = list(row_streams(graph, shipped_ops(), "m"))
    except ToolchainError:
        streams = []
    assume(streams)
    for streamed in streams:
        for number, runner in enumerate(machines(streamed)):
            # What a second plan leaves of an image, a second image finds to be wrong or not.
            images = [*zip(sets, wanted, strict=True)][0 if number == 0 else -2 :]
            for (image,), outputs in images:
                equal(runner.infer(image), outputs)
            stream = streamed.stream
            assert stream is not None
            for node in streamed.nodes:
                assert runner.runs[node.name] == stream.runs(node) * len(images)


@examples(16)
@given(content=frame_networks())
def test_frames_pushed_for_ever(content: bytes) -> None:
    graph = rewritten(content)
    reference = Reference(content, outputs=["x"])
    try:
        streamed = frame_stream(graph, shipped_ops(), "m")
    except ToolchainError:
        assume(False)
    frames = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    size = reference.inputs[0].shape[1]
    for runner in machines(streamed):
        for end, frame in enumerate(frames, 1):
            outputs = runner.push(frame)
            assert (outputs is None) == (end < size)
            if outputs is not None:
                window = frames[np.newaxis, end - size : end]
                equal(outputs, reference.run([window])[: len(graph.outputs)])


@examples(3)
@given(content=row_networks())
def test_generated_code_of_images(content: bytes, folder: Path) -> None:
    program = streamed_program(content, "rows")
    sets = seeded_inputs(Reference(content).inputs, 2)[-3:]
    (firmware,) = build_traced(
        [(program, shipped_ops())], folder / hashlib.sha256(content).hexdigest()
    )
    reference = Reference(content, outputs=["x"])
    for inputs, outputs in zip(sets, firmware.run(sets), strict=True):
        equal(outputs, reference.run(inputs)[: len(outputs)])


@examples(3)
@given(content=frame_networks())
def test_generated_code_of_frames(content: bytes, folder: Path) -> None:
    program = streamed_program(content, "frames")
    reference = Reference(content, outputs=["x"])
    frames = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    (firmware,) = build_traced(
        [(program, shipped_ops())], folder / hashlib.sha256(content).hexdigest()
    )
    size = reference.inputs[0].shape[1]
    for start, outputs in enumerate(firmware.push(list(frames))):
        window = frames[np.newaxis, start : start + size]
        equal(outputs, reference.run([window])[: len(outputs)])


@pytest.mark.parametrize("channels", [3, 16], ids=["copied", "in_place"])
def test_frames_that_are_an_output_too(channels: int, folder: Path) -> None:
    m, shape = ModelWriter(), (1, 4, 1, channels)
    x, y = (m.input("x", shape, "int8", 0.5, 0), m.tensor("y", shape, "int8", 0.5, 0))
    m.node("RELU", [x], [y], version=2)
    m.output(y, x)
    firmware = built(compiled(m, stream="frames"), folder / f"x_{channels}", sanitize=False)
    frames = np.arange(7 * channels, dtype=np.int8).reshape(7, 1, channels)
    for start, (_, window) in enumerate(firmware.push(list(frames))):
        equal([window], [frames[np.newaxis, start : start + 4]])
