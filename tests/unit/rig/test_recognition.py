"""Another firmware than that of the build is refused, whatever differs, before it computes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.report import identity
from opsmith.report.elf import Section
from opsmith.report.identity import UNSTAMPED
from opsmith.rig import recognition
from opsmith.rig.build import Build
from opsmith.rig.protocol import Session
from opsmith.rig.recognition import ExpectedFirmware
from tests.unit.rig.peer import SHA, Peer

DIGEST = "cd" * 32
CODE, WEIGHTS, FAR = 0x0800_0000, 0x0800_4000, 0x9000_0000
SIZES = {CODE: 0x3000, WEIGHTS: 150_000, FAR: 70_001}
CYCLE = bytes(i * 7 % 251 for i in range(251)) * 600
CONTENT = {at: CYCLE[at % 251 :][:size] for at, size in SIZES.items()}
NEW, OLD = "flash {elf}", "see that the flash tool's probe and the console are of one board"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build whose ELF file has code, weights, and constants in a memory of their own."""
    sections: list[Section] = []
    elf = tmp_path / "firmware.elf"
    for name, (at, data) in zip(
        (".text", ".rodata", ".constants_qspi"), CONTENT.items(), strict=True
    ):
        sections.append(Section(name, at, at, len(data), True, sum(s.size for s in sections)))
    elf.write_bytes(b"".join(CONTENT.values()))
    monkeypatch.setattr(identity, "read_sections", lambda _: tuple(sections))
    return Build(tmp_path, elf, "b", SHA, (), (), digest=DIGEST)


def board(**said: object) -> Peer:
    """Board that holds the built firmware, except for the given differences."""
    peer = Peer()
    peer.digest, peer.memory = DIGEST, dict(CONTENT)
    vars(peer).update(said)
    return peer


def refused(build: Build, peer: Peer, *, flashed: bool = False) -> str:
    """Code and text of the error of a run, in which the model gets no input."""
    expected = ExpectedFirmware(build, peer.title, flashed)
    with pytest.raises(ToolchainError) as caught:
        session = Session(peer, clock=peer.clock, expected=expected.name)
        expected.check(session.firmware)
        expected.check_flash(session)
    assert not {each.split()[0] for each in peer.heard} - {"hello", "crc"}
    assert peer.now < 5
    (problem,) = caught.value.problems
    assert ("flashing did not take effect" in problem.what) == flashed
    assert problem.fix.startswith(OLD if flashed else NEW.format(elf=build.elf))
    assert DIGEST[:12] in problem.what
    return f"{problem.code} {problem.what}"


def changed(at: int, change: Callable[[bytearray], None]) -> dict[int, bytes]:
    data = bytearray(CONTENT[at])
    change(data)
    return {**CONTENT, at: bytes(data)}


def erased(first: int, last: int | None = None) -> Callable[[bytearray], None]:
    def erase(data: bytearray) -> None:
        end = len(data) if last is None else last
        data[first:end] = b"\xff" * (end - first)

    return erase


def flipped(data: bytearray) -> None:
    data[100_000] ^= 4


@pytest.mark.parametrize("flashed", [False, True])
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"digest": "ef" * 32}, "RIG045 {}another firmware answers: efefefefefef… of the same"),
        ({"digest": UNSTAMPED}, "RIG045 {}another firmware answers: 000000000000… of the same"),
        ({"version": 1}, "RIG010 {}a firmware answers that speaks version 1 of the"),
        (
            {"memory": {**CONTENT, WEIGHTS: CONTENT[WEIGHTS][:75_000] + b"\xff" * 75_000}},
            "RIG046 {}flash holds other bytes",
        ),
        ({"memory": changed(CODE, erased(0x2000))}, "RIG046 {}flash holds other bytes"),
        ({"memory": changed(WEIGHTS, erased(0x2000, 0x2800))}, "RIG046 {}flash holds other bytes"),
        ({"memory": changed(WEIGHTS, flipped)}, "RIG046 {}flash holds other bytes"),
        ({"memory": changed(FAR, erased(70_000))}, "RIG046 {}flash holds other bytes"),
        ({"memory": {**CONTENT, FAR: bytes(70_001)}}, "RIG046 {}flash holds other bytes"),
        ({"memory": {}}, "RIG046 {}flash holds other bytes"),
    ],
    ids=[
        "other options", "linked by hand", "old protocol", "half flashed", "tail of the code",
        "page erased", "bit flipped", "last byte", "stale constants", "forged banner",
    ],
)  # fmt: skip
def test_another_firmware_is_refused(
    build: Build, said: dict[str, object], told: str, flashed: bool
) -> None:
    before = "flashing did not take effect: " if flashed else ""
    assert refused(build, board(**said), flashed=flashed).startswith(told.format(before))


def test_firmware_of_another_model_is_refused(build: Build) -> None:
    other = replace(build, model_sha256="0" * 64)
    told = refused(other, board(digest="ef" * 32))
    assert told.startswith(
        "RIG010 firmware of another model answers: efefefefefef… of model ababab"
    )


@pytest.mark.parametrize("place", [0, 1, 255, 65_535, 65_536, 149_999])
def test_the_error_names_the_part_of_the_section_that_differs(build: Build, place: int) -> None:
    told = refused(build, board(memory=changed(WEIGHTS, erased(place, place + 1))))
    first, last = (int(word.rstrip(","), 16) for word in told.split(" ") if word.startswith("0x"))
    assert first <= WEIGHTS + place <= last < first + recognition._NARROW
    assert told.endswith(", in .rodata")


def test_the_firmware_of_the_build_is_recognised(build: Build) -> None:
    peer = board()
    session, expected = Session(peer, clock=peer.clock), ExpectedFirmware(build, peer.title)
    expected.check(session.firmware)
    expected.check_flash(session)
    asked = [each for each in peer.heard if each.startswith("crc")]
    assert len(asked) == 1 + 3 + 2
