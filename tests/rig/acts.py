"""Acts on a bench, by which the rig, the board or what lies between them goes wrong."""

import errno
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.rig import arrays, attached, lock
from tests.rig.bench import Act, Bench, Ended
from tests.rig.desk import SAYS

DUMP = b"""!fault
 pc={pc:08x} lr=08000123 psr=21000000 r0=b0000000
 cfsr=00008200 hfsr=40000000 bfar=b0000000 sp=20001000 limit=20000000
!end
"""


def once(act: Callable[[], object], *, instead: bool = True) -> Act:
    """Act that happens only the first time, in place of the answer or before it."""
    left = [act]

    def first() -> bool:
        if not left:
            return False
        left.pop()()
        return instead

    return first


def always(act: Callable[[], object], *, instead: bool = True) -> Act:
    """Act that happens each time."""

    def each() -> bool:
        act()
        return instead

    return each


def changed_once(word: bytes, change: Callable[[bytes], bytes]) -> Callable[[Bench], None]:
    """Act that changes the first answer with a given word."""

    def do(bench: Bench) -> None:
        left = [change]

        def wire(data: bytes) -> bytes:
            return left.pop()(data) if left and word in data else data

        bench.desk.wire = wire

    return do


def changed(word: bytes, change: Callable[[bytes], bytes]) -> Callable[[Bench], None]:
    """Act that changes every answer with a given word."""

    def do(bench: Bench) -> None:
        bench.desk.wire = lambda data: change(data) if word in data else data

    return do


def on(word: str, act: Callable[[Bench], Act]) -> Callable[[Bench], None]:
    """Act that happens when the host asks a given question."""
    return lambda bench: bench.peer.acts.update({word: act(bench)})


def answering(word: str, body: str) -> Callable[[Bench], None]:
    """Act that answers a question with a given line, each time."""
    return on(word, lambda bench: always(lambda: bench.peer.answer(body)))


def silent(word: str) -> Callable[[Bench], None]:
    """Act that never answers a question."""
    return on(word, lambda bench: always(lambda: None))


def restart_on(word: str) -> Callable[[Bench], None]:
    """Act that restarts the firmware in place of the first answer."""
    return on(word, lambda bench: once(bench.desk.start))


def says_on(word: str, data: bytes) -> Callable[[Bench], None]:
    """Act that says a given text in place of an answer."""
    return on(word, lambda bench: always(lambda: bench.peer.say(data)))


def tool(text: str, holds: str = "ef" * 32) -> Callable[[Bench], None]:
    """Act of a flash tool that runs a script before it flashes a board with other firmware."""

    def do(bench: Bench) -> None:
        bench.desk.hold(holds)
        bench.desk.tool(text)

    return do


def fault_in_invoke(bench: Bench) -> None:
    """A bus fault in a function of the model."""
    from opsmith.report.elf import read_symbol

    pc = read_symbol(bench.build.elf, "main") or 0
    dump = DUMP.replace(b"{pc:08x}", b"%08x" % pc)
    says_on("invoke", dump)(bench)


def hang_in_invoke(bench: Bench) -> None:
    """An invoke that begins and never ends."""
    number = [0]

    def act() -> bool:
        number[0] = int(bench.peer.heard[-1].split()[1])
        bench.peer.answer(f"running {number[0]}")
        return True

    bench.peer.acts["invoke"] = act


def wrong_bytes(bench: Bench) -> None:
    """Act that flips one bit of the outputs."""

    def act() -> bool:
        bench.peer.outputs = bytes([bench.peer.outputs[0] ^ 1]) + bench.peer.outputs[1:]
        return False

    bench.peer.acts["read"] = once(act, instead=False)


def rubbish(count: int) -> bytes:
    """Bytes that a wrong baud rate makes."""
    return bytes(0x80 | (7 * i) % 128 for i in range(count))


def never_quiet(bench: Bench) -> None:
    """A board that says rubbish for ever, and knows no protocol."""
    bench.desk.wire = lambda data: rubbish(64)


def says_instead(text: bytes) -> Callable[[Bench], None]:
    """Firmware with another protocol: all it says is this."""

    def do(bench: Bench) -> None:
        bench.desk.wire = lambda data: text

    return do


def echoes(bench: Bench) -> None:
    """A terminal that sends back what it is sent."""
    send = bench.peer.send

    def sent(data: bytes) -> None:
        bench.peer.say(data)
        send(data)

    bench.monkeypatch.setattr(bench.peer, "send", sent)


def starts_with(data: bytes) -> Callable[[Bench], None]:
    """Act that says a given text before the banner."""
    return lambda bench: setattr(bench.desk, "on_start", lambda desk: bench.peer.say(data))


def restarts_for_ever(bench: Bench) -> None:
    """A watchdog that resets the board before anybody can greet it."""

    def again() -> bool:
        bench.peer.banner()
        return True

    bench.peer.acts["hello"] = again

    def nine(desk: object) -> None:
        for _ in range(9):
            bench.peer.banner()

    bench.desk.on_start = nine


def half_flashed(bench: Bench) -> None:
    """A flash tool that leaves the end of flash as it was, as the board without one has it."""

    def flashed(content: bytes) -> None:
        bench.desk.hold(bench.build.digest)
        bench.peer.memory = {
            at: data[: len(data) // 2].ljust(len(data), b"\xff")
            for at, data in bench.peer.memory.items()
        }

    bench.monkeypatch.setattr(bench.desk, "flashed", flashed)
    bench.desk.hold("ef" * 32)


def flashes_the_other(bench: Bench) -> None:
    """Two boards with one vendor id; the tool ignores which probe it is to take."""
    bench.attach((bench.desk.port, "0671FF"), ("/dev/ttyOTHER", "0672FF"))
    bench.desk.hold("ef" * 32)
    bench.desk.tool(f"{SAYS}; exit 0")


def by_probe(bench: Bench) -> None:
    """Find the board by its USB id."""
    bench.attach((bench.desk.port, "0671FF"))
    bench.options = ["--timeout=3"]


def two_alike(bench: Bench) -> None:
    """Two boards with one vendor id, and nobody says which."""
    bench.attach((bench.desk.port, "0671FF"), ("/dev/ttyOTHER", "0672FF"))
    bench.options = ["--timeout=3"]


def unplugged(bench: Bench) -> None:
    """Detach the board."""
    bench.options = ["--timeout=3"]


def comes_back(bench: Bench) -> None:
    """The port goes away while the board is flashed, and comes back under another name."""
    by_probe(bench)
    bench.desk.hold("ef" * 32)

    def on_start(desk: object) -> None:
        bench.desk.come_back()
        bench.attach((bench.desk.port, "0671FF"))

    bench.desk.on_start = on_start


def goes_away(word: str) -> Callable[[Bench], None]:
    """The cable is pulled in place of an answer."""
    return on(word, lambda bench: once(bench.desk.vanish))


def held_by_another(bench: Bench) -> None:
    """Another program has the board until the end."""
    held = _another(f"port {bench.desk.port}")
    bench.monkeypatch.setattr(bench, "another", held, raising=False)


def set_held_by_another(bench: Bench) -> None:
    """Another program runs a data set of the build until the end."""
    held = _another(f"data set of {bench.build.folder.resolve()}")
    bench.monkeypatch.setattr(bench, "another", held, raising=False)


def held_for_a_while(bench: Bench) -> None:
    """Another program lets the board go after a moment."""
    from threading import Timer

    Timer(0.5, _another(f"port {bench.desk.port}").close).start()


def _another(name: str) -> ExitStack:
    stack = ExitStack()
    stack.enter_context(lock.held([name]))
    return stack


def interrupt() -> None:
    """Send this process the signal of Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


def interrupted_on(word: str) -> Callable[[Bench], None]:
    """Ctrl-C in place of an answer."""
    return on(word, lambda bench: once(interrupt))


def interrupted_at_start(bench: Bench) -> None:
    """Ctrl-C while a board that was reset is asked what its flash holds."""

    def on_start(desk: object) -> None:
        bench.peer.acts["crc"] = once(interrupt)

    bench.desk.on_start = on_start


def interrupted_in(module: Any, name: str) -> Callable[[Bench], None]:
    """Interrupt by Ctrl-C within a function."""

    def stopped(*_: object, **__: object) -> None:
        interrupt()
        signal.pause()

    return lambda bench: bench.monkeypatch.setattr(module, name, stopped)


def let_go(bench: Bench, ended: Ended) -> None:
    """Require that no program holds the board after the run."""
    assert lock.holder(f"port {bench.desk.port}") == ""


def disk_full(bench: Bench) -> None:
    """Act that leaves no room on the disk for the outputs."""

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    bench.monkeypatch.setattr(
        arrays, "_replace", lambda path, content: full() if path.stem == "output" else None
    )


def disk_full_at_the_end(bench: Bench) -> None:
    """Act that leaves no room on the disk for run.json."""

    def full(*_: object) -> None:
        raise ToolchainError.of("BLD002", "cannot write: No space left", where="x", fix="y")

    bench.monkeypatch.setattr("opsmith.rig.result.replace_files", full)


def shown(bench: Bench, ended: Ended) -> None:
    """Require that collected outputs were compared, and the comparison shown."""
    assert "bit-exact with LiteRT: yes" in ended.said


def limited(seconds: float) -> Callable[[Bench], None]:
    """A flash tool that is given little time, and hangs."""

    def do(bench: Bench) -> None:
        tool("exec sleep 60")(bench)
        of = bench.monkeypatch.setattr
        of(attached.Attached.__init__, "__defaults__", (seconds,))

    return do


def no_tool(bench: Bench) -> None:
    """No flash tool, and a board without firmware."""
    bench.desk.hold("")
    (bench.desk.folder / "openocd").unlink()


def silent_board(bench: Bench) -> None:
    """A board that says nothing, whatever it holds."""
    bench.desk.wire = lambda data: b""


def names_function(bench: Bench, ended: Ended) -> None:
    """Require that the error names registers and the function."""
    assert "r0=b0000000" in ended.said
    assert "pc is in main at main.cc:" in ended.said


def flashed_once(bench: Bench, ended: Ended) -> None:
    """Require that the board was flashed exactly once."""
    states = {phase["name"]: phase["state"] for phase in ended.result["phases"]}
    assert (states["flash"], bench.desk.starts) == ("done", 1)
