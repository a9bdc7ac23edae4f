"""Programs that read emitted files: to make further files, or to find mistakes."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.derive import DeviceReader
from opsmith.board.packages import missing_program
from opsmith.board.runtime import Runtime
from opsmith.registration import all_files
from opsmith.scons.compiler import relative, word
from opsmith.scons.environment import make
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target


def read_emitted(
    env: Any, target: Target, files: Mapping[str, Any], folder: Path
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Declare the runtime's programs that read emitted files, given by name. Returns the files that
    they make, in a folder of products, and for each check a file that marks success.

    Raises BLD010 for a program that is not installed.
    """
    runtime = target.runtime
    wanted = [each for each in runtime.readers if each.device in ("", *target.devices)]

    def declared(reader: DeviceReader, place: Path, after: Sequence[Any] = ()) -> Any:
        source = files[f"{runtime.name}/{reader.source}"]
        return _declared(env, target, reader, source, place / reader.name, after)

    checked = folder / "obj" / "+checked"
    checks = tuple(declared(each, checked) for each in wanted if not each.makes)
    # Declared after the checks, so that a mistake is reported once.
    beside = folder / runtime.name
    derived = tuple(declared(each, beside, checks) for each in wanted if each.makes)
    return derived, checks


def _declared(
    env: Any, target: Target, reader: DeviceReader, source: Any, made: Path, after: Sequence[Any]
) -> Any:
    """Declare the file that a program makes."""
    runtime = target.runtime
    program = _installed(reader, runtime)
    place = word(relative(runtime.folder))
    command = reader.filled(source=str(source), target=str(made), folder=place)
    says = f"{'MAKE' if reader.makes else 'CHECK'} {reader.name}"
    clear = ["rm", "-f", str(made)]  # removes an older file, in case the program makes none
    commands = [clear, command] if reader.makes else [command, ["touch", str(made)]]
    read = [program, *_named(command), *all_files(runtime.folder)]
    inputs = [source, *after, *dict.fromkeys(read)]
    (node_made,) = make(env, [made], StepAction(commands, says), inputs)
    return node_made


def _installed(reader: DeviceReader, runtime: Runtime) -> Path:
    """Path of a reader's program. Raises BLD010 where it, or a file of the command, is missing."""
    program, *words = reader.command
    found = shutil.which(program)
    absent = [] if found else [program]
    absent += [each for each in words if os.path.isabs(each) and not os.path.exists(each)]
    if found is None or absent:
        raise missing_program("BLD010", absent[0], runtime.packages)
    return Path(found).resolve()


def _named(command: Iterable[str]) -> list[Path]:
    """Files that a command names by absolute paths, such as a library to link."""
    return [Path(each) for each in command if os.path.isabs(each) and os.path.isfile(each)]
