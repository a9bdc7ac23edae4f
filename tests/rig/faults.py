"""Faults of a rig, each with how a run must end: `python -m tests.rig.faults` counts them.

Names that begin with a project and a number are what its users complain of.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from opsmith.rig import run
from tests.rig.acts import (
    answering,
    by_probe,
    changed,
    changed_once,
    comes_back,
    disk_full,
    disk_full_at_the_end,
    echoes,
    fault_in_invoke,
    flashed_once,
    flashes_the_other,
    goes_away,
    half_flashed,
    hang_in_invoke,
    held_by_another,
    held_for_a_while,
    interrupted_at_start,
    interrupted_in,
    interrupted_on,
    let_go,
    limited,
    names_function,
    never_quiet,
    no_tool,
    once,
    restart_on,
    restarts_for_ever,
    rubbish,
    says_instead,
    says_on,
    set_held_by_another,
    shown,
    silent,
    silent_board,
    starts_with,
    tool,
    two_alike,
    unplugged,
    wrong_bytes,
)
from tests.rig.bench import MODEL, Bench, Ended
from tests.rig.desk import SAYS

PASS, FAIL, ERROR, NO_BOARD = "pass", "fail", "rig error", "no board"
STATUS = {PASS: 0, FAIL: 1, ERROR: 3, NO_BOARD: 4}
OVERFLOW = b"!fault\n pc=08000604 cfsr=00000082 mmfar=1ffffff0 sp=1ffffff0 limit=20000000\n!end\n"


@dataclass(frozen=True)
class Fault:
    """An act on a bench, and the end that its run must have."""

    do: Callable[[Bench], object]
    outcome: str
    code: str = ""
    says: str = ""  # words of the message
    phase: str = ""
    status: int = -1  # where it is not that of the outcome
    most: float = 9.0  # seconds
    options: tuple[str, ...] = ()
    after: Callable[[Bench, Ended], None] = field(default=lambda bench, ended: None)


STOPPED: dict[str, Any] = {"outcome": ERROR, "status": 130, "after": let_go}


LINES = {  # of lines that arrive damaged
    "a byte is lost": Fault(changed_once(b"ok 0", lambda d: d[:5] + d[6:]), PASS),
    "a byte is doubled": Fault(changed_once(b"ok 0", lambda d: d[:5] + d[4:]), PASS),
    "a byte is another": Fault(changed_once(b"ok 0", lambda d: d[:4] + b"x" + d[5:]), PASS),
    "a line is lost": Fault(changed_once(b"data", lambda d: b""), PASS),
    "a line comes twice": Fault(changed_once(b"data", lambda d: d + d), PASS),
    "half a line comes before it": Fault(changed_once(b"data", lambda d: d[:9] + d), PASS),
    "rubbish comes between lines": Fault(changed(b"$", lambda d: rubbish(9) + d), PASS),
    "the terminal echoes": Fault(echoes, ERROR, "RIG010", "it sent 'crc", "banner", 5),
    "the end of invoke is lost, tiny-65: too few timestamps": Fault(
        changed_once(b"done", lambda d: b""), PASS),
    "every answer is damaged": Fault(changed(b"ok", lambda d: d[:3] + d[4:]), ERROR, "RIG009",
        "baud rate", "load"),
    "every output is damaged": Fault(changed(b"data", lambda d: d.replace(b"a", b"b")), ERROR,
        "RIG009", "damaged", "collect"),
    "every answer is lost": Fault(silent("write"), ERROR, "RIG008", "no answer", "load"),
    "outputs never come": Fault(silent("read"), ERROR, "RIG008", "no answer", "collect"),
    "an output is too short": Fault(answering("read", "data 0 0 AAAA"), ERROR, "RIG010",
        "does not agree", "collect", status=5),
    "an answer is no number": Fault(answering("stack", "stack many few"), ERROR, "RIG010",
        "stack many", status=5),
}  # fmt: skip
STARTS = {  # of boards that start otherwise than they should
    "rubbish before the banner": Fault(starts_with(rubbish(900)), PASS),
    "half a banner before it": Fault(starts_with(b"$opsmith 2 0 12"), PASS),
    "labgrid-600: the banner was said before anybody heard it": Fault(
        lambda bench: bench.monkeypatch.setattr(bench.peer, "restart", lambda: None), PASS),
    "zephyr-41169: nothing is ever said": Fault(silent_board, ERROR, "RIG005",
        "said nothing in", "banner"),
    "energyrunner-6 and 18: the baud rate is another": Fault(never_quiet, ERROR, "RIG006",
        "baud rate", "banner"),
    "another protocol answers": Fault(says_instead(b"m-name-dut-[x]\r\nm-ready\r\n"), ERROR,
        "RIG006", "something else", "banner"),
    "it restarts for ever": Fault(restarts_for_ever, ERROR, "RIG040", "restarts for ever",
        "banner"),
    "it faults before it greets": Fault(says_on("hello", OVERFLOW), FAIL, "RIG007",
        "stack overflowed", "banner"),
    "another version of the protocol": Fault(lambda bench: setattr(bench.peer, "version", 9),
        ERROR, "RIG010", "version 9", "banner", status=5),
    "firmware of another model": Fault(lambda bench: setattr(bench.peer, "sha256", "12" * 32),
        ERROR, "RIG010", "another model", "banner", status=5),
    "a tensor of another size": Fault(
        lambda bench: setattr(bench.peer, "sizes", ("input 0 65", "output 0 10")), ERROR,
        "RIG010", "has inputs of [65] bytes", status=5),
    "a tensor that cannot be": Fault(
        lambda bench: setattr(bench.peer, "sizes", ("input 0 -1", "output 0 10")), ERROR,
        "RIG010", "input 0 -1", "banner", status=5),
    "power fails between greeting and loading": Fault(
        lambda bench: bench.peer.acts.update(write=once(bench.desk.start)), ERROR, "RIG040",
        "restarted", "load"),
}  # fmt: skip
RUNS = {  # of firmware that fails while it computes
    "other bytes": Fault(wrong_bytes, FAIL, says="bit-exact with LiteRT: no"),
    "zephyr-41982: invoke never ends": Fault(hang_in_invoke, FAIL, "RIG008",
        "no end of invoke within", "run", options=("--timeout=0.5",)),
    "a hard fault": Fault(fault_in_invoke, FAIL, "RIG007", "bus fault on a data access", "run",
        after=names_function),
    "a stack overflow": Fault(says_on("invoke", OVERFLOW), FAIL, "RIG007",
        "the stack overflowed its limit", "run"),
    "a restart while it computes": Fault(restart_on("invoke"), FAIL, "RIG040",
        "restarted during invoke", "run"),
    "a restart while outputs are read": Fault(restart_on("read"), ERROR, "RIG040", "restarted",
        "collect"),
    "a flood": Fault(says_on("invoke", rubbish(1 << 16) * 20), FAIL, "RIG041", "floods", "run"),
    "a node writes out of bounds": Fault(answering("invoke", "overrun 1 9 9"), ERROR, "RIG010",
        "names node 9", "run", status=5),
}  # fmt: skip
QUOTED = "no probe found"
TOOLS = {  # of flash tools
    "zephyr-47820: the tool fails, and is quoted at once": Fault(
        tool(f"echo {QUOTED} >&2; exit 1"), ERROR, "RIG015", QUOTED, "flash", most=4),
    "tt-system-firmware-1439: its status is no timeout": Fault(
        tool("echo verify failed; exit 7"), ERROR, "RIG015", "status 7: verify failed",
        "flash"),
    "zephyr-32478: its failure is none of the build": Fault(tool("exit 1"), ERROR, "RIG015",
        "in phase flash", "flash", status=3),
    "the tool hangs": Fault(limited(0.5), ERROR, "RIG015", "no end within 0.5 s", "flash"),
    "the tool is killed": Fault(tool("kill -9 $$"), ERROR, "RIG015", "ended by SIGKILL",
        "flash"),
    "the tool prints without end": Fault(tool("exec yes"), ERROR, "RIG015", "printed more than",
        "flash"),
    "the tool is not installed": Fault(no_tool, ERROR, "RIG015", "openocd is not installed",
        "flash"),
    "the tool ends well without a word": Fault(tool("exit 0"), ERROR, "RIG015",
        "did not say that it flashed", "flash"),
    "the tool flashes nothing": Fault(tool(f"{SAYS}; exit 0"), ERROR, "RIG045",
        "flashing did not take effect", "banner", 5),
    "flash is written in part": Fault(half_flashed, ERROR, "RIG046", "flash holds other bytes",
        "banner", status=5),
    "zephyr-82331: the tool flashes the other of two boards": Fault(flashes_the_other, ERROR,
        "RIG045", "probe and the console are of one board", "banner", status=5),
    "the board has older firmware": Fault(lambda bench: bench.desk.hold("ef" * 32), PASS,
        after=flashed_once),
}  # fmt: skip
BOARDS = {  # of boards that are missing, or in use by other programs
    "no board is attached": Fault(unplugged, NO_BOARD, "RIG014", "no board"),
    "two boards have one vendor id": Fault(two_alike, NO_BOARD, "RIG014", "2 boards fit"),
    "tiny-60: a board that is no USB device": Fault(lambda bench: None, PASS),
    "labgrid-599: a board that was attached later": Fault(by_probe, PASS),
    "labgrid-761: nobody serves the port at the network": Fault(
        lambda bench: setattr(bench, "options", ["--port=socket://127.0.0.1:1", "--timeout=3"]),
        NO_BOARD, "RIG014", "cannot be opened"),
    "the port goes away and comes back under another name": Fault(comes_back, PASS),
    "the port goes away while it computes": Fault(goes_away("invoke"), ERROR, "RIG011",
        "the port fails", "run"),
    "the port goes away while inputs are sent": Fault(goes_away("write"), ERROR, "RIG011",
        "the port fails", "load"),
    "another test has the board": Fault(held_by_another, NO_BOARD, "RIG048", "is in use by"),
    "another run has the data set": Fault(set_held_by_another, NO_BOARD, "RIG048",
        "data set of", options=(f"--data={MODEL.with_name('digits_test.npz')}",)),
    "another test has the board for a while": Fault(held_for_a_while, PASS,
        options=("--wait=20",)),
}  # fmt: skip
STOP = "kill -INT $PPID; sleep 60"
STOPS = {  # by Ctrl-C in each phase, and by full disks
    "Ctrl-C while flashing": Fault(tool(STOP), phase="flash", **STOPPED),
    "Ctrl-C while greeting": Fault(interrupted_at_start, phase="banner", **STOPPED),
    "Ctrl-C while loading": Fault(interrupted_on("write"), phase="load", **STOPPED),
    "Ctrl-C while it computes": Fault(interrupted_on("invoke"), phase="run", **STOPPED),
    "Ctrl-C while collecting": Fault(interrupted_on("read"), phase="collect", **STOPPED),
    "Ctrl-C while comparing": Fault(interrupted_in(run, "_compare"), phase="compare", **STOPPED),
    "no room for outputs": Fault(disk_full, ERROR, "RIG012", "No space left", status=2,
        after=shown),
    "no room for results": Fault(disk_full_at_the_end, "", says="No space left", status=2,
        after=shown),
}  # fmt: skip
FAULTS = {"no fault": Fault(lambda bench: None, PASS), **LINES, **STARTS, **RUNS, **TOOLS}
FAULTS |= {**BOARDS, **STOPS}

if __name__ == "__main__":
    print(f"{len(FAULTS) - 1} kinds of faults")
