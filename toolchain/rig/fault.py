"""Reads the fault dump that runtimes/mcu/cortex_m/fault.cc prints, and says what it means."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping

from toolchain.rig.channel import Ended
from toolchain.rig.child import finished
from toolchain.rig.text import told

BEGIN = b"!fault"
END = b"!end"
_LONGEST = 2000  # bytes of a dump

# Bits of CFSR (DDI0403 B3.2.15, DDI0553 D1.2.27).
_CAUSES = {
    0: "instruction fetch from a forbidden address",
    1: "data access to a forbidden address",
    3: "memory fault while leaving an exception",
    4: "memory fault while entering an exception: the stack pointer is bad",
    5: "memory fault while saving FPU registers",
    8: "bus fault on an instruction fetch",
    9: "bus fault on a data access, at BFAR",
    10: "bus fault on an earlier data access",
    11: "bus fault while leaving an exception",
    12: "bus fault while entering an exception: the stack overflowed or its pointer is bad",
    13: "bus fault while saving FPU registers",
    16: "undefined instruction",
    17: "jump to an address that is no Thumb code",
    18: "bad exception return",
    19: "no coprocessor: an FPU or Helium instruction while they are off or absent",
    20: "stack overflow",
    24: "unaligned access",
    25: "division by zero",
}


def explain(text: bytes, elf: str | None) -> str:
    """The dump as printed, then its causes and, with elf, the functions of PC and LR."""
    raw = text[text.rindex(BEGIN) :].partition(END)[0]
    dump = told(raw[:_LONGEST].decode("ascii", "backslashreplace"), _LONGEST)
    lines = [f"    {line.lstrip('!').strip()}" for line in dump.splitlines() if line.strip("! ")]
    found = re.findall(r"\b(\w{1,16})=([0-9a-f]{8})", dump)
    values = {name: int(value, 16) for name, value in found}
    lines += [f"    cause: {cause}" for cause in _causes(values)]
    for name in ("pc", "lr"):
        place = _place(values[name], elf) if elf and name in values else ""
        if place:
            lines.append(f"    {name} is in {place}")
    return "\n".join(lines)


def _causes(values: Mapping[str, int]) -> list[str]:
    cfsr, limit = values.get("cfsr", 0), values.get("limit", 0)
    causes = [text for bit, text in _CAUSES.items() if cfsr >> bit & 1]
    touched = [values.get("mmfar", 0)] if cfsr >> 7 & 1 else []
    touched += [values.get("bfar", 0)] if cfsr >> 15 & 1 else []
    below = any(limit - 4096 <= address < limit for address in touched)
    if below or values.get("sp", limit) < limit:
        causes.insert(0, f"the stack overflowed its limit, {limit:#010x}")
    return causes


def _place(address: int, elf: str | None) -> str:
    """ "function at file:line", or "" where that cannot be told."""
    program = shutil.which("arm-none-eabi-addr2line")
    if not program or not elf:
        return ""
    command = [program, "-f", "-C", "-s", "-e", elf, hex(address & ~1)]
    try:
        said = finished(command, seconds=10, stderr=subprocess.DEVNULL).said
    except Ended:
        return ""
    function, _, line = said.partition("\n")
    return "" if function in ("", "??") else f"{function} at {line}"
