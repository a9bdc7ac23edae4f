"""README.md: its commands do what it shows, its generated code is what they write, and its
application compiles and reads a digit.
"""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opsmith.discover.discover import discover
from opsmith.ir import Numerics
from opsmith.oracle.rules import TITLES
from opsmith.pipeline import read
from opsmith.testing.host_firmware import WARNINGS, build_application
from tests.programs import compiled
from tests.system.project import ROOT, make_project

pytestmark = [pytest.mark.system, pytest.mark.qemu]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
MODELS = ROOT / "tests" / "models"
# Those of the model and what these are rewritten to: of others, builds look at no more than names.
OPS = (
    *("add", "average_pool_2d", "average_rows", "conv_2d", "depthwise_conv_2d"),
    *("fully_connected", "reshape", "separable_conv_2d", "softmax"),
)
MAIN = """
int main() {{
  const float pixels[] = {{{pixels}}};
  return read_digit(pixels);
}}
"""


def block(language: str, number: int = 0) -> str:
    """Block of code in a language, by default the first one, of README.md."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return str(found[number])


def test_the_two_commands_print_what_is_shown(projects: Path) -> None:
    first, second = (line.partition(" #")[0].strip() for line in block("sh").splitlines())
    assert first == "./bootstrap"  # which made the environment that this test runs in
    program, *arguments = second.split()
    assert program == ".venv/bin/scons"
    project = make_project(projects / "p", ops=OPS)
    shutil.copytree(MODELS, project.root / "tests" / "models")
    said = project.build(*arguments, "debug=1").text  # which is the default, and not that of tests
    tail = said[said.index("\nbuild/") :].strip()
    tail = tail.removesuffix(f", {TITLES[Numerics.TFLM]}")  # an optional package
    assert tail == block("text").strip(), f"the sample in README.md is now:\n{tail}"
    (model,) = project.root.glob("build/*/digits_int8@tests.models/model.cc")
    sequence, _, _ = block("cpp").partition("  …\n")
    assert sequence in model.read_text(encoding="utf-8")
    assert len((TEXT).splitlines()) <= 150


def test_the_application_reads_a_digit(tmp_path: Path) -> None:
    ops = discover([ROOT / "ops"])
    _, graph = read(MODELS / "digits_int8.tflite", "digits_int8", ops)
    program = compiled(graph, ops)
    with np.load(MODELS / "digits_test.npz") as arrays:
        image, label = arrays["images"][1], int(arrays["labels"][1])
    scale, zero_point = graph.tensors["image"].scale, graph.tensors["image"].zero_point
    values = (image.astype(np.float32).ravel() - zero_point) * scale
    pixels = ", ".join(f"{value:.6f}f" for value in values)
    application = block("cpp", 1) + MAIN.format(pixels=pixels)
    made = build_application(program, ops, tmp_path, application, ["-nostdinc++", *WARNINGS])
    assert subprocess.run([made], check=False).returncode == label == 6
