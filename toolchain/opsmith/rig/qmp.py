"""QEMU's machine protocol (QMP): a few commands; replies are not trusted."""

import json
import os
import select
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.text import excerpt

_MOST_BYTES = 1 << 20  # that QEMU may say before it runs; it says 1,000


class Control:
    """The protocol over two descriptors. Unintelligible replies raise RIG042, an end Ended."""

    def __init__(self, reads: int, writes: int, ending: Callable[[], str], seconds: float):
        self._reads, self._writes, self._ending = reads, writes, ending
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._lines: deque[bytes] = deque()
        self._buffer = b""
        self._received = 0
        self._answer("QMP")
        self.execute("qmp_capabilities")

    def execute(self, command: str) -> Any:
        """Return the command's result; raises Ended when QEMU ends, refuses or is silent."""
        try:
            os.write(self._writes, json.dumps({"execute": command}).encode() + b"\n")
        except OSError as error:
            raise Ended(self._ending()) from error
        return self._answer("return")

    def console(self) -> str:
        """Return the path of the pty that is the console."""
        devices = self.execute("query-chardev")
        listed = devices if isinstance(devices, list) else []
        names = [
            device.get("filename")
            for device in listed
            if isinstance(device, dict) and device.get("label") == "console-base"
        ]
        name = names[0] if names else None
        if not isinstance(name, str) or not name.startswith("pty:"):
            raise _garbled(f"the console is no pty but {names}")
        return name.removeprefix("pty:")

    def _answer(self, key: str) -> Any:
        """Return the value under `key` of the next message that has it; events are skipped."""
        while True:
            message = self._message()
            if "error" in message:
                raise Ended(excerpt(str(message["error"])))
            if key in message:
                return message[key]

    def _message(self) -> dict[str, Any]:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if line.startswith(b"{"):  # "char device redirected to …" comes over stdout as well
                    return _parsed(line)
            self._fill()

    def _fill(self) -> None:
        wait = self._deadline - time.monotonic()
        if wait <= 0 or not select.select([self._reads], [], [], wait)[0]:
            raise Ended(f"no answer within {self._seconds:g} s")
        data = os.read(self._reads, 65536)
        if not data:
            raise Ended(self._ending())
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._lines += lines
        self._received += len(data)
        if self._received > _MOST_BYTES:
            raise _garbled(f"more than {_MOST_BYTES:,} bytes, at last {excerpt(data[-80:])}")


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _garbled(excerpt(line[:80])) from error
    assert isinstance(message, dict), "JSON that starts with {"
    return message


def _garbled(what: str) -> ToolchainError:
    return ToolchainError.of(
        "RIG042",
        f"QEMU's answer does not follow its machine protocol, QMP: {excerpt(what, 400)}",
        where="QEMU's standard output",
        fix="see which program of QEMU is first on the PATH; a wrapper may print nothing there",
    )
