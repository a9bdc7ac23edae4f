"""QEMU in place of a board: the machine of board.toml, or the machine after the colon."""

from contextlib import AbstractContextManager

from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.qemu import emulated


class Emulated(Place):
    """QEMU machine that runs the firmware's file."""

    emulated = True

    def __init__(self, asked: RunRequest, machine: str) -> None:
        self.title = f"QEMU {machine}"
        self._asked = asked
        self._machine = machine

    def console(self) -> AbstractContextManager[Channel]:
        """Start QEMU, and open the console of its machine."""
        asked = self._asked
        architecture = asked.board.core.architecture
        return emulated(architecture, asked.firmware.elf, self._machine, asked.options)


def place(asked: RunRequest) -> Place:
    """Place that starts a new machine."""
    machine = asked.where or asked.board.run.qemu
    if machine is None or asked.board.core.architecture.emulator is None:
        raise unfit(asked, "qemu", "has no machine of QEMU", "leave place= out")
    return Emulated(asked, machine)
