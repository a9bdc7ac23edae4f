"""Whole models on this machine, every byte that their real kernels read and write checked."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.build_options import BuildOptions
from opsmith.discover.discover import op_folders
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.checkout import ROOT
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import known_ops
from opsmith.testing.traced_firmware import build_traced
from tests.system.test_models import MODELS

pytestmark = pytest.mark.system

DIGITS = ROOT / "tests" / "models" / "digits_int8.tflite"
FAR = 1 << 25  # bytes of an arena before its first tensor: more than any real model has

OPTS = ("balanced", "size")
# Models that stream, how, and bytes of tensors and scratch that are enough for it.
STREAMS = (
    ("mlperf_tiny/kws_int8", "rows", 4_192),
    ("mlperf_tiny/resnet_int8", "rows", 12_284),
    ("mlperf_tiny/sww_int8", "rows", 3_968),
    ("mlperf_tiny/sww_int8", "frames", 3_968),
    ("mlperf_tiny/vww_int8", "rows", 13_648),
)


def compiled(path: Path, opt: str, stream: str = "0") -> tuple[Program, OpIndex]:
    ops = known_ops([*op_folders([ROOT / "ops"])])
    _, graph = read(path, "m", ops)
    configuration = Configuration(options=BuildOptions(opt=opt, stream=stream))
    return compile_graph(graph, ops, configuration, str(path)), ops


def replanned(
    name: str, moved: Callable[[int], int], sized: Callable[[int], int]
) -> tuple[Program, OpIndex]:
    """Digit reader whose offsets and size of the arena are changed."""
    program, ops = compiled(DIGITS, "balanced")
    plan = program.graph.plan
    assert plan is not None
    places = {x: replace(at, offset=moved(at.offset)) for x, at in plan.placements.items()}
    arenas = {memory: sized(size) for memory, size in plan.arenas.items()}
    graph = replace(program.graph, name=name, plan=replace(plan, placements=places, arenas=arenas))
    return replace(program, graph=graph), ops


def check(path: Path, program: tuple[Program, OpIndex], folder: Path) -> None:
    (firmware,) = build_traced([program], folder)
    reference = Reference(path)
    sets = seeded_inputs(reference.inputs, 1)[-1:]
    for got, want in zip(firmware.run(sets)[0], reference.run(sets[0]), strict=True):
        assert got.tobytes() == want.tobytes()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by model and `opt`: one for each model or, with --examples=2, both."""
    if "opt" in metafunc.fixturenames:
        every = metafunc.config.getoption("--examples") > 1
        cells = [
            (model, opt)
            for number, model in enumerate(MODELS)
            for opt in (OPTS if every else [OPTS[number % 2]])
        ]
        metafunc.parametrize(("model", "opt"), cells, ids=["-".join(each) for each in cells])


@pytest.mark.few(2)
def test_no_real_model_reads_what_was_overwritten(
    model: str, opt: str, models_dir: Path, tmp_path: Path
) -> None:
    path = models_dir / f"{model}.tflite"
    check(path, compiled(path, opt), tmp_path)


@pytest.mark.few(1)
@pytest.mark.parametrize(("model", "stream", "limit"), STREAMS)
def test_nor_does_one_that_streams(
    model: str, stream: str, limit: int, models_dir: Path, tmp_path: Path
) -> None:
    path = models_dir / f"{model}.tflite"
    program, ops = compiled(path, "balanced", stream)
    assert program.graph.plan is not None
    assert sum(program.graph.plan.arenas.values()) <= limit
    check(path, (program, ops), tmp_path)


def test_nor_does_our_own_at_the_end_of_a_large_arena(tmp_path: Path) -> None:
    check(DIGITS, replanned("m", FAR.__add__, FAR.__add__), tmp_path)


def test_a_plan_that_lets_a_pixel_come_too_close_or_leaves_the_arena_is_caught(
    tmp_path: Path,
) -> None:
    near = replanned("near", lambda offset: FAR + offset // 2, FAR.__add__)
    outside = replanned("outside", lambda offset: offset, lambda size: size // 2)
    inputs = seeded_inputs(Reference(DIGITS).inputs, 1)[-1:]
    for firmware, what in zip(
        build_traced([near, outside], tmp_path), ("(finds|reads)", "leaves the arena"), strict=True
    ):
        with pytest.raises(AssertionError, match=rf"ended with 3:\nnode \d+ {what}"):
            firmware.run(inputs)
