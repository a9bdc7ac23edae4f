"""Every kernel compiles without a warning, beside and after any others, so that packages do in
projects that ask for many warnings or join files.
"""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.contract.bind import bind
from opsmith.contract.kernel_check import kernel_check
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from tests.conftest import NO_PACKAGES

pytestmark = pytest.mark.slow

FLAGS = "-std=c++17 -fno-exceptions -fno-rtti -Wall -Wextra -Wconversion -Wshadow -Werror"
INCLUDES = tuple(f"-I{ROOT / folder}" for folder in (".", "ops", "runtimes"))


@pytest.fixture(scope="module")
def bindings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the generated headers of all ops."""
    folder = tmp_path_factory.mktemp("bindings")
    for name, op in shipped_ops().by_name.items():
        (folder / f"{name}.op.h").write_text(bind(op), encoding="utf-8")
    return folder


def instances(features: frozenset[str], order: str) -> str:
    """C++ that instantiates the kernels of all ops that a core with the given features can run, in
    an order drawn by a seed.
    """
    checks = [kernel_check(op, features) for op in shipped_ops().by_name.values()]
    assert len("".join(checks)) > 100_000
    Random(order).shuffle(checks)
    return "".join(checks)


@pytest.mark.first(1)
@pytest.mark.parametrize(("compiler", "board"), [
    ("arm-none-eabi-g++", "stm32f405"),  # all kernels of the microbit, and more
    ("clang++-15", "host"),  # tests of ops compile them by g++ with these flags
    ("arm-none-eabi-g++", "mps3_an547"),
    ("arm-none-eabi-g++", "microbit"),
])  # fmt: skip
@pytest.mark.parametrize("order", "12")
def test_no_kernel_causes_a_warning(
    bindings: Path, compiler: str, board: str, order: str, tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}")
    core = load_board(board, [ROOT / "boards"]).core
    runtime = load_runtime("reference" if core.hosted else "cmsis", SHIPPED)
    source = tmp_path / "all.cc"
    checks = instances(runtime.features(core.features, ()), board + order)
    source.write_text(checks, encoding="utf-8")
    command = [compiler, *FLAGS.split(), *core.compiler_flags, "-fsyntax-only", f"-I{bindings}"]
    done = subprocess.run(
        [*command, *INCLUDES, str(source)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


ONE_ROW = """
#include "ops/conv_2d/i8/plain.h"
namespace opsmith::conv_2d::i8 {
constexpr PlainParams one_row = {
    1, 1, 198, 16, 1, 3, 1, 198, 1, 1, 1, 1, 0, 1, -128, -128, 127, 12, 18, 5, false, true};
void run(const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
         const PlainScratch& scratch) {
  plain(StaticPlain<one_row>{}, in, out, tables, scratch);
}
}
"""


def test_windows_of_one_row_cause_no_warning_of_loops(bindings: Path, tmp_path: Path) -> None:
    source, core = tmp_path / "one_row.cc", load_board("mps2_an385", [ROOT / "boards"]).core
    source.write_text(ONE_ROW, encoding="utf-8")
    command = ["arm-none-eabi-g++", *FLAGS.split(), *core.compiler_flags, "-O2", "-c"]
    command += [f"-I{bindings}", *INCLUDES, "-o", str(tmp_path / "one_row.o"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
