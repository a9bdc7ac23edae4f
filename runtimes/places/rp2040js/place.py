"""rp2040js in place of a Raspberry Pi Pico: an emulator of the RP2040, from npm."""

import os
import shutil
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.process import started

MODULES = Path(sys.prefix, "node_modules")  # where ./bootstrap --all puts it
PLAYER = Path(__file__).with_name("play.cjs")
PART = "rp2040"


class Played(Place):
    """Emulated RP2040 with the firmware in its flash."""

    title = "rp2040js"
    emulated = True

    def __init__(self, asked: RunRequest) -> None:
        self._asked = asked

    def console(self) -> AbstractContextManager[Channel]:
        """Start Node.js; the firmware's UART is its standard input and output."""
        node = shutil.which("node")
        if node is None or not (MODULES / "rp2040js").is_dir():
            what, fix = "rp2040js is not installed", "run ./bootstrap --all, where npm is"
            raise ToolchainError.of("RIG003", what, where=str(MODULES), fix=fix)
        image = self._asked.firmware.elf.with_suffix(".bin")
        command = [node, str(PLAYER), os.path.abspath(image)]
        return started(command, self.title, str(image), {"NODE_PATH": str(MODULES)})


def place(asked: RunRequest) -> Place:
    """Place that starts a new emulated chip."""
    board = asked.board
    if board.setup is None or board.family is None or board.setup.part != PART:
        raise unfit(asked, "rp2040js", "is no RP2040", "leave place= out")
    return Played(asked)
