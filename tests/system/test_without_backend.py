"""A backend is a folder: without it all ops load, and firmware of the rest has the bytes it had."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from opsmith.testing.firmware import products, scons
from tests.commands import said
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
# Of the model and its rewrites.
OPS = (
    *("add", "average_pool_2d", "average_rows", "conv_2d", "depthwise_conv_2d"),
    *("fully_connected", "reshape", "separable_conv_2d", "softmax"),
)
MODEL = "digits_int8@tests.models"
LOAD = """
from pathlib import Path
from opsmith.discover.discover import load_op, op_folders
for folder in op_folders([Path("ops")]):
    load_op(folder)
    print(folder.name)
"""
DELETED = [("gpu",), ("cmsis",), ("cmsis", "gpu", "riscv", "simd")]


@pytest.mark.few(1)
@pytest.mark.parametrize("backends", DELETED, ids="+".join)
def test_all_ops_load(projects: Path, backends: tuple[str, ...]) -> None:
    project = _without(make_project(projects / "all"), backends)
    env = os.environ | {"PYTHONPATH": str(project.root / "toolchain")}
    command = [sys.executable, "-B", "-c", LOAD]
    told = said(command, cwd=project.root, env=env)
    assert told.split() == sorted(each.parent.name for each in ROOT.glob("ops/*/op.py"))


@pytest.mark.few(1)
@pytest.mark.parametrize("backends", [DELETED[0], DELETED[-1]], ids="+".join)
def test_firmware_has_the_same_bytes(projects: Path, backends: tuple[str, ...]) -> None:
    runtime = "reference" if "cmsis" in backends else "cmsis"
    settings = ("board=stm32f405", f"runtime={runtime}", "model=tests/models/digits_int8.tflite")
    project = _without(make_project(projects / "without", ops=OPS), backends)
    shutil.copytree(ROOT / "tests/models", project.root / "tests/models", dirs_exist_ok=True)
    project.build(*settings)
    done = scons(*settings)  # with all backends
    assert done.returncode == 0, done.stdout + done.stderr
    built = project.products(f"stm32f405-{runtime}/{MODEL}")["firmware.bin"]
    assert built == (products(*settings) / "firmware.bin").read_bytes()


def _without(project: Project, backends: tuple[str, ...]) -> Project:
    for name in backends:
        shutil.rmtree(project.root / "runtimes" / name)
    return project
