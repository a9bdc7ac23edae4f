"""A backend is a folder: without runtimes/gpu all ops load, and firmware has the bytes it had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.project import ROOT, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
# Of the model and its rewrites.
OPS = (
    *("add", "average_pool_2d", "average_rows", "conv_2d", "depthwise_conv_2d"),
    *("fully_connected", "reshape", "separable_conv_2d", "softmax"),
)
LOAD = """
from pathlib import Path
from opsmith.discover.discover import load_op, op_folders
for folder in op_folders([Path("ops")]):
    load_op(folder)
    print(folder.name)
"""


def test_without_the_gpu_all_ops_load(projects: Path) -> None:
    project = make_project(projects / "all")
    shutil.rmtree(project.root / "runtimes" / "gpu")
    env = os.environ | {"PYTHONPATH": str(project.root / "toolchain")}
    command = [sys.executable, "-B", "-c", LOAD]
    done = subprocess.run(
        command, cwd=project.root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == sorted(each.parent.name for each in ROOT.glob("ops/*/op.py"))


def test_without_the_gpu_firmware_has_the_same_bytes(projects: Path) -> None:
    built = []
    for name in ("with", "without"):
        project = make_project(projects / name, ops=OPS)
        shutil.copytree(ROOT / "tests" / "models", project.root / "tests" / "models")
        if name == "without":
            shutil.rmtree(project.root / "runtimes" / "gpu")
        project.build("board=stm32f405", "model=tests/models/digits_int8.tflite")
        built.append(project.products("stm32f405-cmsis/digits_int8@tests.models")["firmware.bin"])
    assert built[0] == built[1]
