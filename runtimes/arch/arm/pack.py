"""Core of a <processor> of a CMSIS-Pack, by its attributes."""

from collections.abc import Mapping

_FPU = ("FPU", "SP_FPU", "DP_FPU", "1")
_PLAIN = ("Cortex-M0", "Cortex-M0+", "Cortex-M3", "Cortex-M23")


def core(stated: Mapping[str, str]) -> str | None:
    """Name of the core with most features that the attributes state; None where none fits."""
    named, fpu = stated.get("Dcore", ""), stated.get("Dfpu", "")
    plain = named.lower().replace("+", "plus")
    if named in _PLAIN:
        return plain
    if named == "Cortex-M4":
        return f"{plain}f" if fpu in _FPU else plain
    if named == "Cortex-M7":
        return f"{plain}d" if fpu == "DP_FPU" else f"{plain}f" if fpu in _FPU else plain
    if named == "Cortex-M33":
        return f"{plain}f" if fpu in _FPU and stated.get("Ddsp") == "DSP" else plain
    if named in ("Cortex-M55", "Cortex-M85"):
        return plain if fpu in _FPU and stated.get("Dmve") == "FP_MVE" else None
    return None
