"""Clock tree of an STM32, from its oscillator through the PLL to core and buses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opsmith.board.setup import Accesses, Mcu
from runtimes.mcu.stm32.plls import PLLS, divide_pll
from runtimes.mcu.stm32.power import POWER

SOURCES = ("hsi", "hse")
_HALVING = 80_000_000  # above it the switch to the PLL goes over half the frequency
_MOST_HZ = 1_000_000_000


@dataclass
class ClockTree:
    """Frequencies of core and buses, and the steps that set them."""

    steps: Accesses
    undo: Accesses
    core_hz: int
    reset_hz: int
    buses: Mapping[str, int]  # "APB1" -> Hz

    def bus_hz(self, register: str) -> int:
        """Frequency of the bus whose peripherals a register of RCC enables."""
        name = register.removeprefix("RCC_")
        if name.startswith("APBENR"):  # G0, which has one bus
            return self.buses["APB1"]
        return self.buses[name[:4]]


def clock_of(asked: Mcu, limits: Mapping[str, Any]) -> ClockTree | None:
    """Clock that `clock` of board.toml asks for; None after noting problems."""
    table = asked.clock
    source = table.choice("source", SOURCES)
    bypass = table.flag("bypass") if source == "hse" else False
    source_hz = limits["hsi_hz"]
    if source == "hse":
        source_hz = table.number("hse_hz", *limits["hse_hz"])
    core_hz = table.number("core_hz", 1, _MOST_HZ)
    if core_hz > limits["core_hz"]:
        fix = f"write {limits['core_hz']} or less"
        asked.refuse("BRD022", f"'clock.core_hz' is {core_hz}, and {asked.part} has less", fix)
        return None
    if source is None or core_hz < 2:
        return None
    return _clock(asked, limits, source, bypass, source_hz, core_hz)


def _clock(
    asked: Mcu, limits: Mapping[str, Any], source: str, bypass: bool, source_hz: int, core_hz: int
) -> ClockTree | None:
    registers = asked.registers
    steps, undo = Accesses(registers), Accesses(registers)
    divided = divide_pll(limits, source, source_hz, core_hz)
    if divided is None:
        what = f"'clock.core_hz' is {core_hz}, which no divider makes of {source_hz} Hz"
        asked.refuse("BRD022", what, "write a frequency that the PLL can make")
        return None
    for name, above in limits.get("power", {}).items():
        if core_hz > above:
            POWER[name].before(steps)
    _start_oscillator(steps, source, bypass)
    pll = PLLS[limits["pll"]]
    pll.start(steps, source, divided)
    for name, above in limits.get("power", {}).items():
        if core_hz > above:
            POWER[name].after(steps)
    bus_hz = core_hz // 2 if limits["pll"] == "p_of_h7" else core_hz
    _slow_flash_down(steps, limits, bus_hz)
    buses = _buses(bus_hz, limits["apb_hz"])
    pll.prescale(steps, buses)
    halved = core_hz > _HALVING and pll.halves
    if halved:
        steps.change(pll.switch, HPRE=8)
    steps.change(pll.switch, SW=pll.system)
    steps.wait(pll.switch, SWS=pll.system)
    if halved:
        steps.pause(core_hz // 1_000_000)
        steps.change(pll.switch, HPRE=0)
    undo.change(pll.switch, SW=0)
    pll.prescale(undo, dict.fromkeys(buses, 0))
    if "ICACHE_CR" in registers:
        steps.change("ICACHE_CR", EN=1)
    frequencies = {name: bus_hz >> power for name, power in buses.items()}
    reset_hz = limits.get("reset_hz", limits["hsi_hz"])
    return ClockTree(
        steps, undo, core_hz, reset_hz, {**frequencies, "APB3": bus_hz, "APB4": bus_hz}
    )


def _start_oscillator(steps: Accesses, source: str, bypass: bool) -> None:
    name = source.upper()
    if bypass:
        steps.change("RCC_CR", HSEBYP=1)
    steps.change("RCC_CR", **{f"{name}ON": 1})
    steps.wait("RCC_CR", **{f"{name}RDY": 1})


def _slow_flash_down(steps: Accesses, limits: Mapping[str, Any], bus_hz: int) -> None:
    """Add the steps of flash's wait states, which must be in effect before the core is faster."""
    known = steps.registers.register("FLASH_ACR").fields
    if "LATENCY" not in known:
        return
    states = (bus_hz - 1) // limits["wait_hz"]
    extra = {"WRHIGHFREQ": 2} if "WRHIGHFREQ" in known else {}
    steps.change("FLASH_ACR", LATENCY=states, **extra, **dict.fromkeys(limits["flash"], 1))
    steps.wait("FLASH_ACR", LATENCY=states)


def _buses(bus_hz: int, most: list[int]) -> dict[str, int]:
    """Exponents of two by which the frequency is divided for both peripheral buses."""
    powers = ((next(n for n in range(5) if bus_hz >> n <= each)) for each in most)
    return dict(zip(("APB1", "APB2"), powers, strict=True))
