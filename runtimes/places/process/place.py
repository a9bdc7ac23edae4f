"""Place of programs that run on the machine that builds, itself or by an emulator of theirs."""

from contextlib import AbstractContextManager

from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.process import hosted


class Hosted(Place):
    """A process of the firmware's file."""

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
    """A new process."""
    if not asked.board.core.hosted:
        raise unfit(asked, "process", "runs no programs", "leave place= out")
    return Hosted(asked)
