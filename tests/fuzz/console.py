"""Hostile firmware, emulators and ports: `python -m tests.fuzz.console --count=N --seed=S`."""

import json
import os
import sys
import tty
from pathlib import Path
from random import Random

import numpy as np

from opsmith.board.manifest import Console
from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.build import Build, PortTensor
from opsmith.rig.protocol import Patience, Session
from opsmith.rig.qemu import Control, terminal
from opsmith.rig.rig import Rig
from opsmith.rig.serial import attached
from tests.fuzz.console_peer import BEHAVIOURS, HostilePeer
from tests.fuzz.trials import Limits, command

LIMITS = Limits(seconds=20.0, mebibytes=32)
PATIENCE = Patience(boot=15, line=3, invoke=120)
SLOWEST = 300.0  # seconds of the peer's clock: the sum of all deadlines of one conversation
MOST_BYTES = 24 << 20  # 1 MiB for each question, and some that came with them
INPUTS = (
    PortTensor("x", "int8", (10,), 10, None, None, "x"),
    PortTensor("y", "uint8", (3,), 3, None, None, "y"),
)
OUTPUTS = (PortTensor("z", "int8", (10,), 10, None, None, "z"),)
KEPT = {"offset": 0, "bytes": 4, "memory": "ram", "what": "\x1b[2J"}
NODE = {"op": "add\n", "kernel": "k", "source": "operator 0", "keeps": [KEPT]}
REPORT = {"nodes": [NODE, {"keeps": 3}, {}]}


def trial(chance: Random, folder: Path) -> str:
    """Outcome of a trial; anything but a right answer and a coded error is raised."""
    kind = chance.random()
    try:
        if kind < 0.8:
            return _conversation(chance, folder)
        if kind < 0.95:
            return _control(chance, folder)
        return _terminal(chance, folder)
    except ToolchainError as error:
        return _code(error)


def _code(error: ToolchainError) -> str:
    codes = {problem.code for problem in error.problems}
    assert len(codes) == 1, error
    text = str(error)
    assert len(text) < 20_000
    assert text.replace("\n", "").isprintable(), ascii(text)
    return codes.pop()


def _conversation(chance: Random, folder: Path) -> str:
    """A whole run with a firmware that misbehaves in one way or two."""
    (folder / "report.json").write_text(json.dumps(REPORT))
    behaviours = chance.sample(BEHAVIOURS, chance.choice((0, 1, 1, 1, 2)))
    peer = HostilePeer(chance, behaviours)
    build = Build(folder, folder / "firmware.elf", "b", peer.sha, INPUTS, OUTPUTS)
    inputs = arrays.seeded(INPUTS, chance.randrange(100))
    told = ""
    try:
        session = Session(peer, PATIENCE, None, peer.clock)
        rig = Rig(build, session, peer.title)
        session.crc(0, 1 << 16)
        outputs = [rig.invoke(inputs) for _ in range(2)][-1]
        rig.stack()
    except ToolchainError as error:
        told = _code(error)
    assert peer.now <= SLOWEST, f"{behaviours}: {peer.now} s"
    assert peer.sent <= MOST_BYTES, f"{behaviours}: {peer.sent} bytes"
    assert told in ("RIG040", "RIG011", "RIG007") or not peer.restarted or len(behaviours) > 1, (
        f"a restart was told as {told or 'success'}"
    )
    assert told or not peer.restarted, "a restart went unnoticed"
    if not told and not behaviours:
        np.testing.assert_array_equal(outputs[0], ~inputs[0])
    assert not told or behaviours, told
    return told or ("right" if not behaviours else "an answer")


def _control(chance: Random, folder: Path) -> str:
    """Read QMP from a program that may not be QEMU, all of whose output is there from the start."""
    answers: list[object] = [
        {"QMP": {"version": {}}},
        {"return": {}},
        {"return": [{"label": "console-base", "filename": _console(chance, folder)}]},
        {"return": {}},
        {"return": {}},
    ]
    lines = [json.dumps(answer).encode() for answer in answers]
    for _ in range(chance.choice((0, 1, 1, 2))):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + chance.choice((0, 1))] = [chance.choice(MESSAGES)]
    silent = chance.random() < 0.1
    reads = os.memfd_create("qmp")
    waits, held = os.pipe()
    writes = os.open(os.devnull, os.O_WRONLY)
    os.write(reads, b"\n".join(lines) + chance.choice((b"\n", b"\n", b"")))
    os.lseek(reads, 0, os.SEEK_SET)
    try:
        control = Control(waits if silent else reads, writes, lambda: "it ended", 0.01)
        with terminal(control.console()):
            control.execute("x-exit-preconfig")
            control.execute("cont")
    except Ended as ended:
        assert str(ended).isprintable(), ascii(str(ended))
        return "QEMU does not start"
    finally:
        for descriptor in (reads, waits, held, writes):
            os.close(descriptor)
    return "QEMU starts"


MESSAGES = (
    b"{", b"{}", b"[]", b"null", b"{]", b'{"QMP"', b'{"a":' * 5000, b"\xff\xfe{",
    b'{"return": "\xff"}',
    b'{"return": 5}', b'{"return": [5, null]}', b'{"return": [{"label": "console-base"}]}',
    b'{"return": [{"label": ["console-base"], "filename": 7}]}', b'{"error": "\x1b[2J"}',
    b'{"error": "\\u001b[2J\\ud800"}', b'{"error": {"desc": "no"}}', b'{"event": "STOP"}',
    b'{"return": [{"label": "console-base", "filename": {"a": 1}}]}',
    b'{"return": [{"label": "console-base", "filename": "tcp:1"}]}',
    b'{"return": ' + b"9" * 5000 + b"}", b"char device redirected", b"x" * (3 << 20),
    b"x\n" * (1 << 20), b'{"event": 1}\n' * (1 << 17), b"\x1b]0;title\x07", bytes(100),
)  # fmt: skip


def _console(chance: Random, folder: Path) -> object:
    return chance.choice(("pty:", "pty:", "pty:", "tcp:", "")) + _path(chance, folder)


def _path(chance: Random, folder: Path) -> str:
    """Path of a terminal, of a different kind of file, or of nothing."""
    (folder / "file").write_bytes(b"x")
    if not (folder / "fifo").exists():
        os.mkfifo(folder / "fifo")
    return chance.choice((
        "/dev/ptmx", "/dev/ptmx", "/dev/null", "/dev/pts/99999", "/dev/zero", str(folder),
        str(folder / "file"), str(folder / "fifo"), str(folder / "none"), "", "a\0b", "x" * 5000,
        "\x1b[2J", "\ud800",
    ))  # fmt: skip


def _terminal(chance: Random, folder: Path) -> str:
    """Open a port that may be no terminal; returns "port opens"."""
    if chance.random() < 0.3:
        with Pty() as path, attached(path, Console(115200, None)) as channel:
            assert channel.receive(0.0) == b""
        return "port opens"
    urls = (
        "nonsense://",
        "alt://x?class=No",
        "spy://",
        "loop://?logging=x",
        "hwgrep://[",
        "socket://:99999",
    )
    port = chance.choice((*urls, _path(chance, folder)))
    with attached(port, Console(115200, None)):
        return "port opens"


class Pty:
    """A pseudo-terminal for as long as it is used."""

    def __enter__(self) -> str:
        self._ends = os.openpty()
        tty.setraw(self._ends[1])
        return os.ttyname(self._ends[1])

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            os.close(end)


if __name__ == "__main__":
    sys.exit(command("console", trial, LIMITS, sys.argv[1:]))
