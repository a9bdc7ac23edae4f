"""`debug`: GDB at main(), on QEMU's stub or on the server of the board's flash tool.

GDB finds all sources, and has Opsmith's commands: `opsmith node` shows the node that runs and its
tensors by name.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.board.packages import missing_program
from opsmith.build_options import BuildOptions
from opsmith.child import Ended, running
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.option import add_named_flags
from opsmith.report.build_info import BUILD_INFO
from opsmith.report.elf import read_contents
from opsmith.rig.build import LinkedFirmware, beside, check_application, load_application
from opsmith.rig.by_folder import parsed
from opsmith.rig.flash import board_command, found_program
from opsmith.rig.lock import held
from opsmith.rig.upload import attached, lock_names

GDB = "gdb-multiarch"
NODE = Path(__file__).with_name("gdb_node.py")
_SECONDS = 20.0  # seconds until a server listens
_AGAIN = 0.05
_GENERATED = re.compile(rb"build/\./[^/\0]+/[^/\0]+")  # as paths of a build folder are in objects


def main(argv: Sequence[str]) -> int:
    """Run GDB; returns its exit status."""
    parser = Parser(prog="opsmith debug", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    models = "the .tflite it was built from, of each model"
    parser.add_argument("--model", required=True, action="append", type=Path, help=models)
    parser.add_argument(
        "--execute", action="append", default=[], help="a command for GDB at main()"
    )
    parser.add_argument("--batch", action="store_true", help="end after these")
    add_board(parser)
    add_named_flags(parser, BuildOptions, "port", "probe", "wait")
    arguments = parsed(parser, argv)
    board = chosen_board(arguments)
    build = load_application(arguments.build)
    check_application(build, arguments.model, board.name)
    if shutil.which(GDB) is None:
        fix = f"run: sudo apt-get install -y --no-install-recommends {GDB}"
        raise ToolchainError.of("RIG003", f"{GDB} is not installed", where="PATH", fix=fix)
    own = arguments.execute, arguments.batch
    if board.run.qemu and not (arguments.port or arguments.probe):
        with in_qemu(build, board) as address:
            return in_gdb(build, address, *own)
    port, probe = attached(board, arguments.port or "")
    with (
        held(lock_names(port, probe), wait=arguments.wait),
        on_board(build, board, port, probe) as address,
    ):
        return in_gdb(build, address, *own)


@contextmanager
def in_qemu(build: LinkedFirmware, board: Board) -> Iterator[str]:
    """Address of the GDB stub of QEMU, which is started halted at reset."""
    emulator = board.core.architecture.emulator
    assert emulator is not None, "the manifest of a board that QEMU plays has one"
    program = emulator.find()
    if program is None:
        raise missing_program("RIG003", emulator.program, board.core.architecture.packages)
    port = free_port()
    command = [program, "-M", str(board.run.qemu), "-kernel", str(build.elf), *emulator.options]
    command += ["-display", "none", "-nic", "none", "-monitor", "none", "-serial", "null"]
    command += ["-semihosting-config", "enable=on,target=gdb"]
    with serving([*command, "-S", "-gdb", f"tcp:127.0.0.1:{port}"], port) as address:
        yield address


@contextmanager
def on_board(build: LinkedFirmware, board: Board, port: str, probe: str) -> Iterator[str]:
    """Address of the GDB server of the board's flash tool. Raises RIG067 for a tool without one."""
    assert board.flash, "attached() refuses boards without"
    flasher = board.flash.flasher
    if not flasher.server:
        what = f"flasher '{flasher.name}' has no server for GDB"
        fix = "name another runner in [flash], such as openocd"
        raise ToolchainError.of("RIG067", what, where=f"board={board.name}", fix=fix)
    at = free_port()
    command, folder = board_command(board, build.elf, probe, port, flasher.server, at)
    started = found_program(flasher, command)
    with serving(["env", "-C", str(folder), *started], at) as address:
        yield address


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[str]:
    """Address of a GDB server once it listens; it runs until GDB has ended. Raises RIG015."""
    # Its output is kept for errors. A pipe that nobody reads would block it.
    aside = ["sh", "-c", 'exec "$@" >&2', "sh", *command]
    try:
        with running(aside) as child:
            end = time.monotonic() + _SECONDS
            while not _listens(port):
                if child.process.poll() is not None or time.monotonic() > end:
                    raise Ended(child.ending())
                time.sleep(_AGAIN)
            yield f"127.0.0.1:{port}"
    except Ended as error:
        what, fix = f"no server for GDB: {error}", "check the cable and the probe"
        raise ToolchainError.of("RIG015", what, where=" ".join(command), fix=fix) from error


def in_gdb(build: LinkedFirmware, address: str, commands: Sequence[str], batch: bool) -> int:
    """Run GDB at main() with the firmware's symbols; returns its exit status.

    Ctrl-C is for GDB, which gets a process group of its own that has the terminal meanwhile.
    """
    given = ["set pagination off", "set confirm off", *source_commands(build)]
    given += [f"target remote {address}", f"source {NODE}"]
    given += ["tbreak main", "continue", *commands]
    words = [word for each in given for word in ("-ex", each)]
    command = [GDB, "-q", "-nx", *(["-batch"] if batch else []), *words, str(build.elf)]
    environment = os.environ | {"OPSMITH_BUILD": str(build.folder)}
    terminal = not batch and sys.stdin.isatty()
    process = subprocess.Popen(
        command,
        env=environment,
        stderr=subprocess.STDOUT,
        stdin=None if not batch else subprocess.DEVNULL,
        process_group=0 if terminal else None,
    )
    if not terminal:
        return process.wait()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(sys.stdin.fileno(), process.pid)
    try:
        return process.wait()
    finally:
        with suppress(OSError):
            os.tcsetpgrp(sys.stdin.fileno(), os.getpgrp())


def source_commands(build: LinkedFirmware) -> Iterator[str]:
    """GDB commands by which it finds the sources, whose paths in objects are those that every
    machine would write (`scons/compiler.py`).
    """
    folder = build.folder.resolve()
    project = folder.parents[2]
    yield shlex.join(["directory", str(project), str(HOME)])
    contents = read_contents(build.elf)
    paths = b"".join(contents.get(each, b"") for each in (".debug_line_str", ".debug_str"))
    moved = [(os.fsdecode(each), folder) for each in sorted({*_GENERATED.findall(paths)})]
    variables = (beside(build.folder, BUILD_INFO) or {}).get("variables", {})
    app = Path(project, str(variables.get("app", ""))).resolve()
    if not app.is_relative_to(project):
        moved.append((f"app/{app.name}", app))
    for known, place in moved:
        yield shlex.join(["set", "substitute-path", known, str(place)])


def free_port() -> int:
    """Number of a TCP port of this machine that is free."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _listens(port: int) -> bool:
    """True once a server listens at the port; does not connect, which would count as GDB."""
    wanted = f"0100007F:{port:04X} 00000000:0000 0A"
    anywhere = f"00000000:{port:04X} 00000000:0000 0A"
    text = Path("/proc/net/tcp").read_text(encoding="ascii")
    lines = [" ".join(line.split()[1:4]) for line in text.splitlines()]
    return wanted in lines or anywhere in lines
