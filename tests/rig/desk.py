"""A desk: a board at a pty that answers by a Peer, and the flash tool that the board names.

The tool is a script that leaves a note; whoever serves the pty reads it and starts the board again.
"""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from opsmith.report.identity import UNSTAMPED
from tests.unit.rig.peer import Peer

SAYS = "echo '** Verified OK **, programmed 8 bytes'"  # as openocd and pyocd do
NOTES = {"program": "flashed", "reset run": "reset"}  # words of the command, and the note it leaves


class Desk:
    """A board that holds firmware of this digest, "" for none, from the start."""

    def __init__(self, folder: Path, peer: Peer, holds: str = UNSTAMPED) -> None:
        self.folder = folder
        self.peer = peer
        self.starts = 0
        self.wire: Callable[[bytes], bytes] = lambda data: data  # what becomes of what it says
        self.on_start: Callable[[Desk], None] = lambda desk: None
        self.next: list[Callable[[], None]] = []  # what happens after the answers that wait
        self._end = threading.Event()
        self._ours, self._theirs = self._pty()
        self.hold(holds)
        self.tool()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Desk:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        for end in (self._ours, self._theirs):
            with suppress(OSError):
                os.close(end)

    @property
    def port(self) -> str:
        """Name that the port has now."""
        return os.ttyname(self._theirs)

    def hold(self, digest: str) -> None:
        """Put firmware of the given digest in flash."""
        self.peer.digest = digest

    def flashed(self, content: bytes) -> None:
        """Take what the flash tool wrote: a file that holds the digest alone."""
        self.hold(content.decode())

    def tool(self, text: str = "", name: str = "openocd") -> None:
        """Make the flash tool a script that runs given lines before it leaves its note."""
        cases = (
            f'*"{word}"*) cat *.elf > {self.folder}/{note}.new;'
            f" mv {self.folder}/{note}.new {self.folder}/{note} ;;"
            for word, note in NOTES.items()
        )
        wait = f"while [ -e {self.folder}/flashed -o -e {self.folder}/reset ]; do sleep 0.01; done"
        script = f'#!/bin/sh\n{text}\ncase "$*" in\n{chr(10).join(cases)}\nesac\n{wait}\n{SAYS}\n'
        path = self.folder / name
        path.write_text(script)
        path.chmod(0o755)

    def say(self, data: bytes) -> None:
        """Put bytes on the line, as the wire lets them through, while somebody reads them."""
        left = self.wire(data)
        with suppress(OSError):
            while left and not self._end.is_set():
                if select.select([], [self._ours], [], 0.05)[1]:
                    left = left[os.write(self._ours, left[:512]) :]

    def start(self) -> None:
        """Reset the board: it says its banner, if it holds firmware."""
        self.starts += 1
        self.peer.restart()
        self.on_start(self)
        if self.peer.digest and self.peer.silent_on != "hello":
            self.peer._hello("0")

    def vanish(self) -> None:
        """Pull the cable: the port is gone."""
        for end in (self._theirs, self._ours):
            os.close(end)
        self._ours, self._theirs = self._pty()

    def come_back(self) -> None:
        """Let the port go away and come back under another name."""
        for end in (self._theirs, self._ours):
            os.close(end)
        time.sleep(0.2)
        placeholder = os.openpty()  # which takes the name that the port had
        self._ours, self._theirs = self._pty()
        for end in placeholder:
            os.close(end)

    def _serve(self) -> None:
        while not self._end.is_set():
            self._look()
            while answer := self.peer.receive(0):
                self.say(answer)
            for act in [self.next.pop(0) for _ in self.next]:
                act()
            with suppress(OSError, ValueError):
                if select.select([self._ours], [], [], 0.01)[0]:
                    data = os.read(self._ours, 4096)
                    if self.peer.digest:
                        self.peer.send(data)

    def _look(self) -> None:
        """Read what the flash tool has left."""
        for note in NOTES.values():
            path = self.folder / note
            if path.exists():
                content = path.read_bytes()
                if note == "flashed":
                    self.flashed(content)
                self.start()
                path.unlink()

    @staticmethod
    def _pty() -> tuple[int, int]:
        ours, theirs = os.openpty()
        tty.setraw(theirs)
        os.set_blocking(ours, False)
        return ours, theirs
