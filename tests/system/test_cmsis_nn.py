"""CMSIS-NN: found or refused in words, called rightly, planned with the scratch that it wants.

A stand-in of our own takes the library's place, which computes what calls say. With the real one
compiled for Cortex-M4F and M55 in folders `m4f` and `m55` below OPSMITH_CMSIS_NN, its bytes and
sizes are compared as well.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.cores import CORES
from opsmith.board.runtime import load_runtime
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.ir import Array
from opsmith.oracle.litert import Reference
from opsmith.scons.installed_library import find_library
from opsmith.testing import batch_firmware
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import build, scons
from opsmith.testing.inputs import seeded_inputs
from opsmith.tflite.cases import merged_model
from tests.system.cmsis_nn_cases import ROUNDED, called, sizes_app

pytestmark = [pytest.mark.system, pytest.mark.slow]
STAND_IN = ROOT / "tests/data/cmsis_nn"
TOOLS = "arm-none-eabi-"
REAL = os.environ.get("OPSMITH_CMSIS_NN", "")
BOARDS = {"mps2_an386": ("cortex-m4f", "m4f"), "mps3_an547": ("cortex-m55", "m55")}
RUNTIME = load_runtime("cmsis", RUNTIMES)
(LIBRARY,) = RUNTIME.libraries
OPS = {path.parent.name for path in ROOT.glob("ops/*/op.py")}


def made(folder: Path, core: str) -> Path:
    """Prefix with the stand-in for CMSIS-NN, compiled for a core."""
    shutil.copytree(STAND_IN / "include", folder / "include")
    (folder / "lib").mkdir()
    flags = [*CORES[core].flags, "-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti"]
    includes = [f"-I{folder / 'include'}", f"-I{ROOT}"]
    object_file = folder / "stand_in.o"
    source = STAND_IN / "stand_in.cc"
    compiler = [f"{TOOLS}g++", *flags, *includes, "-c", str(source), "-o", str(object_file)]
    subprocess.run(compiler, check=True)
    archive = [f"{TOOLS}ar", "rcs", str(folder / "lib/libcmsis-nn.a"), str(object_file)]
    subprocess.run(archive, check=True)
    return folder


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prefix of the stand-in for CMSIS-NN, compiled for a Cortex-M4F."""
    return made(tmp_path_factory.mktemp("cmsis_nn") / "prefix", "cortex-m4f")


@dataclass(frozen=True)
class Found:
    """Folder of a firmware, and the distance of its answers from LiteRT's."""

    folder: Path
    differences: dict[str, int]  # output -> how far the farthest element is off


def answers(board: str, prefix: Path, into: Path, each: int = 1) -> Found:
    """Distance from LiteRT on this board of the cases, of each N-th, that call CMSIS-NN."""
    content = merged_model(called(CORES[BOARDS[board][0]].features, each))
    reference = Reference(content)
    sets = seeded_inputs(reference.inputs, 3)
    (into / "cmsis_nn_cases.tflite").write_bytes(content)
    preferences = {"prefer": "cmsis_nn", "libraries": f"cmsis_nn={prefix}"}
    model = into / "cmsis_nn_cases.tflite"
    found = batch_firmware.answers(board, model, into, sets, reference.outputs, **preferences)
    folder = into / f"{board}-{model.stem}"
    differences: dict[str, int] = {}
    for got, want in zip(found, map(reference.run, sets), strict=True):
        for detail, one, other in zip(reference.outputs, got, want, strict=True):
            differences[detail.name] = max(distance(one, other), differences.get(detail.name, 0))
    return Found(folder, differences)


def distance(one: Array, other: Array) -> int:
    """Largest distance of an element from LiteRT's; of floats, 2^31 if any byte differs."""
    if one.dtype.kind == "f":
        return 0 if one.tobytes() == other.tobytes() else 1 << 31
    return int(np.abs(one.astype(int) - other.astype(int)).max())


def off(found: Found) -> dict[str, int]:
    """Distances of wrong outputs: beyond 1 where a library rounds by itself, else beyond 0."""
    return {
        name: by
        for name, by in found.differences.items()
        if by > int(name.partition("_of_")[0] in ROUNDED)
    }


@pytest.mark.qemu
def test_calls_say_what_the_nodes_are(
    tmp_path: Path, stand_in: Path, pytestconfig: pytest.Config
) -> None:
    """Calls say what the nodes are, for a sixth of all cases, or for all with --examples=2."""
    each = 1 if pytestconfig.getoption("--examples") > 1 else 6
    found = answers("mps2_an386", stand_in, tmp_path, each)
    assert not off(found)
    report = json.loads((found.folder / "report.json").read_text())
    assert report["libraries"] == {"cmsis_nn": "18.0.0"}
    by_op: dict[str, set[str]] = {}
    for node in report["nodes"]:
        by_op.setdefault(node["op"], set()).add(node["kernel"])
    brought = {path.stem for path in (RUNTIMES / "cmsis").glob("*.py")} & OPS
    assert brought == {op for op, kernels in by_op.items() if "cmsis_nn" in kernels}
    inexact = [n["op"] for n in report["nodes"] if any("NOT EXACT" in r for r in n["remarks"])]
    assert set(inexact) == {"fully_connected"}


@pytest.mark.qemu
@pytest.mark.parametrize("board", BOARDS)
def test_the_library_itself_is_as_exact_as_its_rows_say(tmp_path: Path, board: str) -> None:
    found = answers(board, Path(REAL, BOARDS[board][1]), tmp_path)
    wrong = off(found)
    # The stand-in's softmax is in floating point; the library's is not.
    wrong |= {n: by for n, by in found.differences.items() if n.startswith("softmax") and by}
    assert not wrong


@pytest.mark.qemu
@pytest.mark.parametrize("board", BOARDS)
def test_the_library_wants_as_much_scratch_as_is_planned(tmp_path: Path, board: str) -> None:
    core, folder = BOARDS[board]
    variant = "mve" if "mve" in CORES[core].features else "dsp"
    count, source = sizes_app(variant)
    assert count > 50
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.cc").write_text(source)
    preferences = {
        "prefer": "cmsis_nn",
        "libraries": f"cmsis_nn={Path(REAL, folder)}",
        "app": f"{tmp_path}/app",
    }
    model = ROOT / "tests/models/digits_int8.tflite"
    copy = build(board, model, tmp_path, **preferences)
    semihosting = ["-semihosting-config", "enable=on,target=native"]
    quiet = ["-nographic", "-monitor", "none", "-serial", "none"]
    command = ["qemu-system-arm", "-M", board.replace("_", "-"), *quiet, *semihosting]
    done = subprocess.run(
        [*command, "-kernel", str(copy / "firmware.elf")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout + done.stderr == f"{count} of {count} sizes are equal\n"


def refused(prefix: Path, core: str = "cortex-m4f", runtime: str = "cmsis") -> str:
    """Text of the error by which a prefix is refused."""
    granted = load_runtime(runtime, RUNTIMES)
    with pytest.raises(ToolchainError) as error:
        find_library(prefix, LIBRARY, RUNTIME, CORES[core], granted, TOOLS, prefix.parent)
    return str(error.value)


def test_a_prefix_that_fits_is_taken(stand_in: Path) -> None:
    core = CORES["cortex-m4f"]
    found = find_library(stand_in, LIBRARY, RUNTIME, core, RUNTIME, TOOLS, stand_in.parent)
    assert found.revision == "18.0.0"
    assert found.archive.is_file()


def test_what_is_not_there_is_reported_at_once(tmp_path: Path) -> None:
    told = refused(tmp_path / "nothing")
    assert told.count("error BLD060") == 2
    assert "include/arm_nnfunctions.h" in told
    assert "lib/libcmsis-nn.a" in told


@pytest.mark.parametrize(
    ("revision", "told"),
    [("V.17.3.0", "17.3.0"), ("V.20.0.0", "20.0.0"), ("none", "does not say its revision")],
)
def test_a_release_that_nobody_tried_is_refused(
    tmp_path: Path, stand_in: Path, revision: str, told: str
) -> None:
    prefix = Path(shutil.copytree(stand_in, tmp_path / "prefix"))
    header = prefix / "include/arm_nnfunctions.h"
    header.write_text(header.read_text().replace("V.18.0.0", revision))
    assert "error BLD061" in refused(prefix)
    assert told in refused(prefix)


@pytest.mark.parametrize(("core", "told"), [
    ("cortex-m4", "ABI_VFP_args 'VFP registers' where this core has ABI_VFP_args 'none'"),
    ("cortex-m55", "MVE_arch 'none' where this core has MVE_arch 'MVE Integer and FP'"),
    ("cortex-m3", "neither"),
    ("host", "CMSIS-NN is called on cores with mve or dsp, and 'host' has neither"),
])  # fmt: skip
def test_a_library_for_another_core_is_refused(stand_in: Path, core: str, told: str) -> None:
    assert "error BLD062" in refused(stand_in, core)
    assert told in refused(stand_in, core)


def test_a_core_that_calls_no_library_is_not_told_to_build_it(tmp_path: Path) -> None:
    told = refused(tmp_path / "nothing", "host")
    assert "error BLD062" in told
    assert "BLD060" not in told


def test_an_archive_without_objects_is_refused(tmp_path: Path, stand_in: Path) -> None:
    prefix = Path(shutil.copytree(stand_in, tmp_path / "prefix"))
    (prefix / "lib/libcmsis-nn.a").write_text("!<arch>\n")
    assert "error BLD062: holds no object for a core like cortex-m4f" in refused(prefix)


def test_a_runtime_that_calls_none_says_so(stand_in: Path) -> None:
    assert "error BLD063: runtime 'reference' calls no CMSIS-NN" in refused(
        stand_in, runtime="reference"
    )


@pytest.mark.parametrize(("preferences", "code"), [
    (("prefer=cmsis_nn",), "BLD063"),
    (("libraries=cmsis_nn=nowhere",), "BLD060"),
    (("libraries=cmsis_mm=nowhere",), "BLD063"),
    (("libraries=nowhere",), "BLD006"),
    (("prefer=cmsis_mm", "runtime=reference"), "BLD008"),
])  # fmt: skip
def test_scons_ends_with_status_2(preferences: Sequence[str], code: str) -> None:
    done = scons("board=mps2_an386", "model=tests/models/digits_int8.tflite", *preferences)
    assert done.returncode == 2
    assert f"error {code}" in done.stdout + done.stderr


def test_what_the_core_lacks_cannot_be_preferred() -> None:
    done = scons("board=mps2_an385", "model=tests/models/digits_int8.tflite", "prefer=dsp")
    assert done.returncode == 2
    assert "error BLD028" in done.stdout + done.stderr


def test_nothing_is_called_unless_it_costs_less(tmp_path: Path, stand_in: Path) -> None:
    model = ROOT / "tests/models/digits_int8.tflite"
    folder = build("mps2_an386", model, tmp_path, libraries=f"cmsis_nn={stand_in}")
    nodes = json.loads((folder / "report.json").read_text())["nodes"]
    for node in nodes:
        figures = {c["kernel"]: c["cost"] for c in node["candidates"] if not c["refused"]}
        if None not in figures.values():
            taken = next(c["kernel"] for c in node["candidates"] if c["taken"])
            assert figures[taken] == min(figures.values())
    assert not any("NOT EXACT" in remark for node in nodes for remark in node["remarks"])
    matrices = [node for node in nodes if node["op"] == "fully_connected"]
    told = "not exact (sums are rounded in Q31 fixed point"
    for node in matrices:
        rows = [c for c in node["candidates"] if c["kernel"] == "cmsis_nn"]
        assert any(told in row["refused"] for row in rows)
    assert matrices


if not REAL:  # then there is nothing for these to run with
    del (
        test_the_library_itself_is_as_exact_as_its_rows_say,
        test_the_library_wants_as_much_scratch_as_is_planned,
    )
