"""Cores: what a CPU implies, said once: the compiler, its flags and what kernels may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Core:
    """One CPU as the compiler and the kernel selection see it."""

    name: str
    toolchain: str  # "arm-none-eabi" or "native"
    flags: tuple[str, ...]  # for compiling and linking alike
    features: frozenset[str]  # "thumb", "thumb2", "dsp", "fpu" (single precision), "fpu64", "mve"
    timings: str = ""  # the core whose published timings rig/plugin/ models for it, if any

    @property
    def native(self) -> bool:
        """True for the machine that compiles."""
        return self.toolchain == "native"


# Of these Arm publishes what each instruction takes.
TIMINGS = ("cortex-m3", "cortex-m4")


def _arm(name: str, cpu: str, fpu: str | None, *features: str) -> Core:
    """The row of one Cortex-M; fpu is GCC's -mfpu, "auto" where -mcpu says it, None for none."""
    floats = ("-mfloat-abi=soft",) if fpu is None else ("-mfloat-abi=hard", f"-mfpu={fpu}")
    flags = (f"-mcpu={cpu}", "-mthumb", *floats)
    timings = cpu if cpu in TIMINGS else ""
    thumb = {"thumb", "thumb2"}
    if cpu.startswith("cortex-m0"):
        thumb = {"thumb"}
        flags = (*flags, "-masm-syntax-unified")  # GCC 12 has another one for Armv6-M alone
    return Core(name, "arm-none-eabi", flags, frozenset({*features, *thumb}), timings)


# What `core = "…"` in a board.toml may say. GCC is 12.2.
CORES: dict[str, Core] = {
    core.name: core
    for core in (
        Core("host", "native", (), frozenset()),
        _arm("cortex-m0", "cortex-m0", None),
        _arm("cortex-m0plus", "cortex-m0plus", None),
        _arm("cortex-m3", "cortex-m3", None),
        _arm("cortex-m4", "cortex-m4", None, "dsp"),
        _arm("cortex-m4f", "cortex-m4", "fpv4-sp-d16", "dsp", "fpu"),
        _arm("cortex-m7", "cortex-m7", None, "dsp"),
        _arm("cortex-m7f", "cortex-m7", "fpv5-sp-d16", "dsp", "fpu"),
        _arm("cortex-m7d", "cortex-m7", "fpv5-d16", "dsp", "fpu", "fpu64"),
        _arm("cortex-m33", "cortex-m33+nodsp", None),
        _arm("cortex-m33f", "cortex-m33", "fpv5-sp-d16", "dsp", "fpu"),
        _arm("cortex-m55", "cortex-m55", "auto", "dsp", "fpu", "fpu64", "mve"),
        # This GCC has no -mcpu for it. It executes all that the Cortex-M55 does.
        _arm("cortex-m85", "cortex-m55", "auto", "dsp", "fpu", "fpu64", "mve"),
    )
}
# What kernels may ask for: whatever one of the cores has.
FEATURES = frozenset[str]().union(*(core.features for core in CORES.values()))
