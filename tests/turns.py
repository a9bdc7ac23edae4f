"""The boards that tests of all boards try: some always, others by turns."""

import random
from functools import cache

from opsmith.board.describe import Board
from opsmith.board.manifest import list_boards
from opsmith.testing.checkout import ROOT

ALWAYS = {
    *("microbit", "mps2_an385", "mps2_an386", "mps2_an500", "mps3_an547"),
    *("nucleo_l4r5zi", "qemu_riscv32", "stm32f405"),
}
SEED, COUNT = 7, 2  # of the others that QEMU plays, and of those that it does not


@cache
def shipped() -> tuple[Board, ...]:
    """All shipped boards, read once."""
    return tuple(list_boards([ROOT / "boards"]))


@cache
def tried() -> set[str]:
    """Names of boards that are always tried, and of some by turns; equal at each call."""
    boards = shipped()
    chosen = {each.name for each in boards if each.core.hosted or each.name in ALWAYS}
    for played in (True, False):
        others = [each.name for each in boards if bool(each.run.qemu) == played]
        others = [name for name in others if name not in chosen]
        chosen |= {*random.Random(SEED).sample(others, min(COUNT, len(others)))}
    return chosen
