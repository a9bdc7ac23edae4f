"""Runs commands of ours for one build: `python -m opsmith.command_server DESCRIPTOR`.

Most of the time of a short command goes into importing numpy. The server imports what a command
needs once, and forks a process for each command, which ends as one that was started would.

The descriptor is of a Unix socket, on which each request is one message with descriptors: a socket
of its own, stderr, and locks to be kept while the command runs. On its own socket a request has its
arguments, as a list in JSON, and gets one line: `status`, the exit status, negative for a signal,
and the processor time in seconds that the command and its children took; or `errno`, its number,
and 0 where the system has no process or descriptor left.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # reach the commands of a terminal, too
MOST = 64  # descriptors of one request


@dataclass
class Request:
    """A command to be run."""

    arguments: list[str]
    reply: socket.socket
    stderr: int
    locks: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Give back what came with it, except the socket for the reply."""
        for descriptor in (self.stderr, *self.locks):
            os.close(descriptor)


def answer(control: socket.socket) -> NoReturn:
    """Serve; in the process of a command, run it."""
    request = serve(control, import_command)
    if request is None:
        os._exit(0)  # at once: the build waits
    control.close()
    request.reply.close()
    os.dup2(request.stderr, 2)
    os.close(request.stderr)
    sys.argv = [os.path.join(os.path.dirname(__file__), "__main__.py"), *request.arguments]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    from opsmith.cli import entry

    entry()
    raise AssertionError("entry ends the process")


def import_command(arguments: list[str]) -> None:
    """Import what the command would; if that fails, the command says why."""
    known = len(sys.modules)
    with contextlib.suppress(BaseException):
        from opsmith.cli import COMMANDS

        importlib.import_module(COMMANDS[arguments[0]][0])
    if len(sys.modules) > known:
        gc.collect()
        gc.freeze()  # so that no command's collector copies what it shares with the server


def serve(control: socket.socket, prepare: Callable[[list[str]], None]) -> Request | None:
    """Fork for each request, prepared for its arguments. Returns the request in the process of a
    command, and None in the server, when nobody can send any more and all commands have ended.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    running: dict[int, tuple[int, socket.socket]] = {}  # descriptor of a process -> process, reply
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if key.fd in running:
                    selector.unregister(key.fd)
                    _tell_status(key.fd, *running.pop(key.fd))
                    continue
                message, descriptors, flags, _ = socket.recv_fds(control, 1, MOST)
                if not message:
                    selector.unregister(control)
                elif (request := _request(list(descriptors), flags)) is not None:
                    _prepare(prepare, request.arguments)
                    if (started := _fork(request)) is None:
                        for descriptor, (_, reply) in running.items():
                            os.close(descriptor)
                            reply.close()
                        return request
                    for descriptor, process in started.items():
                        running[descriptor] = process, request.reply
                        selector.register(descriptor, selectors.EVENT_READ)
    return None


def _request(descriptors: list[int], flags: int) -> Request | None:
    """What was sent; None where that is not whole."""
    if flags & socket.MSG_CTRUNC or len(descriptors) < 2:
        for number, descriptor in enumerate(descriptors):
            if number == 0:
                _tell_errno(socket.socket(fileno=descriptor), errno.EMFILE)
            else:
                os.close(descriptor)
        return None
    reply, stderr, *locks = descriptors
    sender = socket.socket(fileno=reply)
    with sender.makefile("rb") as stream:
        line = stream.readline()
    request = Request(json.loads(line) if line else [], sender, stderr, locks)
    if not line:  # the build was killed
        request.close()
        sender.close()
        return None
    return request


def _prepare(prepare: Callable[[list[str]], None], arguments: list[str]) -> None:
    """Prepare, and end when a person interrupts that."""
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    prepare(arguments)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _fork(request: Request) -> dict[int, int] | None:
    """Fork: None in the process of the command; in the server the process, by a descriptor of it,
    or nothing where there is none.
    """
    process = 0
    try:
        if (process := os.fork()) == 0:
            return None
        started = {os.pidfd_open(process): process}
    except OSError as error:
        if process:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        _tell_errno(request.reply, error.errno or 0)
        started = {}
    request.close()
    return started


def _tell_status(descriptor: int, process: int, reply: socket.socket) -> None:
    _, status, used = os.wait4(process, 0)
    os.close(descriptor)
    seconds = used.ru_utime + used.ru_stime
    _tell(reply, f"status {os.waitstatus_to_exitcode(status)} {seconds:f}\n")


def _tell_errno(reply: socket.socket, number: int) -> None:
    _tell(reply, f"errno {number} 0\n")


def _tell(reply: socket.socket, line: str) -> None:
    with reply, contextlib.suppress(OSError):  # of a build that was killed
        reply.sendall(line.encode())


if __name__ == "__main__":
    answer(socket.socket(fileno=int(sys.argv[1])))
