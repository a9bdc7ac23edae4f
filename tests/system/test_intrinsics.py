"""Kernels for the DSP extension and Helium are instructions, not calls that copy four bytes."""

import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.cores import CORES, Core
from opsmith.contract.bind import bind
from opsmith.contract.check_kernels import COPIES
from opsmith.contract.kernel_check import kernel_check
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel
from opsmith.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT
from opsmith.testing.known_ops import loaded
from tests.commands import said

pytestmark = pytest.mark.system
ROOT = Path(__file__).resolve().parents[2]
# One for each set of instructions that kernels are written for.
MACHINES = (CORES["cortex-m4f"], CORES["cortex-m55"])
INSTRUCTIONS = {"dsp", "mve"}
OPTS = ("balanced", "size", "speed")


PARTS = 8  # of the ops, each of which is built at once
NAMES = sorted(path.parent.name for path in ROOT.glob("ops/*/op.py"))


def folder_of(name: str) -> OpFolder:
    """A shipped op."""
    return loaded(ROOT / "ops" / name)


def kernels_of(folder: OpFolder) -> Iterator[Kernel]:
    """Kernels of all variants of an op."""
    for variant in folder.op.variants:
        yield from variant.kernels


def declared(folder: OpFolder, paths: Collection[str]) -> frozenset[str]:
    """Functions for copying that the kernels at `paths` declare to call."""
    kernels = (kernel for kernel in kernels_of(folder) if kernel.path in paths)
    return frozenset(name for kernel in kernels for name in kernel.copies)


def cases(core: Core, part: int) -> dict[frozenset[str], list[tuple[str, str]]]:
    """Op and path of kernels of a part of the ops that require instructions of a core but no
    library, by the functions that the kernels declare to call.
    """
    found: dict[frozenset[str], list[tuple[str, str]]] = {}
    for name in NAMES[part::PARTS]:
        folder = folder_of(name)
        for kernel in kernels_of(folder):
            if set(kernel.requires) & INSTRUCTIONS and set(kernel.requires) <= core.features:
                same = declared(folder, [kernel.path])
                found.setdefault(same, []).append((name, kernel.path))
    return {key: [*dict.fromkeys(of_key)] for key, of_key in found.items()}


def builds(every: bool) -> list[tuple[Core, str, int]]:
    """Core, opt and which part of the ops: each part at every opt on each core, or two parts on
    each core. At -O3 assembly with many operands, as Helium's kernels have,
    may be left without registers.
    """
    m4f, m55 = MACHINES
    if every:
        return [(core, opt, part) for core in MACHINES for opt in OPTS for part in range(PARTS)]
    return [(core, opt, part) for core, opt, first in ((m4f, "balanced", 0), (m55, "speed", 1))
            for part in range(first, PARTS, 2)]  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by builds; with --examples=2, every op is built for every core at every opt."""
    if "opt" in metafunc.fixturenames:
        cells = builds(metafunc.config.getoption("--examples") > 1)
        names = [f"{core.name}-{opt}-{part}" for core, opt, part in cells]
        metafunc.parametrize(("core", "opt", "part"), cells, ids=names)


def copying_calls(
    kernels: Collection[tuple[str, str]], core: Core, opt: str, into: Path, more: Sequence[str] = ()
) -> set[str]:
    """Calls to memcpy and its kin in the object of all instances of the given kernels."""
    text, made = into / "check.cc", into / "check.o"
    by_op: dict[str, set[str]] = {}
    for op, path in kernels:
        by_op.setdefault(op, set()).add(path)
    for name, paths in by_op.items():
        (into / f"{name}.op.h").write_text(bind(folder_of(name)), encoding="utf-8")
        (into / f"{name}.check.cc").write_text(checked(name, paths, core), encoding="utf-8")
    lines = [f'#include "{name}.check.cc"\n' for name in by_op]
    text.write_text("".join(lines), encoding="utf-8")
    includes = [f"-I{path}" for path in (into, ROOT, ROOT / "ops")]
    flags: list[str] = [*core.compiler_flags, *CXXFLAGS, "-g0", KERNEL_OPT[opt], *KERNEL_FLAGS]
    flags += [*includes, *more]
    subprocess.run(["arm-none-eabi-g++", *flags, "-c", str(text), "-o", str(made)], check=True)
    command = ["arm-none-eabi-nm", "-u", str(made)]
    symbols = said(command).split()
    return set(symbols) & {*COPIES, *(f"__aeabi_{name}{n}" for name in COPIES for n in ("", 4, 8))}


def checked(name: str, paths: Collection[str], core: Core) -> str:
    """C++ that instantiates the given kernels of an op."""
    folder = folder_of(name)
    variants = tuple(
        replace(each, kernels=tuple(kernel for kernel in each.kernels if kernel.path in paths))
        for each in folder.op.variants
    )
    return kernel_check(folder.changed(replace(folder.op, variants=variants)), core.features)


@pytest.mark.few(1)
def test_fast_kernels_call_what_they_declare(
    core: Core, opt: str, part: int, tmp_path: Path
) -> None:
    """Fast kernels call what they declare. Kernels with equal declarations share an object; each is
    compiled alone where the object calls more, as GCC then inlines less.
    """
    for allowed, kernels in cases(core, part).items():
        if copying_calls(kernels, core, opt, tmp_path) <= allowed:
            continue
        for op, path in kernels:
            calls = copying_calls([(op, path)], core, opt, tmp_path) - allowed
            assert not calls, (
                f"ops/{op}/{path} for {core.name}, opt={opt}, calls {', '.join(calls)}: a load "
                "that should be one instruction was lost; whole rows are declared by copies="
            )


def test_a_lost_intrinsic_is_seen(tmp_path: Path) -> None:
    given = ([("conv_2d", "i8/dsp")], CORES["cortex-m4f"], "balanced", tmp_path)
    assert "memcpy" in copying_calls(*given, more=["-fno-builtin"])
