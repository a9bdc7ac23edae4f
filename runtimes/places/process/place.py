"""Place of programs that run on the build machine, natively or by their emulator."""

from contextlib import AbstractContextManager

from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.process import hosted


class Hosted(Place):
    """Process that runs the firmware's file."""

    title = "host"
    keeps_bytes = False

    def __init__(self, asked: RunRequest) -> None:
        self._asked = asked
        self.emulated = asked.board.emulator is not None

    def console(self) -> AbstractContextManager[Channel]:
        """Start the program, and take its standard input and output."""
        architecture = self._asked.board.core.architecture
        return hosted(self._asked.firmware.elf, architecture, self._asked.environment)


def place(asked: RunRequest) -> Place:
    """Place that starts a new process."""
    if not asked.board.core.hosted:
        raise unfit(asked, "process", "runs no programs", "leave place= out")
    return Hosted(asked)
