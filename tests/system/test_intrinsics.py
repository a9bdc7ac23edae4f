"""Kernels for the DSP extension and Helium are instructions, not calls that copy four bytes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from toolchain.board.cores import CORES, Core
from toolchain.contract.bind import bind
from toolchain.contract.check_kernels import COPIES
from toolchain.contract.kernel_check import kernel_check
from toolchain.op.discover import OpFolder
from toolchain.op.kernel import Kernel
from toolchain.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT
from toolchain.testing.known_ops import loaded

pytestmark = pytest.mark.system
ROOT = Path(__file__).resolve().parents[2]
# One for each set of instructions that kernels are written for.
MACHINES = (CORES["cortex-m4f"], CORES["cortex-m55"])
INSTRUCTIONS = {"dsp", "mve"}


@cache
def folders() -> dict[str, OpFolder]:
    return {path.parent.name: loaded(path.parent) for path in sorted(ROOT.glob("ops/*/op.py"))}


def kernels_of(folder: OpFolder) -> Iterator[Kernel]:
    """The kernels of all variants."""
    for op in folder.typed.values():
        yield from (replace(kernel, folder=op.variant.folder) for kernel in op.kernels)


def cases() -> list[tuple[str, str, Core]]:
    """Op, kernel and core of each that requires instructions and nothing that we have not."""
    found = {
        (name, kernel.path, core.name): (name, kernel.path, core)
        for name, folder in folders().items()
        for kernel in kernels_of(folder)
        for core in MACHINES
        if set(kernel.requires) & INSTRUCTIONS and set(kernel.requires) <= core.features
    }
    return list(found.values())


def copying_calls(
    folder: OpFolder, path: str, core: Core, opt: str, into: Path, more: Sequence[str] = ()
) -> set[str]:
    """The calls to memcpy and its kin in the object of these kernels, all instances of them."""
    variants = tuple(
        replace(each, kernels=tuple(kernel for kernel in each.kernels if kernel.path == path))
        for each in folder.op.variants
    )
    alone = replace(folder, op=replace(folder.op, variants=variants))
    name = folder.op.name
    (into / f"{name}.op.h").write_text(bind(folder), encoding="utf-8")
    text, made = into / "check.cc", into / "check.o"
    text.write_text(kernel_check(alone, core.features), encoding="utf-8")
    includes = [f"-I{path}" for path in (into, ROOT, folder.folder.parent)]
    flags: list[str] = [*core.flags, *CXXFLAGS, KERNEL_OPT[opt], *KERNEL_FLAGS, *includes, *more]
    subprocess.run(["arm-none-eabi-g++", *flags, "-c", str(text), "-o", str(made)], check=True)
    command = ["arm-none-eabi-nm", "-u", str(made)]
    symbols = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return set(symbols) & {*COPIES, *(f"__aeabi_{name}{n}" for name in COPIES for n in ("", 4, 8))}


@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize(
    ("op", "path", "core"), cases(), ids=lambda value: getattr(value, "name", value)
)
def test_fast_kernels_call_what_they_declare(
    op: str, path: str, core: Core, opt: str, tmp_path: Path
) -> None:
    folder = folders()[op]
    declared = {n for kernel in kernels_of(folder) if kernel.path == path for n in kernel.copies}
    calls = copying_calls(folder, path, core, opt, tmp_path)
    assert calls <= declared, (
        f"ops/{op}/{path} for {core.name}, opt={opt}, calls {', '.join(calls - declared)}: "
        "a load that should be one instruction was lost; whole rows are declared by copies="
    )


def dsp_of_conv_2d() -> tuple[str, str, Core]:
    """A case that loads words."""
    return next(
        (op, path, core)
        for op, path, core in cases()
        if op == "conv_2d" and path.endswith("dsp") and core.name == "cortex-m4f"
    )


def test_a_lost_intrinsic_is_seen(tmp_path: Path) -> None:
    op, path, core = dsp_of_conv_2d()
    given = (folders()[op], path, core, "balanced", tmp_path)
    assert "memcpy" in copying_calls(*given, more=["-fno-builtin"])
