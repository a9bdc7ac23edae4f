"""Faults of a rig, each with how a run must end: `python -m tests.rig.faults` counts them.

Names that begin with a project and a number are what its users complain of.
"""

from collections.abc import Callable, Iterator
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


def every() -> Iterator[tuple[str, Fault]]:
    """Faults of every kind, by name."""
    yield "no fault", Fault(lambda bench: None, PASS)
    yield from lines()
    yield from starts()
    yield from runs()
    yield from tools()
    yield from boards()
    yield from stops()


def lines() -> Iterator[tuple[str, Fault]]:
    """Faults of lines that arrive damaged."""
    yield "a byte is lost", Fault(changed_once(b"ok 0", lambda d: d[:5] + d[6:]), PASS)
    yield "a byte is doubled", Fault(changed_once(b"ok 0", lambda d: d[:5] + d[4:]), PASS)
    yield "a byte is another", Fault(changed_once(b"ok 0", lambda d: d[:4] + b"x" + d[5:]), PASS)
    yield "a line is lost", Fault(changed_once(b"data", lambda d: b""), PASS)
    yield "a line comes twice", Fault(changed_once(b"data", lambda d: d + d), PASS)
    yield "half a line comes before it", Fault(changed_once(b"data", lambda d: d[:9] + d), PASS)
    yield "rubbish comes between lines", Fault(changed(b"$", lambda d: rubbish(9) + d), PASS)
    yield "the terminal echoes", Fault(echoes, ERROR, "RIG010", "it sent 'crc", "banner", 5)
    yield (
        "the end of invoke is lost, tiny-65: too few timestamps",
        Fault(changed_once(b"done", lambda d: b""), PASS),
    )
    yield (
        "every answer is damaged",
        Fault(changed(b"ok", lambda d: d[:3] + d[4:]), ERROR, "RIG009", "baud rate", "load"),
    )
    yield (
        "every output is damaged",
        Fault(
            changed(b"data", lambda d: d.replace(b"a", b"b")), ERROR, "RIG009", "damaged", "collect"
        ),
    )
    yield "every answer is lost", Fault(silent("write"), ERROR, "RIG008", "no answer", "load")
    yield "outputs never come", Fault(silent("read"), ERROR, "RIG008", "no answer", "collect")
    yield (
        "an output is too short",
        Fault(
            answering("read", "data 0 0 AAAA"),
            ERROR,
            "RIG010",
            "does not agree",
            "collect",
            status=5,
        ),
    )
    yield (
        "an answer is no number",
        Fault(answering("stack", "stack many few"), ERROR, "RIG010", "stack many", status=5),
    )


def starts() -> Iterator[tuple[str, Fault]]:
    """Faults of boards that start otherwise than they should."""
    yield "rubbish before the banner", Fault(starts_with(rubbish(900)), PASS)
    yield "half a banner before it", Fault(starts_with(b"$opsmith 2 0 12"), PASS)
    yield (
        "labgrid-600: the banner was said before anybody heard it",
        Fault(lambda bench: bench.monkeypatch.setattr(bench.peer, "restart", lambda: None), PASS),
    )
    yield (
        "zephyr-41169: nothing is ever said",
        Fault(silent_board, ERROR, "RIG005", "said nothing in", "banner"),
    )
    yield (
        "energyrunner-6 and 18: the baud rate is another",
        Fault(never_quiet, ERROR, "RIG006", "baud rate", "banner"),
    )
    yield (
        "another protocol answers",
        Fault(
            says_instead(b"m-name-dut-[x]\r\nm-ready\r\n"),
            ERROR,
            "RIG006",
            "something else",
            "banner",
        ),
    )
    yield (
        "it restarts for ever",
        Fault(restarts_for_ever, ERROR, "RIG040", "restarts for ever", "banner"),
    )
    yield (
        "it faults before it greets",
        Fault(says_on("hello", OVERFLOW), FAIL, "RIG007", "stack overflowed", "banner"),
    )
    yield "another version of the protocol", Fault(
        lambda bench: setattr(bench.peer, "version", 9), ERROR, "RIG010", "version 9", "banner",
        status=5,
    )  # fmt: skip
    yield "firmware of another model", Fault(
        lambda bench: setattr(bench.peer, "sha256", "12" * 32), ERROR, "RIG010", "another model",
        "banner", status=5,
    )  # fmt: skip
    yield "a tensor of another size", Fault(
        lambda bench: setattr(bench.peer, "sizes", ("input 0 65", "output 0 10")), ERROR,
        "RIG010", "has inputs of [65] bytes", status=5,
    )  # fmt: skip
    yield "a tensor that cannot be", Fault(
        lambda bench: setattr(bench.peer, "sizes", ("input 0 -1", "output 0 10")), ERROR,
        "RIG010", "input 0 -1", "banner", status=5,
    )  # fmt: skip
    yield "power fails between greeting and loading", Fault(
        lambda bench: bench.peer.acts.update(write=once(bench.desk.start)), ERROR, "RIG040",
        "restarted", "load",
    )  # fmt: skip


def runs() -> Iterator[tuple[str, Fault]]:
    """Faults of firmware that fails while it computes."""
    yield "other bytes", Fault(wrong_bytes, FAIL, says="bit-exact with LiteRT: no")
    yield (
        "zephyr-41982: invoke never ends",
        Fault(
            hang_in_invoke,
            FAIL,
            "RIG008",
            "no end of invoke within",
            "run",
            options=("--timeout=0.5",),
        ),
    )
    yield (
        "a hard fault",
        Fault(
            fault_in_invoke,
            FAIL,
            "RIG007",
            "bus fault on a data access",
            "run",
            after=names_function,
        ),
    )
    yield (
        "a stack overflow",
        Fault(says_on("invoke", OVERFLOW), FAIL, "RIG007", "the stack overflowed its limit", "run"),
    )
    yield (
        "a restart while it computes",
        Fault(restart_on("invoke"), FAIL, "RIG040", "restarted during invoke", "run"),
    )
    yield (
        "a restart while outputs are read",
        Fault(restart_on("read"), ERROR, "RIG040", "restarted", "collect"),
    )
    yield (
        "a flood",
        Fault(says_on("invoke", rubbish(1 << 16) * 20), FAIL, "RIG041", "floods", "run"),
    )
    yield (
        "a node writes out of bounds",
        Fault(
            answering("invoke", "overrun 1 9 9"), ERROR, "RIG010", "names node 9", "run", status=5
        ),
    )


def tools() -> Iterator[tuple[str, Fault]]:
    """Faults of flash tools."""
    quoted = "no probe found"
    yield (
        "zephyr-47820: the tool fails, and is quoted at once",
        Fault(tool(f"echo {quoted} >&2; exit 1"), ERROR, "RIG015", quoted, "flash", most=4),
    )
    yield (
        "tt-system-firmware-1439: its status is no timeout",
        Fault(
            tool("echo verify failed; exit 7"), ERROR, "RIG015", "status 7: verify failed", "flash"
        ),
    )
    yield (
        "zephyr-32478: its failure is none of the build",
        Fault(tool("exit 1"), ERROR, "RIG015", "in phase flash", "flash", status=3),
    )
    yield "the tool hangs", Fault(limited(0.5), ERROR, "RIG015", "no end within 0.5 s", "flash")
    yield (
        "the tool is killed",
        Fault(tool("kill -9 $$"), ERROR, "RIG015", "ended by SIGKILL", "flash"),
    )
    yield (
        "the tool prints without end",
        Fault(tool("exec yes"), ERROR, "RIG015", "printed more than", "flash"),
    )
    yield "the tool is not installed", Fault(
        no_tool,
        ERROR, "RIG015", "openocd is not installed", "flash",
    )  # fmt: skip
    yield (
        "the tool ends well without a word",
        Fault(tool("exit 0"), ERROR, "RIG015", "did not say that it flashed", "flash"),
    )
    yield (
        "the tool flashes nothing",
        Fault(
            tool(f"{SAYS}; exit 0"), ERROR, "RIG045", "flashing did not take effect", "banner", 5
        ),
    )
    yield (
        "flash is written in part",
        Fault(half_flashed, ERROR, "RIG046", "flash holds other bytes", "banner", status=5),
    )
    yield "zephyr-82331: the tool flashes the other of two boards", Fault(
        flashes_the_other, ERROR, "RIG045", "probe and the console are of one board", "banner",
        status=5,
    )  # fmt: skip
    yield (
        "the board has older firmware",
        Fault(lambda bench: bench.desk.hold("ef" * 32), PASS, after=flashed_once),
    )


def boards() -> Iterator[tuple[str, Fault]]:
    """Faults of boards that are missing, or in use by other programs."""
    yield "no board is attached", Fault(unplugged, NO_BOARD, "RIG014", "no board")
    yield "two boards have one vendor id", Fault(two_alike, NO_BOARD, "RIG014", "2 boards fit")
    yield "tiny-60: a board that is no USB device", Fault(lambda bench: None, PASS)
    yield "labgrid-599: a board that was attached later", Fault(by_probe, PASS)
    yield "labgrid-761: nobody serves the port at the network", Fault(
        lambda bench: setattr(bench, "options", ["--port=socket://127.0.0.1:1", "--timeout=3"]),
        NO_BOARD, "RIG014", "cannot be opened",
    )  # fmt: skip
    yield "the port goes away and comes back under another name", Fault(comes_back, PASS)
    yield (
        "the port goes away while it computes",
        Fault(goes_away("invoke"), ERROR, "RIG011", "the port fails", "run"),
    )
    yield (
        "the port goes away while inputs are sent",
        Fault(goes_away("write"), ERROR, "RIG011", "the port fails", "load"),
    )
    yield "another test has the board", Fault(held_by_another, NO_BOARD, "RIG048", "is in use by")
    yield "another run has the data set", Fault(
        set_held_by_another, NO_BOARD, "RIG048", "data set of",
        options=(f"--data={MODEL.with_name('digits_test.npz')}",),
    )  # fmt: skip
    yield (
        "another test has the board for a while",
        Fault(held_for_a_while, PASS, options=("--wait=20",)),
    )


def stops() -> Iterator[tuple[str, Fault]]:
    """Faults by Ctrl-C in each phase, and by full disks."""
    stop = "kill -INT $PPID; sleep 60"
    yield "Ctrl-C while flashing", Fault(tool(stop), phase="flash", **STOPPED)
    yield "Ctrl-C while greeting", Fault(interrupted_at_start, phase="banner", **STOPPED)
    yield "Ctrl-C while loading", Fault(interrupted_on("write"), phase="load", **STOPPED)
    yield "Ctrl-C while it computes", Fault(interrupted_on("invoke"), phase="run", **STOPPED)
    yield "Ctrl-C while collecting", Fault(interrupted_on("read"), phase="collect", **STOPPED)
    yield (
        "Ctrl-C while comparing",
        Fault(interrupted_in(run, "_compare"), phase="compare", **STOPPED),
    )
    yield (
        "no room for outputs",
        Fault(disk_full, ERROR, "RIG012", "No space left", status=2, after=shown),
    )
    yield (
        "no room for results",
        Fault(disk_full_at_the_end, "", says="No space left", status=2, after=shown),
    )


FAULTS = dict(every())

if __name__ == "__main__":
    print(f"{len(FAULTS) - 1} kinds of faults")
