"""An application of one's own prints by printf(), in C and C++, and its exit status is told."""

import re
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import scons
from tests.boards import DIGITS
from tests.system.project import convolutions
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
SOURCES = {  # C leaves it to printf() to start the board; C++ prints a float
    "main.c": """#include <stdio.h>
#include "model_c.h"
int main(void) {
  tiny_invoke();
  printf("%s of %d bytes\\n", "tiny", tiny_arena_bytes);
  return 3;
}
""",
    "main.cc": """#include <stdio.h>
#include "model.h"
#include "runtimes/mcu/board.h"
int main() {
  opsmith::board::init();
  tiny::invoke();
  printf("%s of %.0f bytes\\n", "tiny", double(tiny::arena_bytes));
  return 3;
}
""",
}


@pytest.mark.few(1)
@pytest.mark.parametrize("board", ["mps2_an385", "microbit", "qemu_riscv32", "host"])
@pytest.mark.parametrize("name", SOURCES)
def test_an_application_prints(tmp_path: Path, board: str, name: str) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
    app, model = tmp_path / "app", tmp_path / "tiny.tflite"
    app.mkdir()
    (app / name).write_text(SOURCES[name], encoding="utf-8")
    model.write_bytes(convolutions())
    done = scons(f"board={board}", f"model={model}", f"app={app}", "run")
    said = done.stdout + done.stderr
    assert re.search(r"^tiny of \d+ bytes$", said, re.MULTILINE), said
    assert "it ended with status 3" in said
    assert "Error 3" in said  # of SCons, whose own status is 2
    assert done.returncode == 2


def test_a_folder_without_a_program_is_reported(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    done = scons("board=host", f"model={DIGITS}", f"app={tmp_path}")
    assert "error BLD003" in done.stdout + done.stderr
