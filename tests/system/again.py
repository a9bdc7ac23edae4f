"""Commands that SCons has run of a build, run once more in this process, with other options."""

import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from opsmith.rig.crosscheck import main as crosscheck
from opsmith.scons.folders import STEPWISE
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import BOARDS, products


def node_by_node(*settings: str) -> Path:
    """Folder of the firmware that runs node by node, built with the given settings."""
    folder = products(*settings)
    return folder.with_name(f"{folder.name}{STEPWISE}")


def crosscheck_again(settings: Sequence[str], *options: str) -> tuple[int, str]:
    """Exit status and output of the command that `scons SETTINGS crosscheck` runs."""
    return again(crosscheck, node_by_node(*settings), settings, *options)


def again(
    main: Callable[[Sequence[str]], int], build: Path, settings: Sequence[str], *options: str
) -> tuple[int, str]:
    """Exit status and output of a command that runs the firmware in folder `build`."""
    values = dict(word.split("=", 1) for word in settings)
    model, board = ROOT / values["model"], values["board"]
    given = [f"--build={build}", f"--model={model}", f"--board={board}", f"--boards={BOARDS[0]}"]
    with redirect_stdout(io.StringIO()) as said:
        status = main([*given, *options])
    return status, said.getvalue()
