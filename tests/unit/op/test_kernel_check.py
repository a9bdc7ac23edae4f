"""The file that compiles every kernel of an op for a core: `scons ops/<op> board=…` makes it."""

import os
import subprocess
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.contract.bind import bind
from opsmith.contract.kernel_check import kernel_check
from opsmith.home import RUNTIMES
from opsmith.op.index import OpFolder
from opsmith.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT
from opsmith.testing.known_ops import shipped_ops
from tests.commands import said

ROOT = Path(__file__).resolve().parents[3]
OPS = shipped_ops()


def problems(
    folders: list[OpFolder], core: str, into: Path, more: str = "", opt: str = "-fsyntax-only"
) -> str:
    """Messages of the compiler about all kernels of the ops that the core can run."""
    features = CORES[core].features
    for each in folders:
        (into / f"{each.op.name}.op.h").write_text(bind(each), encoding="utf-8")
        text = kernel_check(each, features)
        (into / f"{each.op.name}.check.cc").write_text(text, encoding="utf-8")
    lines = [f'#include "{each.op.name}.check.cc"\n' for each in folders]
    (into / "all.cc").write_text("".join(lines) + more, encoding="utf-8")
    includes = [f"-I{path}" for path in (into, ROOT, ROOT / "ops", RUNTIMES)]
    flags = [*CORES[core].compiler_flags, *CXXFLAGS, "-g0", *includes, opt]
    command = ["arm-none-eabi-g++", *flags, "-S", "-o", os.devnull, str(into / "all.cc")]
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.parametrize(("core", "opt", "op"), [
    ("cortex-m4f", "-Og", "conv_2d"),
    ("cortex-m55", "-O0", "fully_connected"),
    ("cortex-m4f", "-O0", "fully_connected"),
])  # fmt: skip
def test_assembly_has_registers_where_little_is_optimised(
    core: str, opt: str, op: str, tmp_path: Path
) -> None:
    """Assembly compiles also at -O0, by which a project for debugging compiles packages."""
    assert problems([OPS.by_name[op]], core, tmp_path, opt=opt) == ""


@pytest.mark.slow
@pytest.mark.parametrize("core", [name for name, core in CORES.items() if "mve" in core.features])
def test_floats_are_not_vectorised(core: str) -> None:
    """Floats are not vectorised, since vectors of Helium flush subnormals to zero."""
    loop = "void f(float* x, int n) { for (int i = 0; i < n; ++i) x[i] = x[i] * x[i] - x[i]; }"
    flags = [*CORES[core].compiler_flags, KERNEL_OPT["speed"], *KERNEL_FLAGS]
    command = ["arm-none-eabi-g++", *flags, "-S", "-o", "-", "-xc++", "-"]
    found = said(command, input=loop)
    assert "vmul.f32\ts" in found
    assert "vmul.f32\tq" not in found


@pytest.mark.slow
def test_a_kernel_that_does_not_compile_is_seen(tmp_path: Path) -> None:
    more = """
template <class P>
void wrong(const P& p) {
  p.nothing();
}
template void wrong(const opsmith::relu::In<int8_t>&);
"""
    assert "nothing" in problems([OPS.by_name["relu"]], "cortex-m4f", tmp_path, more)
