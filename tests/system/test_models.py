"""Real models, built for real boards: every byte that the firmware answers is LiteRT's."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]

from toolchain.testing.firmware import build, run
from toolchain.testing.litert import Array, Detail, Reference

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
MODELS = (
    "mlperf_tiny/ad_int8",
    "mlperf_tiny/kws_int8",
    "mlperf_tiny/resnet_int8",
    "mlperf_tiny/sww_int8",
    "mlperf_tiny/vww_int8",
    "tflite_micro/hello_world_int8",
    "tflite_micro/micro_speech_quantized",
)
BOARDS = ("host", "mps2_an386", "mps3_an547", "stm32")  # all seven fit the smallest of them
SEEDS = 20


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("model", MODELS)
def test_firmware_answers_as_litert(
    model: str, board: str, models_dir: Path, tmp_path: Path
) -> None:
    path = models_dir / f"{model}.tflite"
    inner = before_output(path)
    names, inputs, expected = golden(path, inner)
    outputs = run(build(board, path, tmp_path, outputs=[inner]), board, inputs)
    for number, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        for name, mine, theirs in zip(names, got, want, strict=True):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(mine, theirs, f"input {number}, tensor '{name}'")


@cache
def golden(path: Path, inner: str) -> tuple[list[str], list[list[Array]], list[list[Array]]]:
    """Names of the outputs, the inputs to try, and what LiteRT's reference kernels answer."""
    reference = Reference(path, outputs=[inner])
    inputs = [*seeded(reference.inputs), *extremes(reference.inputs)]
    names = [detail.name for detail in reference.outputs]
    return names, inputs, [reference.run(each) for each in inputs]


def seeded(details: tuple[Detail, ...]) -> list[list[Array]]:
    """Uniform random values, and for half of them smooth ones that reach further into a network."""
    return [
        [values(np.random.default_rng(seed), each, spread=(1.0, 0.2)[seed % 2]) for each in details]
        for seed in range(SEEDS)
    ]


def values(random: np.random.Generator, detail: Detail, *, spread: float) -> Array:
    """Random values around a random centre."""
    limits = np.iinfo(detail.dtype)
    width = float(limits.max - limits.min) * spread
    centre = random.uniform(limits.min, limits.max) if spread < 1 else (limits.min + limits.max) / 2
    drawn = centre + width * random.uniform(-0.5, 0.5, detail.shape)
    return np.clip(np.rint(drawn), limits.min, limits.max).astype(detail.dtype)


def extremes(details: tuple[Detail, ...]) -> list[list[Array]]:
    """All smallest, all largest, all zero point, and smallest and largest in turn."""
    return [
        [np.full(each.shape, np.iinfo(each.dtype).min, each.dtype) for each in details],
        [np.full(each.shape, np.iinfo(each.dtype).max, each.dtype) for each in details],
        [np.full(each.shape, each.zero_point or 0, each.dtype) for each in details],
        [checkerboard(each) for each in details],
    ]


def checkerboard(detail: Detail) -> Array:
    """Neighbours along every axis are opposite extremes."""
    odd = np.indices(detail.shape).sum(axis=0) % 2 == 1
    limits = np.iinfo(detail.dtype)
    return np.where(odd, limits.max, limits.min).astype(detail.dtype)


def before_output(path: Path) -> str:
    """The tensor that the last node makes the output from: before a softmax, which hides errors."""
    graph = tflite.Model.GetRootAs(path.read_bytes(), 0).Subgraphs(0)
    last = graph.Operators(graph.OperatorsLength() - 1)
    assert last.Outputs(0) == graph.Outputs(0)
    name: bytes = graph.Tensors(last.Inputs(0)).Name()
    return name.decode()
