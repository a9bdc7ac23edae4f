"""Random networks, streamed in every way there is: bytes are LiteRT's, each row is made once."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.op.node import node_problems
from opsmith.oracle.litert import Array, Reference
from opsmith.schedule.plan_memory import plan_memory
from opsmith.schedule.stream_rows import frame_stream, row_streams
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.traced_firmware import build_traced
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.networks import network
from tests.programs import built, compiled
from tests.unit.seeds import drawn
from tests.unit.stream_evaluate import StreamEvaluator

pytestmark = pytest.mark.slow
PORTABLE: frozenset[str] = frozenset()
FEATURES = (PORTABLE, frozenset({"dsp"}))
COUNTS = {  # of networks for each test
    "test_images_pushed_row_by_row": 10, "test_frames_pushed_for_ever": 12,
    "test_generated_code_of_images": 2, "test_generated_code_of_frames": 2,
}  # fmt: skip
TRIES, APART = 50, 1000_000  # networks from one seed on
Found = TypeVar("Found")


def rewritten(content: bytes) -> Graph:
    """Graph of a network, rewritten up to streaming."""
    seen: dict[str, Graph] = {}
    compiled(content, watch=seen.__setitem__)
    return seen["order_nodes"]


def first(seed: int, kind: str, stream: Callable[[bytes], Found]) -> tuple[bytes, Found]:
    """First network, from a seed on, that streams, and its streamed graph."""
    for number in range(seed, seed + TRIES * APART, APART):
        content = network(number, kind)
        try:
            return content, stream(content)
        except ToolchainError as error:
            assert error.problems[0].code in ("MDL021", "MDL022")
    raise AssertionError(f"no network of {kind} from {seed} on streams")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", drawn(metafunc, COUNTS[metafunc.function.__name__]))


def machines(streamed: Graph) -> Iterator[StreamEvaluator]:
    """Evaluators of the streamed graph, one for each memory plan that features lead to; checks that
    ops take its nodes.
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


def test_images_pushed_row_by_row(seed: int) -> None:
    def streams_of(content: bytes) -> list[Graph]:
        return [*row_streams(rewritten(content), shipped_ops(), "m")]

    content, streams = first(seed, "rows", streams_of)
    reference = Reference(content, outputs=["x0"])
    sets = seeded_inputs(reference.inputs, 3)[-4:]
    wanted = [reference.run(inputs)[: len(streams[0].outputs)] for inputs in sets]
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


def test_frames_pushed_for_ever(seed: int) -> None:
    content, streamed = first(
        seed, "frames", lambda content: frame_stream(rewritten(content), shipped_ops(), "m")
    )
    reference = Reference(content, outputs=["x0"])
    frames = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    size = reference.inputs[0].shape[1]
    for runner in machines(streamed):
        for end, frame in enumerate(frames, 1):
            outputs = runner.push(frame)
            assert (outputs is None) == (end < size)
            if outputs is not None:
                window = frames[np.newaxis, end - size : end]
                equal(outputs, reference.run([window])[: len(streamed.outputs)])


def test_generated_code_of_images(seed: int, tmp_path: Path) -> None:
    content, program = first(1000 + seed, "rows", partial(compiled, stream="rows"))
    reference = Reference(content, outputs=["x0"])
    sets = seeded_inputs(reference.inputs, 2)[-3:]
    (firmware,) = build_traced([(program, shipped_ops())], tmp_path)
    for inputs, outputs in zip(sets, firmware.run(sets), strict=True):
        equal(outputs, reference.run(inputs)[: len(outputs)])


def test_generated_code_of_frames(seed: int, tmp_path: Path) -> None:
    content, program = first(1000 + seed, "frames", partial(compiled, stream="frames"))
    reference = Reference(content, outputs=["x0"])
    frames = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    (firmware,) = build_traced([(program, shipped_ops())], tmp_path)
    size = reference.inputs[0].shape[1]
    for start, outputs in enumerate(firmware.push(list(frames))):
        window = frames[np.newaxis, start : start + size]
        equal(outputs, reference.run([window])[: len(outputs)])


@pytest.mark.parametrize("channels", [3, 16], ids=["copied", "in_place"])
def test_frames_that_are_an_output_too(channels: int, tmp_path: Path) -> None:
    m, shape = ModelWriter(), (1, 4, 1, channels)
    x, y = (m.input("x", shape, "int8", 0.5, 0), m.tensor("y", shape, "int8", 0.5, 0))
    m.node("RELU", [x], [y], version=2)
    m.output(y, x)
    firmware = built(compiled(m, stream="frames"), tmp_path, sanitize=False)
    frames = np.arange(7 * channels, dtype=np.int8).reshape(7, 1, channels)
    for start, (_, window) in enumerate(firmware.push(list(frames))):
        equal([window], [frames[np.newaxis, start : start + 4]])
