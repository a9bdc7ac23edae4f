"""What `init` of each family writes, on an emulated core: clock, pins and baud rate are those that
board.toml asks for, whether or not the clock starts, and nothing is written that the page of the
board does not list.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.board.setup import MOST_BAUD_ERROR, BusAccess
from opsmith.report.board_pages import verified
from opsmith.testing.checkout import ROOT
from tests.turns import shipped, tried
from tests.unit.board.stm32_clocks import RESET_HZ, Clocks
from tests.unit.board.trace import manifest, registers_of, trace, unicorn

pytestmark = pytest.mark.slow
ALL = shipped()
BOARDS = [each.name for each in ALL if "traced" in verified(each)]
DMA = {0x534, 0x538, 0x544, 0x548, 0x304, 0x000}  # pointers, counts, interrupt, start
STM32 = [each.name for each in ALL if each.family and each.family.name == "stm32"]


def board(name: str) -> Board:
    """Shipped board by name."""
    return load_board(name, [ROOT / "boards"])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by every board whose clock starts; by some whose clock does not, all with
    --examples=2.
    """
    if "ready" in metafunc.fixturenames:
        every = metafunc.config.getoption("--examples") > 1
        names = STM32 if "an_stm32" in metafunc.function.__name__ else BOARDS
        silent = [name for name in names if every or name in tried()]
        cells = [*((name, True) for name in names), *((name, False) for name in silent)]
        ids = [f"{name}-{'clock' if ready else 'no-clock'}" for name, ready in cells]
        metafunc.parametrize(("name", "ready"), cells, ids=ids)


def test_all_series_have_a_board() -> None:
    parts = {manifest(board(name))["part"] for name in STM32}
    family = board("stm32f405").family
    assert family is not None
    assert parts == family.parts.keys()


def writes(steps: tuple[BusAccess, ...], fast: bool) -> list[tuple[int, int, int]]:
    """Address, mask and value of each write of the given steps."""
    chosen = (step for step in steps if step.action in ("write", "change"))
    return [
        (
            step.register.address,
            0xFFFF_FFFF if step.whole else step.mask,
            step.value if fast or step.slow is None else step.slow,
        )
        for step in chosen
    ]


def caches() -> Iterator[tuple[int, int]]:
    """Writes that invalidate 128 sets of 4 ways and the cache of instructions, and turn on both."""
    yield from ((0xE000_EF50, 0), (0xE000_ED84, 0))
    yield from ((0xE000_EF60, way << 30 | line << 5) for line in range(128) for way in range(4))
    yield 0xE000_ED14, 3 << 16


def in_vain(steps: tuple[BusAccess, ...]) -> int | None:
    """First wait of `init` for a bit that hardware would set, where none does."""
    memory: dict[int, int] = {}
    for number, step in enumerate(steps):
        at, before = step.register.address, memory.get(step.register.address, 0)
        if step.action == "wait" and before & step.mask != step.value:
            return number
        mask = 0xFFFF_FFFF if step.whole else step.mask
        if step.action in ("write", "change"):
            memory[at] = before & ~mask | step.value
    return None


@pytest.mark.few(8)
def test_every_write_is_listed(tmp_path: Path, name: str, ready: bool) -> None:
    """Every write of `init` is listed on the board's page, in order, and no other."""
    unicorn()
    made = board(name).setup
    assert made is not None
    traced = trace(board(name), tmp_path, ready=ready)
    listed = writes(made.clock, fast=True)
    if not ready and (last := in_vain(made.clock)) is not None:
        listed = writes(made.clock[:last], fast=True) + writes(made.undo, fast=True)
    listed += writes(made.console, fast=ready)
    if name == "nrf5340dk":  # its code says where DMA finds bytes
        base = registers_of(board(name)).address("UARTE0_S")
        assert {address - base for address, _ in traced.writes[len(listed) :]} == DMA
        del traced.writes[len(listed) :]
    if made.caches:
        assert traced.writes[len(listed) :] == list(caches())
        del traced.writes[len(listed) :]
    assert len(traced.writes) == len(listed)
    for (address, value), (where, mask, bits) in zip(traced.writes, listed, strict=True):
        assert (address, value & mask) == (where, bits)


@pytest.mark.few(6)
def test_an_stm32_is_set_up_as_its_board_asks(tmp_path: Path, name: str, ready: bool) -> None:
    unicorn()
    wanted = manifest(board(name))
    registers, console = registers_of(board(name)), wanted["console"]
    found = Clocks(wanted, registers, trace(board(name), tmp_path, ready=ready))
    setup = board(name).setup
    assert setup is not None
    if ready:
        assert found.core_hz() == wanted["clock"]["core_hz"] == setup.clock_hz
    else:
        assert found.core_hz() == setup.reset_hz
        assert setup.reset_hz == RESET_HZ.get(wanted["part"], setup.reset_hz)
    baud = found.baud(console["uart"])
    assert abs(baud / console["baud"] - 1) <= MOST_BAUD_ERROR
    for signal in ("tx", "rx"):
        pin = console[signal]
        assert found.function(pin) == registers.pins[console["uart"]][signal][pin]
