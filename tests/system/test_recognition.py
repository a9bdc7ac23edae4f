"""A board that holds something else than the build is refused at once, whatever that is."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.architecture import Flasher
from opsmith.board.manifest import Board, Flash
from opsmith.errors import ToolchainError
from opsmith.report.identity import loaded, stamp
from opsmith.rig.build import load_build
from opsmith.rig.place import Where
from opsmith.rig.rig import open_rig
from tests.system.hand_written import ROOT, build
from tests.system.on_a_pty import a_board_with

pytestmark = [pytest.mark.system, pytest.mark.qemu]
EXTRA = "static const uint8_t weights[20000] = {{{}}}; sink = weights[pixels[0] * 70];"
NAMES = ("microbit", "mps3_an547", "qemu_riscv32")
Built = tuple[Path, Board]
Damage = Callable[[bytearray], None]


@pytest.fixture(scope="module", params=NAMES)
def built(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Built:
    folder = tmp_path_factory.mktemp(request.param)
    board = build(folder / "new", request.param, extra=EXTRA.format("1, 2"))
    build(folder / "old", request.param, extra=EXTRA.format("1, 3"))
    return folder, replace(board, flash=None)


def refused(folder: Path, board: Board, elf: Path) -> str:
    """Error about a board that holds a firmware unlike the folder's."""
    with a_board_with(board, elf) as port:
        begin = time.monotonic()
        with (
            pytest.raises(ToolchainError) as caught,
            open_rig(folder, board, where=Where(port=port)),
        ):
            pass
        assert time.monotonic() - begin < 5
    assert load_build(folder).digest[:12] in str(caught.value)
    return str(caught.value)


@pytest.mark.few(1)
def test_an_older_firmware_of_the_same_model_is_refused(built: Built) -> None:
    folder, board = built
    old, new = (load_build(folder / name) for name in ("old", "new"))
    assert old.model_sha256 == new.model_sha256
    told = refused(folder / "new", board, old.elf)
    answers = f"RIG045: another firmware answers: {old.digest[:12]}… of the same model instead of "
    assert f"{answers}firmware {new.digest[:12]}…" in told
    assert f"fix:   flash {new.elf}" in told


@pytest.mark.few(2)
def test_flashing_that_does_nothing_is_noticed(built: Built, tmp_path: Path) -> None:
    folder, board = built
    tool = tmp_path / "flasher"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    flasher = Flasher("none", (str(tool),), in_project=True, install="x")
    flashed = replace(board, flash=Flash(flasher, "x"))
    told = refused(folder / "new", flashed, folder / "old" / "firmware.elf")
    assert "RIG045: flashing did not take effect: another firmware answers" in told


def half(data: bytearray) -> None:
    data[len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)


def page(data: bytearray) -> None:
    data[-6000:-4976] = b"\xff" * 1024


def bit(data: bytearray) -> None:
    data[-5000] ^= 1


@pytest.mark.few(2)
@pytest.mark.parametrize("damage", [half, page, bit])
def test_damaged_flash_is_refused(built: Built, damage: Damage, tmp_path: Path) -> None:
    folder, board = built
    elf, sections = folder / "new" / "firmware.elf", list(loaded(folder / "new" / "firmware.elf"))
    file = bytearray(elf.read_bytes())
    image = bytearray(b"".join(file[s.offset : s.offset + s.size] for s in sections))
    damage(image)
    for section in sections:
        file[section.offset : section.offset + section.size] = image[: section.size]
        del image[: section.size]
    (tmp_path / "damaged.elf").write_bytes(file)
    told = refused(folder / "new", board, tmp_path / "damaged.elf")
    assert "RIG046: flash holds other bytes than firmware" in told
    assert "in .rodata" in told


def test_a_board_with_the_firmware_of_the_build_is_taken(built: Built) -> None:
    folder, board = built
    elf = folder / "new" / "firmware.elf"
    with (
        a_board_with(board, elf) as port,
        open_rig(folder / "new", board, where=Where(port=port)) as rig,
    ):
        assert rig.title == port


PROGRAM = """
#include "runtimes/apps/firmware.h"
extern "C" int main() {{ return opsmith::firmware_digest()[{read}] + {number}; }}
"""


def linked(folder: Path, made_of: list[str], number: int = 1, read: int = 0) -> tuple[str, bytes]:
    """Digest and content of a program of this machine that was linked in a folder."""
    folder.mkdir()
    (folder / "main.cc").write_text(PROGRAM.format(number=number, read=read))
    command = ["g++", "-g", "-O2", f"-I{ROOT}", "main.cc", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    return stamp(folder / "program", made_of), (folder / "program").read_bytes()


def test_the_digest_is_of_the_program_and_of_what_it_was_made_from(tmp_path: Path) -> None:
    digest, file = linked(tmp_path / "a", ["gcc", "board"])
    assert file.count(bytes.fromhex(digest)) == 1
    again, moved = linked(tmp_path / "a longer path", ["gcc", "board"])
    assert digest == again
    assert file != moved  # its debug information
    assert stamp(tmp_path / "a" / "program", ["gcc", "board"]) == digest
    others = {
        linked(tmp_path / "b", ["gcc", "board"], number=2)[0],
        linked(tmp_path / "c", ["gcc", "board"], read=31)[0],
        linked(tmp_path / "d", ["gcc", "other"])[0],
        linked(tmp_path / "e", ["gccb", "oard"])[0],
    }
    assert len(others - {digest}) == 4
