"""Causes of a RISC-V trap, from the registers that fault.cc prints."""

from collections.abc import Mapping

# mcause, interrupts apart (Privileged Architecture 1.11, table 3.6).
_CAUSES = {
    0: "instruction address misaligned",
    1: "instruction fetch from a forbidden or absent address",
    2: "illegal instruction",
    3: "breakpoint",
    4: "load from a misaligned address",
    5: "load from a forbidden or absent address",
    6: "store to a misaligned address",
    7: "store to a forbidden or absent address",
    8: "environment call from user mode",
    9: "environment call from supervisor mode",
    11: "environment call from machine mode",
}
_ACCESSES = (5, 7)
_INTERRUPT = 1 << 31
_GUARD = 4096  # bytes below the stack that startup.cc forbids


def causes(values: Mapping[str, int]) -> list[str]:
    """Causes that the trap registers name, the most telling first."""
    if "cause" not in values:
        return []
    cause, value, limit = values["cause"], values.get("value", 0), values.get("limit", 0)
    if cause & _INTERRUPT:
        return [f"interrupt {cause & ~_INTERRUPT}, which nothing handles"]
    text = _CAUSES.get(cause, f"exception {cause}")
    found = [f"{text}, {value:#010x}" if cause in (*_ACCESSES, 1, 4, 6) else text]
    below = cause in _ACCESSES and limit - _GUARD <= value < limit
    if below or values.get("sp", limit) < limit:
        found.insert(0, f"the stack overflowed its limit, {limit:#010x}")
    return found
