"""Random networks, streamed in every way there is: bytes are LiteRT's, each row is made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.unit.stream_networks import frame_networks, row_networks
from toolchain.errors import ToolchainError
from toolchain.ir import Graph
from toolchain.lower.select_kernels import select_kernels
from toolchain.op.discover import OpIndex, discover
from toolchain.op.node import node_problems
from toolchain.pipeline import Target, compile_graph, read
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Array, Reference
from toolchain.testing.stream_evaluate import StreamEvaluator
from toolchain.transform.plan_memory import plan_memory
from toolchain.transform.stream_rows import frame_stream, row_streams

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
FEATURES: tuple[frozenset[str], ...] = (frozenset(), frozenset({"dsp"}))
UNHURRIED = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def all_ops() -> OpIndex:
    return discover([ROOT / "ops"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


def rewritten(content: bytes, folder: Path) -> Graph:
    """The graph before it streams."""
    path = folder / "m.tflite"
    path.write_bytes(content)
    graph = read(path, "m", all_ops())[1]
    steps: dict[str, Graph] = {}
    target = Target(frozenset(), "ram", "balanced")
    compile_graph(graph, all_ops(), target, (), "m", steps.setdefault)  # type: ignore[arg-type]
    return steps["order_nodes"]


def machine(streamed: Graph, features: frozenset[str]) -> StreamEvaluator:
    """What runs it: every node is still one that its op can be."""
    for node in streamed.nodes:
        assert not node_problems(streamed, node, all_ops()[node.op], node.name)
    chosen = select_kernels(streamed, all_ops(), features)
    return StreamEvaluator(plan_memory(chosen, all_ops(), "ram"), all_ops())


def equal(got: list[Array], want: list[Array]) -> None:
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@UNHURRIED
@given(content=row_networks())
def test_images_pushed_row_by_row(content: bytes, folder: Path) -> None:
    graph = rewritten(content, folder)
    reference = Reference(content, outputs=["x"])
    sets = seeded_inputs(reference.inputs, 3)[-4:]
    wanted = [reference.run(inputs)[: len(graph.outputs)] for inputs in sets]
    try:
        streams = list(row_streams(graph, all_ops(), "m"))
    except ToolchainError:
        streams = []
    assume(streams)
    for streamed in streams:
        for features in FEATURES:
            runner = machine(streamed, features)
            for (image,), outputs in zip(sets, wanted, strict=True):
                equal(runner.infer(image), outputs)
            stream = streamed.stream
            assert stream is not None
            for node in streamed.nodes:
                assert runner.runs[node.name] == stream.runs(node) * len(sets)


@UNHURRIED
@given(content=frame_networks())
def test_frames_pushed_for_ever(content: bytes, folder: Path) -> None:
    graph = rewritten(content, folder)
    reference = Reference(content, outputs=["x"])
    try:
        streamed = frame_stream(graph, all_ops(), "m")
    except ToolchainError:
        assume(False)
    frames = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    size = reference.inputs[0].shape[1]
    for features in FEATURES:
        runner = machine(streamed, features)
        for end, frame in enumerate(frames, 1):
            outputs = runner.push(frame)
            assert (outputs is None) == (end < size)
            if outputs is not None:
                window = frames[np.newaxis, end - size : end]
                equal(outputs, reference.run([window])[: len(graph.outputs)])
