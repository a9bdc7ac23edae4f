"""Clocks and baud rate of an STM32, computed from what its registers hold."""

from collections.abc import Mapping
from typing import Any

from opsmith.board.registers import Registers
from tests.unit.board.trace import Traced

HSI_HZ = {"stm32f072": 8_000_000, "stm32f100": 8_000_000, "stm32f103": 8_000_000}
HSI_HZ["stm32h743"] = 64_000_000  # 16 MHz elsewhere
RESET_HZ = {"stm32l475": 4_000_000, "stm32l4r5": 4_000_000, "stm32u575": 4_000_000}  # MSI


class Clocks:
    """Frequencies that the registers of a part make."""

    def __init__(self, board: Mapping[str, Any], registers: Registers, traced: Traced):
        self.part, self.clock = board["part"], board["clock"]
        self.registers, self.traced = registers, traced

    def get(self, register: str, field: str) -> int:
        """Value of a field of a register."""
        return self.traced.field(self.registers.register(register), field)

    def has(self, register: str, field: str = "") -> bool:
        """Whether the part has a register, and a field of it."""
        return register in self.registers and (
            not field or field in self.registers.register(register).fields
        )

    def core_hz(self) -> float:
        """Frequency of the core in Hz."""
        hsi = HSI_HZ.get(self.part, 16_000_000)
        switch = "RCC_CFGR1" if self.has("RCC_CFGR1") else "RCC_CFGR"
        system = self.get(switch, "SW")
        if system == 0:
            return RESET_HZ.get(self.part, hsi)
        if self.has("RCC_PLL1CFGR"):
            assert system == 3
            return self._u5(hsi)
        if self.has("RCC_PLLCKSELR"):
            assert system == 3
            return self._h7(hsi)
        if self.has("RCC_PLLCFGR", "PLLREN"):
            assert system == (2 if self.part.startswith("stm32g0") else 3)
            return self._r(hsi)
        assert system == 2
        return self._p(hsi) if self.has("RCC_PLLCFGR") else self._multiplied(hsi)

    def bus_hz(self, uart: str) -> float:
        """Frequency of the bus of a UART in Hz."""
        core, name = self.core_hz(), self.registers.holder("RCC", f"{uart}EN")
        if self.has("RCC_D2CFGR"):
            core /= _ahb(self.get("RCC_D1CFGR", "D1CPRE")) * _ahb(self.get("RCC_D1CFGR", "HPRE"))
            return core / _apb(self.get("RCC_D2CFGR", f"D2PPRE{name[7]}"))
        register = "RCC_CFGR2" if self.has("RCC_CFGR1") else "RCC_CFGR"
        assert self.get(register, "HPRE") == 0
        one = self.has(register, "PPRE")
        return core / _apb(self.get(register, "PPRE" if one else f"PPRE{name[7]}"))

    def baud(self, uart: str) -> float:
        """The baud rate of a UART, whose clock must be on."""
        assert self.get(self.registers.holder("RCC", f"{uart}EN"), f"{uart}EN") == 1
        if self.registers.has_field("RCC", f"{uart}SEL"):
            assert self.get(self.registers.holder("RCC", f"{uart}SEL"), f"{uart}SEL") == 0
        divider = self.traced.bits(self.registers.register(f"{uart}_BRR").address, 0, 20)
        assert self.get(f"{uart}_CR1", "UE") == self.get(f"{uart}_CR1", "TE") == 1
        assert self.get(f"{uart}_CR1", "RE") == 1
        return self.bus_hz(uart) * (256 if uart.startswith("LPUART") else 1) / divider

    def function(self, pin: str) -> int:
        """The alternate function of a pin, -1 where it has another mode."""
        port, bit = f"GPIO{pin[1]}", int(pin[2:])
        if self.has(f"{port}_CRL"):
            low = self.registers.register(f"{port}_{'CRL' if bit < 8 else 'CRH'}")
            return {0xB: 0, 0x8: 0}.get(self.traced.bits(low.address, bit % 8 * 4, 4), -1)
        mode = self.registers.register(f"{port}_MODER").address
        if self.traced.bits(mode, 2 * bit, 2) != 2:
            return -1
        functions = self.registers.register(f"{port}_AFR").address + bit // 8 * 4
        return self.traced.bits(functions, bit % 8 * 4, 4)

    def _source(self, hsi: int, external: bool) -> int:
        if external:
            assert self.get("RCC_CR", "HSEON") == 1
            assert self.get("RCC_CR", "HSEBYP") == int(self.clock.get("bypass", False))
        return self.clock["hse_hz"] if external else hsi

    def _p(self, hsi: int) -> float:
        """Frequency by the PLL of F2, F4 and F7: M, N and P."""
        source = self._source(hsi, self.get("RCC_PLLCFGR", "PLLSRC") == 1)
        m, n = self.get("RCC_PLLCFGR", "PLLM"), self.get("RCC_PLLCFGR", "PLLN")
        return source / m * n / (2 * self.get("RCC_PLLCFGR", "PLLP") + 2)

    def _r(self, hsi: int) -> float:
        """Frequency by the PLL of L4, L4+, G0 and G4: M, N and R."""
        chosen = self.get("RCC_PLLCFGR", "PLLSRC")
        assert chosen in (2, 3)
        assert self.get("RCC_PLLCFGR", "PLLREN") == 1
        source = self._source(hsi, chosen == 3)
        m, n = self.get("RCC_PLLCFGR", "PLLM") + 1, self.get("RCC_PLLCFGR", "PLLN")
        r = self.get("RCC_PLLCFGR", "PLLR")
        return source / m * n / (r + 1 if self.part.startswith("stm32g0") else 2 * r + 2)

    def _h7(self, hsi: int) -> float:
        """Frequency by PLL1 of the H7."""
        source = self._source(hsi, self.get("RCC_PLLCKSELR", "PLLSRC") == 2)
        m = self.get("RCC_PLLCKSELR", "DIVM1")
        n, p = (self.get("RCC_PLL1DIVR", each) + 1 for each in ("N1", "P1"))
        assert self.get("RCC_PLLCFGR", "DIVP1EN") == 1
        return source / m * n / p

    def _u5(self, hsi: int) -> float:
        """Frequency by PLL1 of the U5."""
        chosen = self.get("RCC_PLL1CFGR", "PLL1SRC")
        assert chosen in (2, 3)
        assert self.get("RCC_PLL1CFGR", "PLL1REN") == 1
        m = self.get("RCC_PLL1CFGR", "PLL1M") + 1
        n, r = (self.get("RCC_PLL1DIVR", each) + 1 for each in ("PLL1N", "PLL1R"))
        return self._source(hsi, chosen == 3) / m * n / r

    def _multiplied(self, hsi: int) -> float:
        """Frequency by the PLL of F0 and F1: PLLMUL."""
        external = self.get("RCC_CFGR", "PLLSRC") != 0
        field = "PLLMUL" if self.has("RCC_CFGR", "PLLMUL") else "PLLMULL"
        source = self._source(hsi, external)
        return (source if external else source / 2) * (self.get("RCC_CFGR", field) + 2)


def _apb(encoded: int) -> int:
    return 1 << encoded - 3 if encoded >= 4 else 1


def _ahb(encoded: int) -> int:
    return {0: 1, 8: 2, 9: 4, 10: 8, 11: 16}[encoded]
