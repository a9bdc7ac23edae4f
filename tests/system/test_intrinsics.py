"""Rows for the DSP extension and Helium are instructions, not calls that copy four bytes."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from toolchain.board.cores import CORES, Core
from toolchain.op.bind import bind
from toolchain.op.check_kernels import COPIES
from toolchain.op.discover import OpFolder, load_op
from toolchain.op.kernel_check import kernel_check
from toolchain.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT

pytestmark = pytest.mark.system
ROOT = Path(__file__).resolve().parents[2]
# One for each set of instructions that kernels are written for.
MACHINES = (CORES["cortex-m4f"], CORES["cortex-m55"])
INSTRUCTIONS = {"dsp", "mve"}


@cache
def folders() -> dict[str, OpFolder]:
    return {path.parent.name: load_op(path.parent) for path in sorted(ROOT.glob("ops/*/op.py"))}


def rows() -> list[tuple[str, str, Core]]:
    """Op, file and core of each row that requires instructions and nothing that we have not."""
    found = {
        (name, kernel.source, core.name): (name, kernel.source, core)
        for name, folder in folders().items()
        for kernel in folder.op.kernels
        for core in MACHINES
        if set(kernel.requires) & INSTRUCTIONS and set(kernel.requires) <= core.features
    }
    return list(found.values())


def copying_calls(
    folder: OpFolder, source: str, core: Core, opt: str, into: Path, more: Sequence[str] = ()
) -> set[str]:
    """The calls to memcpy and its kin in the object of these rows, all instances of them."""
    kernels = tuple(kernel for kernel in folder.op.kernels if kernel.source == source)
    alone = dataclasses.replace(folder, op=dataclasses.replace(folder.op, kernels=kernels))
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
    ("op", "source", "core"), rows(), ids=lambda value: getattr(value, "name", value)
)
def test_fast_rows_call_what_they_declare(
    op: str, source: str, core: Core, opt: str, tmp_path: Path
) -> None:
    folder = folders()[op]
    declared = {name for row in folder.op.kernels if row.source == source for name in row.copies}
    calls = copying_calls(folder, source, core, opt, tmp_path)
    assert calls <= declared, (
        f"ops/{op}/{source} for {core.name}, opt={opt}, calls {', '.join(calls - declared)}: "
        "a load that should be one instruction was lost; whole rows are declared by copies="
    )


def test_there_are_rows_to_look_at() -> None:
    assert ("conv_2d", "dsp.h", "cortex-m4f") in [(o, s, c.name) for o, s, c in rows()]


def test_a_lost_intrinsic_is_seen(tmp_path: Path) -> None:
    rows = (folders()["conv_2d"], "dsp.h", CORES["cortex-m4f"], "balanced", tmp_path)
    assert "memcpy" in copying_calls(*rows, more=["-fno-builtin"])
