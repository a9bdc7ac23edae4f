"""`python -m opsmith console`: shows the output of a user's application, until it ends.

Nothing is compared, since an application need not answer the runner's protocol.
"""

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.child import ENDED, Ended
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.option import add_named_flags
from opsmith.rig.build import LinkedFirmware, check_application, load_application
from opsmith.rig.channel import Channel
from opsmith.rig.fault import END, LOCKUP, LOCKUP_FIX, Decoder, decoder_of, last_dump
from opsmith.rig.place import ANYWHERE, OPTIONS, Where, where_of
from opsmith.rig.rig import open_channel
from opsmith.text import escaped

SECONDS = 10.0  # by default
_MOST_BYTES = 16 << 20  # limit of output
_MOST_OF_A_DUMP = 4096  # bytes
_AS_THEY_ARE = "\n\t"


def main(argv: Sequence[str]) -> int:
    """Return the application's exit status, or 0 if it was still running when the time was over."""
    parser = Parser(prog="opsmith console", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    models = "the .tflite it was built from, of each model"
    parser.add_argument("--model", required=True, action="append", type=Path, help=models)
    add_board(parser)
    add_named_flags(parser, BuildOptions, *OPTIONS, "timeout")
    arguments = parser.parse_args(argv)
    board = chosen_board(arguments)
    build = load_application(arguments.build)
    check_application(build, arguments.model, board.name)
    seconds = SECONDS if arguments.timeout is None else arguments.timeout
    decoder = decoder_of(board.core.architecture, str(build.elf))
    with listening(build, board, where_of(arguments)) as (channel, log):
        how, status = shown(channel, seconds, log, decoder)
        print(escaped(f"{board.title} ({channel.title}): {how}"))
    return status


@contextmanager
def listening(
    build: LinkedFirmware, board: Board, where: Where = ANYWHERE
) -> Iterator[tuple[Channel, Path]]:
    """Channel to a started application, and the file of its output, if QEMU runs it.

    QEMU runs it as under a debugger, so that `debug_write()` appears in the console's output, and
    QEMU ends when `main()` returns. A pty forgets unread output when QEMU ends; the file has all of
    it.
    """
    with TemporaryDirectory() as folder, ExitStack() as stack:
        log = Path(folder, "said")
        options = ["-semihosting-config", "enable=on,target=native,chardev=console"]
        options += ["-set", f"chardev.console.logfile={log}"]
        yield stack.enter_context(open_channel(build, board, where, options)), log


_BY_DEFAULT = Decoder()


def shown(
    channel: Channel, seconds: float, log: Path | None = None, decoder: Decoder = _BY_DEFAULT
) -> tuple[str, int]:
    """Text about the end of an application, and its status, after printing its output. The status
    is 0 of an application that still runs, and 1 where a signal or the rig ended it.

    The received output is the beginning of `log`, if there is one: the rest is printed at the end.
    Raises RIG007 for an application that faults, and RIG011 for one whose fault handler does.
    """
    deadline = time.monotonic() + seconds
    said, tail = 0, b""
    last = "\n"
    while (left := deadline - time.monotonic()) > 0:
        try:
            data = channel.receive(left)
        except Ended as ended:
            how = str(ended)
            rest = _after(log, said)
            last, tail = _said(rest) or last, tail + rest
            break
        said += len(data)
        if said > _MOST_BYTES:
            how = f"stopped: it said more than {_MOST_BYTES >> 20} MiB"
            break
        last, tail = _said(data) or last, (tail + data)[-_MOST_OF_A_DUMP:]
        if END in last_dump(tail):
            break
    else:
        how = f"still running after {seconds:g} s; timeout=SECONDS listens longer"
    if last != "\n":
        print()
    if last_dump(tail):
        what, fix = decoder.explain(tail), "look at the function the PC is in"
        raise ToolchainError.of("RIG007", f"it faulted\n{what}", where=channel.title, fix=fix)
    if LOCKUP in how:
        what = f"it is gone: {how}"
        raise ToolchainError.of("RIG011", what, where=channel.title, fix=LOCKUP_FIX)
    match = re.match(ENDED, how)  # QEMU may add a warning
    return how, int(match[1]) if match else 0 if how.startswith("still running") else 1


def _after(log: Path | None, said: int) -> bytes:
    """Content of a log after its first `said` bytes; empty where the log is missing."""
    if log is None or not log.is_file():
        return b""
    with log.open("rb") as file:
        file.seek(said)
        return file.read(_MOST_BYTES)


def _said(data: bytes) -> str:
    """Print output of an application; returns the last character."""
    text = readable(data)
    sys.stdout.write(text)
    sys.stdout.flush()
    return text[-1:]


def readable(data: bytes) -> str:
    """Output as text for a terminal, whose cursor and clipboard firmware must not control."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    parts = re.split("([\n\t])", text)
    return "".join(part if part in _AS_THEY_ARE else escaped(part) for part in parts)
