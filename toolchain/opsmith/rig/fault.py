"""Fault dumps, which an architecture's startup code prints: reading and explanation."""

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from opsmith.board.architecture import Architecture
from opsmith.child import Ended, finished
from opsmith.errors import described
from opsmith.modules import load_function
from opsmith.text import escaped, excerpt

_BEGIN = re.compile(rb"^!fault\s(?=[^\n]*=[0-9a-f]{8})", re.MULTILINE)  # and a register
END = b"!end"
_LONGEST = 2000  # bytes of a dump
LOCKUP = "Lockup"  # of QEMU's message: the handler of a fault has a fault
LOCKUP_FIX = "correct memory.ram of board.toml, where the stack must be; or run it under a debugger"
Causes = Callable[[Mapping[str, int]], list[str]]


def last_dump(text: bytes) -> bytes:
    """Output from its last fault dump on; b"" without a dump."""
    starts = [found.start() for found in _BEGIN.finditer(text)]
    return text[starts[-1] :] if starts else b""


def _unknown(values: Mapping[str, int]) -> list[str]:
    """Return no lines: the decoder of architectures without fault.py."""
    return []


@dataclass(frozen=True)
class Decoder:
    """Decoder of the fault dumps of a firmware; by default it repeats them."""

    causes: Causes = _unknown  # causes of faults, by values of registers
    code: tuple[str, ...] = ()  # registers that have addresses of code
    addr2line: str = ""  # program that finds names of functions
    elf: str = ""

    def explain(self, text: bytes) -> str:
        """The dump as printed, then its causes and the functions to which registers point."""
        raw = last_dump(text).partition(END)[0]
        dump = excerpt(raw[:_LONGEST].decode("ascii", "backslashreplace"), _LONGEST)
        printed = (line for line in dump.splitlines() if line.strip("! "))
        lines = [f"    {line.lstrip('!').strip()}" for line in printed]
        found = re.findall(r"\b(\w{1,16})=([0-9a-f]{8})", dump)
        values = {name: int(value, 16) for name, value in found}
        lines += [f"    cause: {cause}" for cause in self._causes(values)]
        for name in self.code:
            place = self._place(values[name]) if name in values else ""
            if place:
                lines.append(f"    {name} is in {place}")
        return "\n".join(lines)

    def _causes(self, values: Mapping[str, int]) -> list[str]:
        try:
            return [escaped(cause) for cause in self.causes(values)]
        except Exception as error:  # any error of a decoder: the fault must be reported
            return [f"unknown, since the architecture's fault.py fails: {described(error)}"]

    def _place(self, address: int) -> str:
        """Return "function at file:line", or "" where it is unknown."""
        program = shutil.which(self.addr2line)
        if not program or not self.elf:
            return ""
        command = [program, "-f", "-C", "-s", "-e", self.elf, hex(address & ~1)]
        try:
            said = finished(command, seconds=10, stderr=subprocess.DEVNULL).said
        except Ended:
            return ""
        function, _, line = said.partition("\n")
        return "" if function in ("", "??") else f"{function} at {line}"


def decoder_of(architecture: Architecture, elf: str = "") -> Decoder:
    """Decoder for fault dumps of an architecture's firmware.

    Raises BRD018 where the architecture's module does not load.
    """
    causes = _unknown
    if architecture.decoder.is_file():
        causes = load_function(architecture.decoder, "causes", "BRD018")
    return Decoder(causes, architecture.code, f"{architecture.tools}addr2line", elf)
