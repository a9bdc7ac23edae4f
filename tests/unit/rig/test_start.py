"""A board is flashed where it has other firmware, else reset; and only the build's is talked to."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import Board, load_board
from opsmith.errors import ToolchainError
from opsmith.report.identity import UNSTAMPED
from opsmith.rig import arrays, lock, recognition, start
from opsmith.rig import rig as rig_module
from opsmith.rig.build import Build, PortTensor
from opsmith.rig.phases import Phases
from opsmith.rig.place import Where
from opsmith.rig.rig import open_rig
from tests.rig.desk import SAYS, Desk
from tests.unit.rig.peer import SHA, Peer

BOARDS = Path(__file__).resolve().parents[3] / "boards"
DIGEST, OLD = "cd" * 32, "ef" * 32
INPUTS = (
    PortTensor("x", "int8", (10,), 10, None, None),
    PortTensor("y", "int8", (3,), 3, None, None),
)
OUTPUTS = (PortTensor("z", "int8", (10,), 10, None, None),)


@pytest.fixture
def board() -> Board:
    return load_board("nucleo_l4r5zi", [BOARDS])


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Desk whose flash tool is found, with locks of its own."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    monkeypatch.setattr(lock, "FOLDERS", (folder,))
    with Desk(folder, Peer(), holds=DIGEST) as found:
        yield found


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build whose firmware file, which the flash tool copies, is only the digest."""
    elf = tmp_path / "firmware.elf"
    elf.write_text(DIGEST)
    (tmp_path / "report.json").write_text(json.dumps({"nodes": []}))
    found = Build(tmp_path, elf, "nucleo_l4r5zi", SHA, INPUTS, OUTPUTS, digest=DIGEST)
    monkeypatch.setattr(recognition, "loaded", lambda _: ())
    monkeypatch.setattr(rig_module, "load_build", lambda _: found)
    return found


def states(desk: Desk, build: Build, board: Board, flash: str = "needed") -> dict[str, str]:
    """State of each phase of a run whose outputs are right."""
    phases, inputs = Phases(), arrays.seeded(INPUTS)
    at = Where(port=desk.port, flash=flash)
    with open_rig(build.folder, board, where=at, phases=phases) as rig:
        (output,) = rig.invoke(inputs)
    np.testing.assert_array_equal(output, ~inputs[0])
    assert all(phase.seconds <= phase.deadline for phase in phases)
    return {phase.name: phase.state for phase in phases}


DONE = dict.fromkeys(("banner", "load", "run", "collect"), "done")
FLASHED = {"flash": "done", "reset": "skipped"} | DONE
KEPT = {"flash": "skipped", "reset": "done"} | DONE


@pytest.mark.slow
@pytest.mark.parametrize("holds", ["", OLD, UNSTAMPED])
def test_a_board_with_other_firmware_is_flashed(
    desk: Desk, build: Build, board: Board, holds: str
) -> None:
    desk.hold(holds)
    assert states(desk, build, board) == FLASHED
    assert desk.starts == 1


def test_a_board_with_the_firmware_is_reset(desk: Desk, build: Build, board: Board) -> None:
    assert states(desk, build, board) == KEPT
    assert desk.starts == 1


def test_a_board_with_the_firmware_is_flashed_on_request(
    desk: Desk, build: Build, board: Board
) -> None:
    assert states(desk, build, board, flash="always") == FLASHED


@pytest.mark.slow
def test_a_board_with_the_firmware_needs_no_flash_tool(
    desk: Desk, build: Build, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board with the firmware needs no flash tool: the tool may be unable to reset, or not
    installed.
    """
    assert board.flash
    desk.tool("echo hold down BOOTSEL >&2; exit 1")
    flasher = replace(board.flash.flasher, reset=())
    without = replace(board, flash=replace(board.flash, flasher=flasher))
    assert states(desk, build, without) == KEPT | {"reset": "skipped"}
    monkeypatch.setenv("PATH", "/nowhere")
    assert states(desk, build, board) == KEPT | {"reset": "skipped"}
    with pytest.raises(ToolchainError, match="RIG015: openocd is not installed"):
        states(desk, build, board, flash="always")
    assert desk.starts == 0


@pytest.mark.slow
def test_a_board_without_a_flash_tool_is_taken_as_it_is(
    desk: Desk, build: Build, board: Board
) -> None:
    plain = replace(board, flash=None)
    assert states(desk, build, plain) == KEPT | {"reset": "skipped"}
    assert desk.starts == 0
    with pytest.raises(ToolchainError, match="RIG015: the place has no means"):
        states(desk, build, plain, flash="always")


@pytest.mark.slow
def test_other_firmware_of_a_board_without_a_flash_tool_is_refused(
    desk: Desk, build: Build, board: Board
) -> None:
    desk.hold(OLD)
    with pytest.raises(ToolchainError, match="RIG045: another firmware answers"):
        states(desk, build, replace(board, flash=None))


@pytest.mark.slow
@pytest.mark.parametrize("wire", [b"", b"another program\r\n", b"\xff" * 64])
def test_a_board_that_cannot_be_flashed_is_refused_within_five_seconds(
    desk: Desk, build: Build, board: Board, monkeypatch: pytest.MonkeyPatch, wire: bytes
) -> None:
    """A board that cannot be flashed is refused within five seconds (here half a second), if silent
    or with a foreign program or baud rate.
    """
    most, glance = start._ATTACHED, start._GLANCE
    assert glance < most < 5
    monkeypatch.setattr(start, "_ATTACHED", most / 10)
    monkeypatch.setattr(start, "_GLANCE", glance / 10)
    desk.wire = lambda data: wire
    phases, at = Phases(), Where(port=desk.port)
    without = replace(board, flash=None)
    with (
        pytest.raises(ToolchainError, match=DIGEST[:12]) as caught,
        open_rig(build.folder, without, where=at, phases=phases),
    ):
        pass
    assert caught.value.problems[0].code in ("RIG005", "RIG006", "RIG009")
    (banner,) = (each for each in phases if each.name == "banner")
    assert banner.deadline == pytest.approx((most - glance) / 10)


@pytest.mark.slow
def test_a_flash_tool_that_writes_nothing_is_found_out(
    desk: Desk, build: Build, board: Board
) -> None:
    desk.hold(OLD)
    desk.tool(f"{SAYS}; exit 0")
    with pytest.raises(ToolchainError, match="RIG045: flashing did not take effect"):
        states(desk, build, board)


def test_a_flash_tool_that_fails_is_quoted_at_once(desk: Desk, build: Build, board: Board) -> None:
    desk.hold(OLD)
    desk.tool("echo no probe found >&2; exit 1")
    phases = Phases()
    with (
        pytest.raises(ToolchainError, match="RIG015: flashing failed, .*no probe found"),
        open_rig(build.folder, board, where=Where(port=desk.port), phases=phases),
    ):
        pass
    assert phases.current == "flash"
    assert sum(phase.seconds for phase in phases) < 3


def test_a_board_in_use_is_refused(desk: Desk, build: Build, board: Board) -> None:
    with (
        open_rig(build.folder, board, where=Where(port=desk.port)),
        pytest.raises(ToolchainError, match="RIG048: port .* is in use by"),
    ):
        states(desk, build, board)
