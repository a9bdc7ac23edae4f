"""Small Cortex-M programs with an invoke() of known cost, and what the plugin counts of them."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opsmith.board.cores import CORES
from opsmith.rig.count import Counter, prepare_counter
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import scons

EXIT = "movs r0, #0x18\n ldr r1, =0x20026\n bkpt 0xab\n b ."
HEAD = """
.syntax unified
.thumb
.text
.macro function name
.align 2
.global \\name
.type \\name, %function
.thumb_func
\\name:
.endm
.word 0x20001000, main
.rept 13
.word 0
.endr
.word SysTick_Handler
.weak SysTick_Handler
"""


def plugin() -> Path:
    """Path of QEMU's plugin, built as a user's first `profile` would build it."""
    model = "model=tests/models/digits_int8.tflite"
    done = scons("board=mps2_an386", model, "profile")
    assert done.returncode == 0, done.stdout + done.stderr
    return _plugin_file()


def _plugin_file() -> Path:
    return ROOT / "build" / "count_nodes-arm.so"


def program(folder: Path, text: str) -> Path:
    """ELF file of an assembly program, which begins at `main`."""
    source, elf = folder / "program.S", folder / "program.elf"
    lines = [line if line.rstrip().endswith(":") else f" {line}" for line in text.splitlines()]
    sizes = [line.split()[1] for line in lines if line.split()[:1] == ["function"]]
    source.write_text(HEAD + "\n".join(lines) + "\n.ltorg\n" + _sizes(sizes), encoding="ascii")
    flags = ["-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-Wl,-Ttext=0", "-Wl,-e,main"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "-o", elf, source], check=True)
    return elf


def _sizes(names: Sequence[str]) -> str:
    """Assembly with sizes of functions, each of which ends where the next begins."""
    ends = [*names[1:], "."]
    return "".join(f".size {n}, {e} - {n}\n" for n, e in zip(names, ends, strict=True))


def report(instances: Sequence[str | None]) -> dict[str, Any]:
    """Part of a report.json that the counter reads: the function of each node of model `m`."""
    return {"name": "m", "nodes": [{"instance": name} for name in instances]}


def count(
    elf: Path, instances: Sequence[str | None], core: str = "cortex-m4", function: str = "invoke"
) -> Counter:
    """Counter of a program after running to its end in QEMU."""
    told, order = report(instances), range(len(instances))
    counter = prepare_counter(_plugin_file(), elf, told, CORES[core], elf.parent, order, function)
    _emulate(elf, counter)
    return counter


def calls(plugin: Path, elf: Path, space: str, function: str, into: Path) -> int:
    """Instructions that the last call of a function executes, without interrupt handlers."""
    told = {"name": space, "nodes": []}
    counter = prepare_counter(plugin, elf, told, CORES["cortex-m4"], into, (), function)
    _emulate(elf, counter)
    return sum(executed for executed, _ in counter.counts())


def _emulate(elf: Path, counter: Counter) -> None:
    """Run a program to its end in QEMU, counted."""
    machine = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none"]
    quiet = ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
    command = [*machine, *quiet, *counter.options, "-kernel", str(elf)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=60)
