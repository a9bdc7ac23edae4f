"""The fault decoders of the architectures say what the registers of a dump mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolchain.board.platforms import platforms
from toolchain.rig.fault import decoder_of

RISCV = decoder_of(platforms().architecture("riscv", Path()))
DUMP = (
    "!fault cause={cause:08x} value={value:08x} status=00001800 sp={sp:08x} limit=80800000\n"
    "! pc=80000604 ra=800005e6 gp=80804800\n!end\n"
)


@pytest.mark.parametrize(
    ("cause", "value", "sp", "told"),
    [
        (2, 0, 0x80803000, ["illegal instruction"]),
        (5, 0xB0000000, 0x80803000, ["load from a forbidden or absent address, 0xb0000000"]),
        (7, 0x807FF000, 0x80800010, ["the stack overflowed its limit, 0x80800000", "store to"]),
        (7, 0x807FEFFF, 0x80800010, ["store to a forbidden or absent address, 0x807fefff"]),
        (2, 0, 0x807FFFF0, ["the stack overflowed its limit, 0x80800000", "illegal instruction"]),
        (13, 0, 0x80803000, ["exception 13"]),
        (0x8000_0007, 0, 0x80803000, ["interrupt 7, which nothing handles"]),
    ],
)
def test_a_risc_v_trap_is_explained(cause: int, value: int, sp: int, told: list[str]) -> None:
    text = RISCV.explain(DUMP.format(cause=cause, value=value, sp=sp).encode())
    causes = [line.strip() for line in text.splitlines() if "cause: " in line]
    assert len(causes) == len(told)
    for line, words in zip(causes, told, strict=True):
        assert line.startswith(f"cause: {words}")


def test_a_dump_that_was_cut_short_is_repeated() -> None:
    assert RISCV.explain(b"!fault value=00000000") == "    fault value=00000000"
