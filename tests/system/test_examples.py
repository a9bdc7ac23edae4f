"""The examples of runtimes/apps/examples/ are built and run: on this machine, one in QEMU."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from tests.boards import DIGITS
from tests.commands import said
from tests.layers import conv_2d
from tests.system import counted
from tests.system.applications import WARNINGS

pytestmark = [pytest.mark.system]
MOST_OF_A_TICK = 30  # instructions
EXAMPLES = ROOT / "runtimes" / "apps" / "examples"
# A button that is pressed twice and bounces each time, by how often it was asked: 10 ms, which it
# has to keep still, are at most half a million questions.
BUTTON = """
#include <stdio.h>
#include "runtimes/mcu/board.h"
namespace opsmith::board {
void led(bool on) { printf("led %d\\n", on); }
bool button() {
  static const char script[] = "0101";
  static unsigned asked = 0;
  const unsigned step = asked / 1'000'000, at = asked % 1'000'000;
  ++asked;
  if (step == sizeof script - 1) exit(0);
  return at < 1000 ? at / 100 % 2 == 0 : script[step] == '1';
}
}
"""

PLAYED = ROOT / "tests" / "data" / "real_time"
# A six, as the C example has it.
SIX = "   +.     :+      +.     .+ ..   .##+#.  .#: .+   :+.+.    +#:  "
PIXELS = ", ".join(str(" .:+#".index(each) / 4) for each in SIX)
FRAME = f"""
#include <stdio.h>
static const float six[] = {{{PIXELS}}};
void digit_was_read(int digit) {{ printf("a %d\\n", digit); }}
"""
REAL_TIME = {  # example -> compiler, the rest of a program, and how many pictures it reads
    "freertos": (
        ("g++", "-std=c++17"),
        """int main() {
  if (!start_inference()) return 1;
  picture_is_there(six);
  the_task(nullptr);
}
""",
        1,
    ),
    "zephyr": (
        ("gcc", "-std=c11"),
        """int main(void) {
  struct picture picture;
  for (int i = 0; i < digits_int8_elements_of_image; ++i) {
    picture.pixels[i] = digits_int8_quantize_image(six[i]);
  }
  if (!picture_is_there(&picture) || !picture_is_there(&picture)) return 1;
  if (picture_is_there(&picture)) return 2;
  run_inference();
  return 0;
}
""",
        2,
    ),
}


def classifier(frames: int, rows: Sequence[Sequence[float]], biases: Sequence[float]) -> bytes:
    """Model whose score of a class is the product of a row of weights and sums over all frames."""
    m, bands, classes = ModelWriter(), len(rows[0]), len(rows)
    x = m.input("x", (1, frames, 1, bands), "int8", [0.05], [0])
    weights = np.repeat(np.array(rows)[:, None, None, :], frames, axis=1)
    scales = [1 / 64] * classes
    filters = np.round(weights * 64).astype(np.int8)
    w = m.constant("w", filters, scales, [0] * classes)
    sums = np.round(np.array(biases) * 64 / 0.05).astype(np.int32)
    b = m.constant("b", sums, [0.05 / 64] * classes, [0] * classes)
    y = m.tensor("y", (1, 1, 1, classes), "int8", [0.1], [0])
    m.output(conv_2d(m, x, w, b, y, padding="VALID"))
    return m.bytes()


def ran(folder: Path, models: Mapping[str, bytes], example: str, *words: str) -> list[str]:
    """Lines that an example prints on this machine with the given models."""
    for name, content in models.items():
        (folder / f"{name}.tflite").write_bytes(content)
    given = ",".join(str(folder / f"{name}.tflite") for name in models)
    done = scons("board=host", f"model={given}", f"app={example}", *words, "run")
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    assert "it ended with status 0" in text
    return [line for line in done.stdout.splitlines() if not line.startswith((" ", "build", "CC"))]


def test_a_word_is_heard_once(tmp_path: Path) -> None:
    rows = [[0.0] * 4, [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]  # of nothing, of two words
    spotter = {"spotter": classifier(3, rows, [1.0, 0.0, 0.0])}
    lines = ran(tmp_path, spotter, str(EXAMPLES / "keyword_spotting"), "stream=frames")
    # the tone begins after 40 blocks, which the first of three frames shows
    assert "word 2 at 860 ms" in lines
    assert "0 blocks were lost" in lines
    assert sum(line.startswith("word") for line in lines) == 1


def test_a_press_runs_the_model(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(EXAMPLES / "button", tmp_path / "button"))
    (folder / "desk.cc").write_text(BUTTON, encoding="utf-8")
    lines = ran(tmp_path, {"small": classifier(1, [[0.0], [1.0]], [0.1, 0.0])}, str(folder))
    assert [line for line in lines if line.startswith("led")] == ["led 1"] * 2


def test_a_small_model_wakes_a_large_one(tmp_path: Path) -> None:
    models = {
        "wake": classifier(1, [[0.0], [1.0]], [0.1, 0.0]),
        "command": classifier(1, [[-1.0], [0.5], [1.0]], [0.0] * 3),
    }
    lines = ran(tmp_path, models, str(EXAMPLES / "two_models"), "arena=shared")
    commands = [line for line in lines if line.startswith("input")]
    assert commands == ["input 1 is command 2", "input 3 is command 2"]


@pytest.mark.qemu
def test_the_core_sleeps_between_inferences(tmp_path: Path) -> None:
    """The core sleeps between inferences: ten ticks execute the inference and the ticks, and
    nothing else.
    """
    model = tmp_path / "small.tflite"
    model.write_bytes(classifier(8, [[1.0] * 8] * 8, [0.0] * 8))
    words = ("board=mps2_an386", f"model={model}", f"app={EXAMPLES / 'low_power'}", "timeout=60")
    done = scons(*words, "run")
    assert "5 inferences in 50 ticks" in done.stdout, done.stdout + done.stderr
    elf, plugin = products(*words) / "firmware.elf", counted.plugin()
    period = counted.calls(plugin, elf, "app", "period", tmp_path)
    inference = counted.calls(plugin, elf, "small", "invoke", tmp_path)
    assert 500 < inference < period < inference + 10 * MOST_OF_A_TICK


def test_programs_in_c_and_for_other_kernels_read_a_digit(tmp_path: Path) -> None:
    """FreeRTOS and Zephyr are played by headers of tests/data/real_time/, with one task."""
    words = ("board=host", f"model={DIGITS}", f"app={EXAMPLES / 'plain_c'}")
    done = scons(*words, "library", "run")
    assert "it is a 6\n" in done.stdout, done.stdout + done.stderr
    library = products(*words) / "library"
    for example, (compiler, rest, pictures) in REAL_TIME.items():
        (source,) = (EXAMPLES / example).iterdir()
        main = tmp_path / f"main{source.suffix}"
        main.write_text(f'#include "{source}"\n{FRAME}{rest}', encoding="utf-8")
        program = tmp_path / example
        folders = [f"-I{library}/include", f"-I{PLAYED}", f"-L{library}/lib"]
        said([*compiler, *WARNINGS, *folders, main, "-ldigits_int8", "-o", program])
        assert said([program]) == pictures * "a 6\n"
