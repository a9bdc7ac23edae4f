"""Kernels for the DSP extension and Helium are instructions, not calls that copy four bytes."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
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

pytestmark = pytest.mark.system
ROOT = Path(__file__).resolve().parents[2]
# One for each set of instructions that kernels are written for.
MACHINES = (CORES["cortex-m4f"], CORES["cortex-m55"])
INSTRUCTIONS = {"dsp", "mve"}
OPTS = ("balanced", "size")


@cache
def folders() -> dict[str, OpFolder]:
    return {path.parent.name: loaded(path.parent) for path in sorted(ROOT.glob("ops/*/op.py"))}


def kernels_of(folder: OpFolder) -> Iterator[Kernel]:
    """The kernels of all variants."""
    for variant in folder.op.variants:
        yield from variant.kernels


def declared(folder: OpFolder, paths: Collection[str]) -> frozenset[str]:
    """What these kernels say that they call, to copy."""
    kernels = (kernel for kernel in kernels_of(folder) if kernel.path in paths)
    return frozenset(name for kernel in kernels for name in kernel.copies)


@cache
def cases() -> list[tuple[str, tuple[str, ...], Core]]:
    """Op, kernels and core of those that require instructions and nothing that we have not; those
    of one case declare the same calls.
    """
    found: dict[tuple[str, frozenset[str], str], list[str]] = {}
    for name, folder in folders().items():
        for kernel in kernels_of(folder):
            for core in MACHINES:
                if set(kernel.requires) & INSTRUCTIONS and set(kernel.requires) <= core.features:
                    same = (name, declared(folder, [kernel.path]), core.name)
                    found.setdefault(same, []).append(kernel.path)
    return [(op, tuple(dict.fromkeys(p)), CORES[core]) for (op, _, core), p in found.items()]


def builds(every: bool) -> list[tuple[str, Core, str]]:
    """Op, core and opt: every one, or for an op with kernels for both cores one opt on each core,
    the other one for the next op. What needs only the DSP extension is compiled for both.
    """
    found: dict[str, list[Core]] = {}
    for op, _, core in cases():
        found.setdefault(op, []).append(core)
    made = []
    for number, (op, cores) in enumerate(sorted(found.items())):
        cores = list(dict.fromkeys(cores))
        for place, core in enumerate(cores):
            both = every or len(cores) == 1
            opts = OPTS if both else (OPTS[(number + place) % 2],)
            made += [(op, core, opt) for opt in opts]
    return made


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --examples=2, every op is compiled for every core at every opt."""
    if "opt" in metafunc.fixturenames:
        cells = builds(metafunc.config.getoption("--examples") > 1)
        names = [f"{op}-{core.name}-{opt}" for op, core, opt in cells]
        metafunc.parametrize(("op", "core", "opt"), cells, ids=names)


def copying_calls(
    folder: OpFolder,
    paths: Collection[str],
    core: Core,
    opt: str,
    into: Path,
    more: Sequence[str] = (),
) -> set[str]:
    """The calls to memcpy and its kin in the object of these kernels, all instances of them."""
    variants = tuple(
        replace(each, kernels=tuple(kernel for kernel in each.kernels if kernel.path in paths))
        for each in folder.op.variants
    )
    alone = folder.changed(replace(folder.op, variants=variants))
    name = folder.op.name
    (into / f"{name}.op.h").write_text(bind(folder), encoding="utf-8")
    text, made = into / "check.cc", into / "check.o"
    text.write_text(kernel_check(alone, core.features), encoding="utf-8")
    includes = [f"-I{path}" for path in (into, ROOT, folder.folder.parent)]
    flags: list[str] = [
        *core.compiler_flags,
        *CXXFLAGS,
        "-g0",
        KERNEL_OPT[opt],
        *KERNEL_FLAGS,
    ]
    flags += [*includes, *more]
    subprocess.run(["arm-none-eabi-g++", *flags, "-c", str(text), "-o", str(made)], check=True)
    command = ["arm-none-eabi-nm", "-u", str(made)]
    symbols = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return set(symbols) & {*COPIES, *(f"__aeabi_{name}{n}" for name in COPIES for n in ("", 4, 8))}


def test_fast_kernels_call_what_they_declare(op: str, core: Core, opt: str, tmp_path: Path) -> None:
    """In one object those that declare the same; each alone where that one calls more: GCC inlines
    less where there are several.
    """
    folder = folders()[op]
    for paths in (paths for name, paths, machine in cases() if (name, machine) == (op, core)):
        allowed = declared(folder, paths)
        if copying_calls(folder, paths, core, opt, tmp_path) <= allowed:
            continue
        for path in paths:
            calls = copying_calls(folder, [path], core, opt, tmp_path) - allowed
            assert not calls, (
                f"ops/{op}/{path} for {core.name}, opt={opt}, calls {', '.join(calls)}: a load "
                "that should be one instruction was lost; whole rows are declared by copies="
            )


def test_a_lost_intrinsic_is_seen(tmp_path: Path) -> None:
    given = (folders()["conv_2d"], ["i8/dsp"], CORES["cortex-m4f"], "balanced", tmp_path)
    assert "memcpy" in copying_calls(*given, more=["-fno-builtin"])
