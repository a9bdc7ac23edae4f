"""Opsmith's commands in a build, run by one process that imports their modules once."""

import atexit
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from opsmith.digests import Stamp

SERVER = ("-m", "opsmith.command_server")


@dataclass(frozen=True)
class Server:
    """A process that runs commands, see `toolchain/opsmith/command_server.py`."""

    process: int
    control: socket.socket
    modules: dict[str, Stamp] = field(
        default_factory=dict
    )  # state of modules when it imported them

    def is_older_than(self, files: Mapping[str, Stamp]) -> bool:
        """True if the server may have imported another version of a module than the present one."""
        known = self.modules
        return any(known.get(path, stamp) != stamp for path, stamp in files.items())

    def note(self, files: Mapping[str, Stamp]) -> None:
        """Record files that the server may import from now on."""
        modules = ((path, stamp) for path, stamp in files.items() if path.endswith(".py"))
        self.modules.update(modules)


class WarmCommands:
    """Runner of `python -m opsmith …` commands, like subprocess.run but in less time."""

    def __init__(self, environ: dict[str, str], server: Sequence[str] = SERVER) -> None:
        self._environ = environ
        self._command = server
        self._lock = threading.Lock()
        self.server: Server | None = None  # the server for the next request
        self._started: list[Server] = []
        self._ended: dict[int, int] = {}  # process -> exit status
        self.seconds = 0.0  # seconds of processor time of the commands

    def run(
        self,
        command: Sequence[str],
        stderr: int,
        locks: Sequence[int],
        files: Mapping[str, Stamp],
        seconds: float | None = None,
    ) -> int:
        """Exit status of a command, negative for the signal that ended it.

        `files` are those on which the command depends, including modules that it may import. Raises
        TimeoutError after `seconds`.
        """
        python, _, _, *arguments = command
        ours, theirs = socket.socketpair()
        ours.settimeout(seconds)
        with ours:
            with theirs:
                server = self._send(python, files, [theirs.fileno(), stderr, *locks])
            answer = b""
            with suppress(ConnectionError), ours.makefile("rwb") as stream:
                stream.write(json.dumps(arguments).encode() + b"\n")
                stream.flush()
                answer = stream.readline()
        with self._lock:
            return self._status(server, answer)

    def _status(self, server: Server, answer: bytes) -> int:
        """Exit status in a server's answer. Without an answer the server has ended, or never began,
        and the status is the server's own.
        """
        if not answer:
            self._retire(server)
            return self._waited(server) or -signal.SIGKILL
        status, used = answer.split()
        self.seconds += float(used)
        return int(status)

    def end(self) -> None:
        """Wait until all servers have ended."""
        with self._lock:
            self._retire(self.server)
        for server in self._started:
            with suppress(ChildProcessError):
                self._waited(server)

    def _waited(self, server: Server) -> int:
        """Exit status of a server, negative for a signal, once it has ended."""
        if server.process not in self._ended:
            _, status = os.waitpid(server.process, 0)
            self._ended[server.process] = os.waitstatus_to_exitcode(status)
        return self._ended[server.process]

    def _send(self, python: str, files: Mapping[str, Stamp], descriptors: Sequence[int]) -> Server:
        """Send a request; returns the server that received it."""
        with self._lock:
            server = self._server_for(python, files)
            try:
                socket.send_fds(server.control, [b"\0"], descriptors)
            except ConnectionError:  # the server was killed since its last command ended
                self._retire(server)
                server = self._server_for(python, files)
                socket.send_fds(server.control, [b"\0"], descriptors)
            server.note(files)
            return server

    def _server_for(self, python: str, files: Mapping[str, Stamp]) -> Server:
        """Server without outdated modules, started if needed."""
        if self.server is not None and self.server.is_older_than(files):
            self._retire(self.server)
        if self.server is None:
            if not self._started:
                atexit.register(self.end)
            self.server = self._start(python)
            self._started.append(self.server)
        return self.server

    def _start(self, python: str) -> Server:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [python, *self._command, str(theirs.fileno())],
                env=self._environ,
                pass_fds=[theirs.fileno()],
            )
        process.returncode = 0  # so that Popen does not wait for it
        self._ended.pop(process.pid, None)  # forget an earlier process with this number
        return Server(process.pid, ours)

    def _retire(self, server: Server | None) -> None:
        """Send a server no more requests: it ends when its last command has ended."""
        if server is not None:
            server.control.close()
            self.server = None if self.server is server else self.server
