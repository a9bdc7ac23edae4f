"""Start of a build's firmware at a place: flashed if needed, reset, greeted and recognised."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from opsmith.errors import ToolchainError
from opsmith.rig.build import Build
from opsmith.rig.channel import Channel
from opsmith.rig.fault import Decoder
from opsmith.rig.flash import SECONDS
from opsmith.rig.phases import BANNER, FLASH, RESET, Phases
from opsmith.rig.place import Place
from opsmith.rig.protocol import Patience, Session
from opsmith.rig.recognition import ExpectedFirmware
from opsmith.text import escaped

_ATTACHED = 4.5  # seconds for a board to send something; QEMU has more: Patience.boot
_GLANCE = 1.5  # seconds of these to report its firmware before it is flashed or reset
_STARTS = 30.0  # seconds for a program or an emulator to start
_SILENT = "RIG005"


@dataclass(frozen=True)
class Start:
    """A firmware that is to be started, with place, timeouts and flashing policy."""

    build: Build
    place: Place
    decoder: Decoder
    phases: Phases
    invoke: float  # seconds for one invoke()
    flashes: bool = False  # True: flash even if the board has the firmware already

    @contextmanager
    def session(self) -> Iterator[tuple[Session, str]]:
        """Session with the firmware, and the title of its target. Raises RIG0xx, also where another
        firmware answers.
        """
        with ExitStack() as stack:
            if self.place.attached:
                channel = stack.enter_context(self.place.console())
                prepared = self._prepare(channel)
            else:
                self.phases.skip(FLASH, "the place starts the file itself")
                with self.phases.phase(RESET, _STARTS):
                    channel = stack.enter_context(self.place.console())
                prepared = RESET
            session = self._greeted(channel, prepared)
            self.place.settle()
            yield session, channel.title

    def _prepare(self, channel: Channel) -> str:
        """Flash the board, or reset it if it has the firmware; returns the phase that did, or ""
        where neither is possible and the board is taken as it is.
        """
        with self.phases.phase(FLASH, SECONDS):
            has_it = not self.flashes and self._has_it(channel)
        if has_it:
            self.phases.skip(FLASH, "the board has this firmware; flash=always flashes it")
        else:
            with self.phases.phase(FLASH, SECONDS):
                flashed = self.place.flash()
                if self.flashes and not flashed:
                    raise _cannot_flash(self.place)
            if flashed:
                self.phases.skip(RESET, "by the flash tool")
                return FLASH
            self.phases.skip(FLASH, "the board has no flash tool")
        with self.phases.phase(RESET, SECONDS):
            done = self.place.reset() or self.place.power()
        if not done:
            self.phases.skip(RESET, "the place has no means")
        return RESET if done else ""

    def _has_it(self, channel: Channel) -> bool:
        """True if the board answers with the build's firmware, unchanged in flash."""
        expected = ExpectedFirmware(self.build, channel.title)
        patience = Patience(boot=_GLANCE, line=_GLANCE)
        try:
            session = Session(channel, patience, self.decoder, expected=expected.name)
            expected.check(session.firmware)
            expected.check_flash(session)
        except ToolchainError:
            return False
        return True

    def _greeted(self, channel: Channel, prepared: str) -> Session:
        """Session with the recognised firmware, after the phase that started it. A board that
        nothing started has been listened to already.
        """
        patience = Patience(invoke=self.invoke)
        if self.place.attached:
            boot = _ATTACHED if prepared else _ATTACHED - _GLANCE
            patience = Patience(boot=boot, invoke=self.invoke)
        if self.build.streams:
            boot, line = patience.boot, max(patience.line, self.invoke)
            patience = Patience(boot=boot, line=line, invoke=self.invoke)
        with self.phases.phase(BANNER, patience.boot):
            expected = ExpectedFirmware(self.build, channel.title, prepared == FLASH)
            session = self._heard(channel, patience, expected.name)
            expected.check(session.firmware)
            if self.place.keeps_bytes:
                expected.check_flash(session)
            return session

    def _heard(self, channel: Channel, patience: Patience, name: str) -> Session:
        """Session with the firmware; a silent board is switched off and on if possible."""
        try:
            return Session(channel, patience, self.decoder, expected=name)
        except ToolchainError as error:
            silent = error.problems[0].code == _SILENT
            if not (silent and self.place.attached and self.place.power()):
                raise
        return Session(channel, patience, self.decoder, expected=name)


def _cannot_flash(place: Place) -> ToolchainError:
    what, fix = "the place has no means to flash the board", "leave flash=always out"
    return ToolchainError.of("RIG015", what, where=escaped(place.title), fix=fix)
