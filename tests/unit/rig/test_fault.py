"""The fault decoders of the architectures say what the registers of a dump mean."""

from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.platforms import platforms
from opsmith.rig.fault import Decoder, decoder_of
from tests.refusals import refusal

RISCV = decoder_of(platforms().architecture("riscv", Path()))
DUMP = (
    "!fault cause={cause:08x} value={value:08x} status=00001800 sp={sp:08x} limit=80800000\n"
    "! pc=80000604 ra=800005e6 gp=80804800\n!end\n"
)


@pytest.mark.parametrize(("cause", "value", "sp", "told"), [
    (2, 0, 0x80803000, ["illegal instruction"]),
    (5, 0xB0000000, 0x80803000, ["load from a forbidden or absent address, 0xb0000000"]),
    (7, 0x807FF000, 0x80800010, ["the stack overflowed its limit, 0x80800000", "store to"]),
    (7, 0x807FEFFF, 0x80800010, ["store to a forbidden or absent address, 0x807fefff"]),
    (2, 0, 0x807FFFF0, ["the stack overflowed its limit, 0x80800000", "illegal instruction"]),
    (13, 0, 0x80803000, ["exception 13"]),
    (0x8000_0007, 0, 0x80803000, ["interrupt 7, which nothing handles"]),
])  # fmt: skip
def test_a_risc_v_trap_is_explained(cause: int, value: int, sp: int, told: list[str]) -> None:
    text = RISCV.explain(DUMP.format(cause=cause, value=value, sp=sp).encode())
    causes = [line.strip() for line in text.splitlines() if "cause: " in line]
    assert len(causes) == len(told)
    for line, words in zip(causes, told, strict=True):
        assert line.startswith(f"cause: {words}")


def test_a_dump_that_was_cut_short_is_repeated() -> None:
    assert RISCV.explain(b"!fault value=00000000") == "    fault value=00000000"


DECODERS = {"return 1 // 0": "ZeroDivisionError", "return None": "TypeError"}


def decoder(folder: Path, text: str) -> Decoder:
    """Fault decoder of the architecture with the given module."""
    (folder / "fault.py").write_text(text, encoding="utf-8")
    return decoder_of(replace(platforms().architecture("riscv", Path()), folder=folder))


@pytest.mark.slow
@pytest.mark.parametrize(("body", "told"), DECODERS.items())
def test_a_fault_is_reported_whatever_its_decoder_does(
    tmp_path: Path, body: str, told: str
) -> None:
    found = decoder(tmp_path, f"def causes(values):\n    {body}\n")
    said = found.explain(DUMP.format(cause=2, value=0, sp=0x80803000).encode())
    assert "pc=80000604" in said
    assert "cause: unknown, since the architecture's fault.py fails: " in said
    assert told in said


def test_a_decoder_that_does_not_load_is_reported(tmp_path: Path) -> None:
    (told,) = refusal(decoder, tmp_path, "").problems
    assert (told.code, told.what) == ("BRD018", "there is no function causes()")
    assert told.where.startswith(str(tmp_path / "fault.py"))
