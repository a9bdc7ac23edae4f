"""Causes of a Cortex-M fault, from the registers that fault.cc prints."""

from collections.abc import Mapping

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
_GUARD = 4096  # bytes below the stack that startup.cc forbids


def causes(values: Mapping[str, int]) -> list[str]:
    """Causes in fault registers, the most telling first; none for Armv6-M, which has none."""
    cfsr, limit = values.get("cfsr", 0), values.get("limit", 0)
    found = [text for bit, text in _CAUSES.items() if cfsr >> bit & 1]
    touched = [values.get("mmfar", 0)] if cfsr >> 7 & 1 else []
    touched += [values.get("bfar", 0)] if cfsr >> 15 & 1 else []
    below = any(limit - _GUARD <= address < limit for address in touched)
    if below or values.get("sp", limit) < limit:
        found.insert(0, f"the stack overflowed its limit, {limit:#010x}")
    return found
