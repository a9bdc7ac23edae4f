"""`python -m opsmith console`: shows what an application of one's own says, until it ends.

Nothing is compared: an application need not answer what the runner does."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.build_options import BuildOptions
from opsmith.option import add_named_flags
from opsmith.rig.build import check_current, load_build
from opsmith.rig.channel import Channel, Ended
from opsmith.rig.child import ENDED_WELL
from opsmith.rig.rig import open_channel
from opsmith.rig.text import escaped

SECONDS = 10.0  # by default
_MOST_BYTES = 16 << 20  # that it may say
_AS_THEY_ARE = "\n\t"


def main(argv: Sequence[str]) -> int:
    """Return 0 when the application ended well, or was still running when the time was over."""
    parser = argparse.ArgumentParser(prog="opsmith console", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    add_named_flags(parser, BuildOptions, "port", "timeout")
    arguments = parser.parse_args(argv)
    board = chosen_board(arguments)
    build = load_build(arguments.build)
    check_current(build, arguments.model, board.name)
    seconds = SECONDS if arguments.timeout is None else arguments.timeout
    with open_channel(build, board, arguments.port) as channel:
        how, good = shown(channel, seconds)
        print(escaped(f"{board.title} ({channel.title}): {how}"))
    return 0 if good else 1


def shown(channel: Channel, seconds: float) -> tuple[str, bool]:
    """How an application ended, and whether well, after printing what it said."""
    deadline = time.monotonic() + seconds
    said = 0
    last = "\n"
    while (left := deadline - time.monotonic()) > 0:
        try:
            data = channel.receive(left)
        except Ended as ended:
            how = str(ended)
            break
        said += len(data)
        if said > _MOST_BYTES:
            how = f"stopped: it said more than {_MOST_BYTES >> 20} MiB"
            break
        text = _readable(data)
        sys.stdout.write(text)
        sys.stdout.flush()
        last = text[-1:] or last
    else:
        how = f"still running after {seconds:g} s; timeout=SECONDS listens longer"
    if last != "\n":
        print()
    return how, how == ENDED_WELL or how.startswith("still running")


def _readable(data: bytes) -> str:
    """Text for a terminal; a firmware is not to move its cursor, nor to write to its clipboard."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    parts = re.split("([\n\t])", text)
    return "".join(part if part in _AS_THEY_ARE else escaped(part) for part in parts)
