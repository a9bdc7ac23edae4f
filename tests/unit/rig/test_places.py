"""Kinds of places are found by folder; a name chooses one, and a wrong one is reported."""

import os
import socket
import threading
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.place import Place, RunRequest, Where, find_places
from opsmith.rig.rig import open_channel
from tests.refusals import refusal

BOARDS = Path(__file__).resolve().parents[3] / "boards"
KINDS = {"host": "Hosted", "mps2_an386": "Emulated"}
HOST = 'while [ "$1" != -- ]; do shift; done'  # of OpenSSH's programs: leaves options out
OWN = """
from opsmith.rig.place import RunRequest, Place

class Lamp(Place):
    title = "a lamp"

def place(asked: RunRequest) -> Place:
    return Lamp() if asked.where == "on" else {other}
"""


def asked(board: str) -> RunRequest:
    return RunRequest(
        LinkedFirmware(Path(), Path("firmware.elf"), board), load_board(board, [BOARDS])
    )


def own(folder: Path, other: str = "Lamp()") -> Path:
    file = folder / "places/lamp/place.py"
    file.parent.mkdir(parents=True)
    file.write_text(OWN.format(other=other))
    return folder


def test_shipped_kinds() -> None:
    assert {"process", "qemu", "serial", "ssh"} <= platforms().places().keys()


@pytest.mark.parametrize("board", [*KINDS])
def test_the_default_is_here(board: str) -> None:
    (place,) = find_places(asked(board), Where())
    assert type(place).__name__ == KINDS[board]
    assert not place.attached
    assert not place.locks()


def test_a_port_is_a_serial_place(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    alias = tmp_path / "by-id"
    alias.symlink_to(os.ttyname(theirs))
    for where in (Where(port=str(alias)), Where(place=f"serial:{alias}")):
        (place,) = find_places(asked("mps2_an386"), where)
        assert place.attached
        assert place.locks() == [f"port {os.ttyname(theirs)}"]
    for end in (ours, theirs):
        os.close(end)


def test_a_kind_from_elsewhere(tmp_path: Path) -> None:
    root = own(tmp_path)
    (found,) = find_places(asked("host"), Where("lamp:on", platforms=[root]))
    assert isinstance(found, Place)
    assert found.title == "a lamp"


@pytest.mark.parametrize(("where", "board", "what"), [
    (Where("quemu"), "host", "did you mean 'qemu'"),
    (Where("qemu"), "host", "has no machine of QEMU"),
    (Where("process"), "mps2_an386", "runs no programs"),
    (Where("ssh:pi"), "mps2_an386", "runs no programs"),
    (Where("ssh"), "host", "needs a host"),
    (Where("ssh:-oProxyCommand=x"), "host", "needs a host"),
    (Where("qemu", port="/dev/ttyS0"), "mps2_an386", "both name a place"),
    (Where("serial:/dev/x"), "host", "has no console"),
    (Where("rp2040js"), "stm32f405", "is no RP2040"),
    (Where("rp2040js"), "pico2", "is no RP2040"),
    (Where(fixtures=["lamp"]), "host", "those of a hardware map"),
    (Where(port="/dev/x", map="map.yml"), "mps2_an386", "both name a place"),
])  # fmt: skip
def test_a_place_that_does_not_fit_is_reported(where: Where, board: str, what: str) -> None:
    (problem,) = refusal(find_places, asked(board), where).problems
    assert problem.code == "RIG049"
    assert what in problem.what


@pytest.mark.parametrize("other", ["None", "1 / 0", "asked.nothing"])
def test_a_broken_kind_is_reported(tmp_path: Path, other: str) -> None:
    root = own(tmp_path, other)
    with pytest.raises(ToolchainError, match="RIG049"):
        find_places(asked("host"), Where("lamp:off", platforms=[root]))


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LinkedFirmware:
    """Program for a Linux board, with stand-ins for OpenSSH's programs that act on this machine, by
    its shell and flock(1).
    """
    for name, text in {
        "ssh": f'{HOST}; exec sh -c "$(echo "$3" | sed s:/tmp/opsmith-place:{tmp_path}/place:)"',
        "scp": HOST + '; exec cp -p "$2" "${3#*:}"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = tmp_path / "firmware.elf"
    program.write_text('#!/bin/sh\nread word; echo "$0 says $word"\n')
    program.chmod(0o755)
    return LinkedFirmware(tmp_path, program, "host")


def test_a_linux_board_by_ssh(linux: LinkedFirmware) -> None:
    with open_channel(linux, load_board("host", [BOARDS]), Where("ssh:pi")) as channel:
        channel.send(b"hello\n")
        said = channel.receive(10)
    assert said.endswith(b"/firmware.elf says hello\n")
    assert not Path(said.split()[0].decode()).exists()


@pytest.mark.slow
def test_a_linux_board_in_use_is_waited_for(linux: LinkedFirmware) -> None:
    """A Linux board in use is waited for: the lock lies on the board, which here has two names."""
    board = load_board("host", [BOARDS])
    with open_channel(linux, board, Where("ssh:pi")) as first:
        who = f"RIG048: the board is in use by .* at {socket.gethostname()} since "
        with pytest.raises(ToolchainError, match=who), open_channel(linux, board, Where("ssh:pi2")):
            pass
        letting_go = threading.Timer(0.5, first.send, [b"bye\n"])
        letting_go.start()
        with open_channel(linux, board, Where("ssh:pi2", wait=20.0)) as second:
            second.send(b"hello\n")
            assert b"says hello" in second.receive(10)
        letting_go.join()


@pytest.mark.parametrize(("shell", "what"), [
    ("flock() { echo no such applet >&2; return 127; }", "a program: .*no such applet"),
    ("echo Welcome; cat", "answers otherwise than a shell: Welcome"),
])  # fmt: skip
def test_a_linux_board_with_another_shell_is_reported(
    linux: LinkedFirmware, shell: str, what: str
) -> None:
    session = f'case "$3" in *flock*) {shell} ;; esac; eval "$3"'
    (linux.folder / "ssh").write_text(f"#!/bin/sh\n{HOST}; {session}\n")
    with (
        pytest.raises(ToolchainError, match=f"RIG014: .*{what}"),
        open_channel(linux, load_board("host", [BOARDS]), Where("ssh:pi")),
    ):
        pass


def test_a_linux_board_that_is_off_is_reported(linux: LinkedFirmware) -> None:
    (linux.folder / "ssh").write_text("#!/bin/sh\necho no route to host >&2\nexit 255\n")
    with (
        pytest.raises(ToolchainError, match="RIG014: .*status 255: no route to host"),
        open_channel(linux, load_board("host", [BOARDS]), Where("ssh:pi")),
    ):
        pass
