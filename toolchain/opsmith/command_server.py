"""Runs commands of Opsmith for one build: `python -m opsmith.command_server DESCRIPTOR`.

Most of the time of a short command goes into importing numpy. The server imports what a command
needs once, and forks a process for each command, which ends as one that was started would.

The descriptor is of a Unix socket, on which each request is one message with descriptors: a socket
of its own, stderr, and locks to be kept while the command runs. On its own socket a request has its
arguments, as a list in JSON, and gets one line: the exit status, negative for a signal, and the
processor time in seconds that the command and its children took.
"""

import contextlib
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

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # terminals send these to commands, too
MOST = 64  # descriptors of one request


@dataclass
class Request:
    """A command to be run: arguments, socket for the reply, and descriptors that came with it."""

    arguments: list[str]
    reply: socket.socket
    stderr: int
    locks: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Close the descriptors that came with the request, except the socket for the reply."""
        for descriptor in (self.stderr, *self.locks):
            os.close(descriptor)


def answer(control: socket.socket) -> NoReturn:
    """Serve requests; in the forked process of a command, run the command and reply."""
    request = serve(control, import_command)
    if request is None:
        os._exit(0)  # immediately, since the build waits
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
    """Import what a command needs. If that fails, the command says why when it runs."""
    known = len(sys.modules)
    with contextlib.suppress(BaseException):
        from opsmith.cli import COMMANDS

        importlib.import_module(COMMANDS[arguments[0]][0])
    if len(sys.modules) > known:
        gc.collect()
        gc.freeze()  # so that no command's collector copies memory shared with the server


def serve(control: socket.socket, prepare: Callable[[list[str]], None]) -> Request | None:
    """Serve each request in a fork of this process, after a call of `prepare` with its arguments.
    Returns the request in the forked process, and None in the server, once no client is left and
    all commands have ended.
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
                message, descriptors, _, _ = socket.recv_fds(control, 1, MOST)
                if not message:
                    selector.unregister(control)
                    continue
                request = _request(list(descriptors))
                prepare(request.arguments)
                if (process := os.fork()) == 0:
                    for descriptor, (_, reply) in running.items():
                        os.close(descriptor)
                        reply.close()
                    return request
                request.close()
                descriptor = os.pidfd_open(process)
                running[descriptor] = process, request.reply
                selector.register(descriptor, selectors.EVENT_READ)
    return None


def _request(descriptors: list[int]) -> Request:
    """Request of the descriptors that came with its message: reply socket, stderr and locks."""
    reply, stderr, *locks = descriptors
    sender = socket.socket(fileno=reply)
    with sender.makefile("rb") as stream:
        return Request(json.loads(stream.readline()), sender, stderr, locks)


def _tell_status(descriptor: int, process: int, reply: socket.socket) -> None:
    _, status, used = os.wait4(process, 0)
    os.close(descriptor)
    line = f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime:f}\n"
    with reply, contextlib.suppress(OSError):  # the build may have been killed
        reply.sendall(line.encode())


if __name__ == "__main__":
    answer(socket.socket(fileno=int(sys.argv[1])))
