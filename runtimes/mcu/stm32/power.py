"""Supplies that a fast core of the STM32 series needs."""

from collections.abc import Callable
from dataclasses import dataclass

from opsmith.board.setup import Accesses


def _nothing(steps: Accesses) -> None:
    """Add no step."""


@dataclass(frozen=True)
class Power:
    """Steps of the supply before the PLL starts, and after it runs."""

    before: Callable[[Accesses], None] = _nothing
    after: Callable[[Accesses], None] = _nothing


def _enabled(steps: Accesses) -> None:
    steps.change(steps.registers.holder("RCC", "PWREN"), PWREN=1)


def _scale(steps: Accesses) -> None:
    """Set the regulator of an F4 or F7 to its highest scale."""
    _enabled(steps)
    register = steps.registers.holder("PWR", "VOS")
    field = steps.registers.register(register).fields["VOS"]
    steps.change(register, VOS=(1 << field.bits) - 1)


def _overdrive(steps: Accesses) -> None:
    """Turn on the overdrive of an F446 or F7, once the PLL runs."""
    control, status = (steps.registers.holder("PWR", each) for each in ("ODEN", "ODRDY"))
    steps.change(control, ODEN=1)
    steps.wait(status, ODRDY=1)
    steps.change(control, ODSWEN=1)
    steps.wait(status, ODSWRDY=1)


def _boost(steps: Accesses) -> None:
    """Set an L4+ or G4 to voltage range 1, boosted."""
    _enabled(steps)
    steps.change("PWR_CR1", VOS=1)
    steps.wait("PWR_SR2", VOSF=0)
    steps.change("PWR_CR5", R1MODE=0)


def _scale_h7(steps: Accesses) -> None:
    """Set an H7 to its LDO alone, then to voltage scale 1."""
    steps.change("PWR_CR3", LDOEN=1, SCUEN=0)
    steps.wait("PWR_CSR1", ACTVOSRDY=1)
    steps.change("PWR_D3CR", VOS=3)
    steps.wait("PWR_D3CR", VOSRDY=1)


def _scale_u5(steps: Accesses) -> None:
    """Set a U5 to voltage range 1; the booster starts with the PLL."""
    _enabled(steps)
    steps.change("PWR_VOSR", VOS=3)
    steps.wait("PWR_VOSR", VOSRDY=1)


POWER = {
    "scale": Power(_scale),
    "overdrive": Power(after=_overdrive),
    "boost": Power(_boost),
    "scale_h7": Power(_scale_h7),
    "scale_u5": Power(_scale_u5),
}
