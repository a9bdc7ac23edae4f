"""SAMD51: clock, pins and baud rate from what its registers hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.setup import MOST_BAUD_ERROR
from opsmith.testing.checkout import ROOT
from tests.unit.board.trace import manifest, registers_of, trace, unicorn

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ready", [True, False], ids=["clock", "no-clock"])
def test_a_feather_is_set_up_as_it_asks(tmp_path: Path, ready: bool) -> None:
    unicorn()
    board = load_board("feather_m4", [ROOT / "boards"])
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
    assert (get("SERCOM5_CTRLA", "MODE"), get("SERCOM5_CTRLA", "DORD")) == (1, 1)
    assert (get("SERCOM5_CTRLA", "TXPO"), get("SERCOM5_CTRLA", "RXPO")) == (0, 1)
    assert get("SERCOM5_CTRLA", "ENABLE") == 1
    for pin in (16, 17):
        nibble = registers.register("PORTB_PMUX").address + pin // 8 * 4
        assert traced.bits(nibble, pin % 8 * 4, 4) == 2
        byte = registers.register("PORTB_PINCFG").address + pin // 4 * 4
        assert traced.bits(byte, pin % 4 * 8, 8) & 1
