"""PLLs of the STM32 series: dividers, and the registers that hold the dividers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opsmith.board.setup import Accesses


@dataclass(frozen=True)
class Dividers:
    """Dividers of a PLL: its output is source / m * n / r."""

    m: int
    n: int
    r: int
    vco: int


@dataclass(frozen=True)
class Pll:
    """Registers and fields by which a series starts its PLL and switches to it."""

    start: Callable[[Accesses, str, Dividers], None]
    prescale: Callable[[Accesses, Mapping[str, int]], None]
    system: int  # SW and SWS of the PLL
    switch: str = "RCC_CFGR"  # the register of SW and SWS
    halves: bool = False  # the switch goes over half the frequency


def divide_pll(limits: Mapping[str, Any], source: str, hz: int, core_hz: int) -> Dividers | None:
    """Dividers that make core_hz, with the fastest input in whole Hz; None where no dividers do."""
    (least_in, most_in), (least, most) = limits["input_hz"], limits["vco_hz"]
    found = []
    for m, r, n in _candidates(limits, source, hz, core_hz):
        given = hz / m
        vco = given * n
        if least_in <= given <= most_in and least <= vco <= most and vco / r == core_hz:
            found.append(Dividers(m, n, r, int(vco)))
    return min(found, key=lambda each: (hz % each.m > 0, each.m, each.r), default=None)


def _candidates(
    limits: Mapping[str, Any], source: str, hz: int, core_hz: int
) -> Iterator[tuple[int, int, int]]:
    """Triples (m, r, n) of which n, in range, is nearest to making core_hz of hz."""
    (first, last), kind = limits["n"], limits["pll"]
    if kind == "multiply":  # HSI comes halved
        sources = [2] if source == "hsi" else [1]
    else:
        sources = list(range(limits["m"][0], limits["m"][1] + 1))
    last_dividers = {"multiply": [1], "p_of_pqr": [2, 4, 6, 8], "p_of_h7": [2, 4, 6, 8]}
    for m in sources:
        for r in last_dividers.get(kind) or limits["r"]:
            n = round(core_hz * r * m / hz)
            if first <= n <= last:
                yield m, r, n


def _start_multiply(steps: Accesses, source: str, divided: Dividers) -> None:
    """Start the PLL of an F0 or F1: HSI halved, or HSE, times PLLMUL."""
    field = "PLLMUL" if "PLLMUL" in steps.registers.register("RCC_CFGR").fields else "PLLMULL"
    wide = steps.registers.register("RCC_CFGR").fields["PLLSRC"].bits > 1
    chosen = 0 if source == "hsi" else 2 if wide else 1
    steps.change("RCC_CFGR", PLLSRC=chosen, **{field: divided.n - 2})
    _on(steps, "PLL")


def _start_p(steps: Accesses, source: str, divided: Dividers) -> None:
    """Start the PLL of an F2, F4 or F7; its output Q stays within 48 MHz."""
    q = min(-(-divided.vco // 48_000_000), 15)
    known = steps.registers.register("RCC_PLLCFGR").fields
    more = {"PLLR": 2} if "PLLR" in known else {}
    values = {"PLLM": divided.m, "PLLN": divided.n, "PLLP": divided.r // 2 - 1, "PLLQ": q}
    steps.change("RCC_PLLCFGR", PLLSRC=int(source == "hse"), **values, **more)
    _on(steps, "PLL")


def _start_r(steps: Accesses, source: str, divided: Dividers) -> None:
    """Start the PLL of an L4, L4+, G0 or G4."""
    wide = steps.registers.register("RCC_PLLCFGR").fields["PLLR"].bits > 2  # G0 counts by one
    r = divided.r - 1 if wide else divided.r // 2 - 1
    chosen = 3 if source == "hse" else 2
    steps.change("RCC_PLLCFGR", PLLSRC=chosen, PLLM=divided.m - 1, PLLN=divided.n, PLLR=r)
    steps.change("RCC_CR", PLLON=1)
    steps.change("RCC_PLLCFGR", PLLREN=1)
    steps.wait("RCC_CR", PLLRDY=1)


def _start_h7(steps: Accesses, source: str, divided: Dividers) -> None:
    """Start PLL1 of an H7, with an input of 8 to 16 MHz and the wide VCO."""
    steps.change("RCC_PLLCKSELR", PLLSRC=2 if source == "hse" else 0, DIVM1=divided.m)
    steps.change("RCC_PLLCFGR", PLL1VCOSEL=0, PLL1RGE=3, DIVP1EN=1)
    register = "RCC_PLL1DIVR"
    steps.change(register, N1=divided.n - 1, P1=divided.r - 1)
    _on(steps, "PLL1")


def _start_u5(steps: Accesses, source: str, divided: Dividers) -> None:
    """Start PLL1 of a U5; the booster has the PLL's source, undivided."""
    chosen = 3 if source == "hse" else 2
    source_hz = {"PLL1RGE": 3, "PLL1MBOOST": 0, "PLL1M": divided.m - 1}
    steps.change("RCC_PLL1CFGR", PLL1SRC=chosen, **source_hz)
    steps.change("RCC_PLL1DIVR", PLL1N=divided.n - 1, PLL1R=divided.r - 1)
    steps.change("PWR_VOSR", BOOSTEN=1)
    steps.wait("PWR_VOSR", BOOSTRDY=1)
    steps.change("RCC_CR", PLL1ON=1)
    steps.change("RCC_PLL1CFGR", PLL1REN=1)
    steps.wait("RCC_CR", PLL1RDY=1)


def _on(steps: Accesses, name: str) -> None:
    steps.change("RCC_CR", **{f"{name}ON": 1})
    steps.wait("RCC_CR", **{f"{name}RDY": 1})


def _encoded(power: int) -> int:
    """Field value of a bus prescaler that divides by 2 to this power."""
    return power + 3 if power else 0


def _prescale(steps: Accesses, buses: Mapping[str, int]) -> None:
    apb1, apb2 = (_encoded(buses[name]) for name in ("APB1", "APB2"))
    register = "RCC_CFGR2" if "RCC_CFGR1" in steps.registers else "RCC_CFGR"
    one = "PPRE" in steps.registers.register(register).fields
    steps.change(register, **({"PPRE": apb1} if one else {"PPRE1": apb1, "PPRE2": apb2}))


def _prescale_h7(steps: Accesses, buses: Mapping[str, int]) -> None:
    """Add the steps of an H7's prescalers: core / 2 for AHB, and one for each APB."""
    apb1, apb2 = (_encoded(buses[name]) for name in ("APB1", "APB2"))
    steps.change("RCC_D1CFGR", HPRE=8 if apb1 else 0, D1PPRE=apb1)
    steps.change("RCC_D2CFGR", D2PPRE1=apb1, D2PPRE2=apb2)
    steps.change("RCC_D3CFGR", D3PPRE=apb1)


PLLS = {
    "multiply": Pll(_start_multiply, _prescale, system=2),
    "p_of_pqr": Pll(_start_p, _prescale, system=2),
    "r_of_pqr": Pll(_start_r, _prescale, system=3, halves=True),
    "r_of_g0": Pll(_start_r, _prescale, system=2),
    "p_of_h7": Pll(_start_h7, _prescale_h7, system=3),
    "r_of_u5": Pll(_start_u5, _prescale, system=3, switch="RCC_CFGR1"),
}
