"""SAMD21 and SAMD51: clock, pins and baud rate from what their registers hold."""

from pathlib import Path

import pytest

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.board.registers import Registers
from opsmith.board.setup import MOST_BAUD_ERROR
from opsmith.testing.checkout import ROOT
from tests.unit.board.test_families import edited
from tests.unit.board.trace import Traced, manifest, registers_of, trace, unicorn

pytestmark = pytest.mark.slow
TO_RC = (('"crystal"', '"rc"'), ("47_972_352", "12_000_000"))
NAMES = ("arduino_zero", "feather_m0", "rc")
HZ = {3: 8e6 / 8, 0: 8e6}  # of OSC8M by PRESC


def shipped(name: str) -> Board:
    return load_board(name, [ROOT / "boards"])


@pytest.mark.parametrize("ready", [True, False], ids=["clock", "no-clock"])
def test_a_samd51_is_set_up_as_it_asks(tmp_path: Path, ready: bool) -> None:
    unicorn()
    board = shipped("feather_m4")
    wanted, registers = manifest(board), registers_of(board)
    traced = trace(board, tmp_path, ready=ready)

    def get(register: str, field: str) -> int:
        return traced.field(registers.register(register), field)

    def generator(number: int) -> float:
        register = f"GCLK_GENCTRL{number}"
        assert get(register, "GENEN") == 1
        source = {6: 48e6}.get(get(register, "SRC"))
        if source is None:
            assert get(register, "SRC") == 7
            assert get("GCLK_PCHCTRL1", "CHEN") == get("OSCCTRL_DPLLCTRLA0", "ENABLE") == 1
            reference = generator(get("GCLK_PCHCTRL1", "GEN"))
            ratio = get("OSCCTRL_DPLLRATIO0", "LDR") + 1
            source = reference * (ratio + get("OSCCTRL_DPLLRATIO0", "LDRFRAC") / 32)
        return source / max(get(register, "DIV"), 1)

    assert generator(0) == (wanted["clock"]["core_hz"] if ready else 48e6)
    assert get("MCLK_APBDMASK", "SERCOM5_") == get("GCLK_PCHCTRL35", "CHEN") == 1
    clock = generator(get("GCLK_PCHCTRL35", "GEN"))
    assert clock <= 100e6
    baud = clock / 16 * (1 - get("SERCOM5_BAUD", "BAUD") / 65536)
    assert abs(baud / wanted["console"]["baud"] - 1) <= MOST_BAUD_ERROR
    assert get("SERCOM5_CTRLA", "TXPO") == 0
    assert_speaks(registers, traced, wanted["console"])


def assert_speaks(registers: Registers, traced: Traced, console: dict[str, str]) -> None:
    """Require that the SERCOM is a UART that sends the least bit first, at its pins."""
    uart, pins = console["uart"], registers.pins[console["uart"]]
    control = registers.register(f"{uart}_CTRLA")
    found = {each: traced.field(control, each) for each in ("MODE", "DORD", "ENABLE", "RXPO")}
    assert found == {"MODE": 1, "DORD": 1, "ENABLE": 1, "RXPO": registers.pads[uart][console["rx"]]}
    for signal in ("tx", "rx"):
        port, pin = f"PORT{console[signal][1]}", int(console[signal][2:])
        nibble = registers.register(f"{port}_PMUX").address + pin // 8 * 4
        assert traced.bits(nibble, pin % 8 * 4, 4) == pins[signal][console[signal]]
        byte = registers.register(f"{port}_PINCFG").address + pin // 4 * 4
        assert traced.bits(byte, pin % 4 * 8, 8) & 1


@pytest.mark.first(4)  # each clock, and one that does not start
@pytest.mark.parametrize(("name", "ready"), [
    *((name, True) for name in NAMES), *((name, False) for name in NAMES)
])  # fmt: skip
def test_a_samd21_is_set_up_as_it_asks(tmp_path: Path, name: str, ready: bool) -> None:
    unicorn()
    own = load_board("mine", [edited(tmp_path, "arduino_zero", *TO_RC)]) if name == "rc" else None
    board = own or shipped(name)
    wanted, registers = manifest(board), registers_of(board)
    traced = trace(board, tmp_path, ready=ready)
    generators, channels = indexed(registers, traced)

    def get(register: str, field: str) -> int:
        return traced.field(registers.register(register), field)

    def generator(number: int) -> float:
        found = generators[number]
        oscillators = {5: 32_768.0, 6: HZ[get("SYSCTRL_OSC8M", "PRESC")]}
        source = oscillators.get(found["SRC"])
        if source is None:
            assert found["SRC"] == 7
            assert get("SYSCTRL_DFLLCTRL", "ENABLE") == get("SYSCTRL_DFLLCTRL", "MODE") == 1
            source = generator(channels[0]) * get("SYSCTRL_DFLLMUL", "MUL")
            assert 47e6 <= source <= 48e6
            assert get("NVMCTRL_CTRLB", "RWS") == 1
        return source / found["DIV"]

    assert generator(0) == (wanted["clock"]["core_hz"] if ready else 8e6)
    if ready:
        assert get("SYSCTRL_XOSC32K", "ENABLE") == int(name != "rc")
    uart = wanted["console"]["uart"]
    assert get("PM_APBCMASK", f"{uart}_") == 1
    clock = generator(channels[20 + int(uart[-1])])
    baud = clock / 16 * (1 - get(f"{uart}_BAUD", "BAUD") / 65536)
    assert abs(baud / wanted["console"]["baud"] - 1) <= MOST_BAUD_ERROR
    assert 2 * get(f"{uart}_CTRLA", "TXPO") == registers.pads[uart][wanted["console"]["tx"]]
    assert_speaks(registers, traced, wanted["console"])


def indexed(
    registers: Registers, traced: Traced
) -> tuple[dict[int, dict[str, int]], dict[int, int]]:
    """Source and divider of each generator, and generator of each channel. GCLK has one register
    for all generators and one for all channels, each with a field that selects.
    """
    names = ("GCLK_GENCTRL", "GCLK_GENDIV", "GCLK_CLKCTRL")
    control, divider, channel = map(registers.register, names)
    generators: dict[int, dict[str, int]] = {}
    channels = {}

    def of(value: int, name: str, field: str) -> int:
        at = registers.register(name).fields[field]
        return (value & at.mask) >> at.bit

    for address, value in traced.writes:
        if address == control.address:
            assert of(value, names[0], "GENEN") == 1
            number = of(value, names[0], "ID")
            generators.setdefault(number, {})["SRC"] = of(value, names[0], "SRC")
        elif address == divider.address:
            number = of(value, names[1], "ID")
            generators.setdefault(number, {})["DIV"] = of(value, names[1], "DIV")
        elif address == channel.address:
            assert of(value, names[2], "CLKEN") == 1
            channels[of(value, names[2], "ID")] = of(value, names[2], "GEN")
    return generators, channels
