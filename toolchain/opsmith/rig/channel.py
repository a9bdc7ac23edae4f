"""Channel of bytes to and from a firmware, over any transport."""

import os
import select
import time
from collections.abc import Callable
from typing import Protocol

from opsmith.child import Ended


class Channel(Protocol):
    """Two directions of bytes; `title` names the other end, for messages."""

    title: str

    def send(self, data: bytes) -> None:
        """Send all of data. Raises Ended."""

    def receive(self, timeout: float) -> bytes:
        """Return received bytes, after waiting up to `timeout` seconds; b"" if nothing came."""


class DescriptorChannel:
    """A channel over file descriptors: a pty or a pair of pipes."""

    def __init__(self, title: str, reads: int, writes: int, ending: Callable[[], str]):
        self.title = title
        self._reads = reads
        self._writes = writes
        self._ending = ending

    def send(self, data: bytes) -> None:
        """Send all of data. Raises Ended, also when nothing is accepted for 10 seconds."""
        deadline = time.monotonic() + 10
        while data:
            _, ready, _ = select.select([], [self._writes], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Ended("it takes no bytes")
            try:
                data = data[os.write(self._writes, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Ended(self._ending()) from error

    def receive(self, timeout: float) -> bytes:
        """Return received bytes, after waiting up to `timeout` seconds; b"" if nothing came."""
        ready, _, _ = select.select([self._reads], [], [], max(0, timeout))
        if not ready:
            return b""
        try:
            data = os.read(self._reads, 65536)
        except BlockingIOError:
            return b""
        except OSError as error:  # EIO: the other side of a pty is closed
            raise Ended(self._ending()) from error
        if not data:
            raise Ended(self._ending())
        return data
