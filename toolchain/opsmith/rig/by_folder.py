"""A build folder in place of the options that name a firmware's model and board.

`opsmith run FOLDER` takes both from the record of the firmware, whose paths start at its project.
"""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.home import shipped
from opsmith.rig.build import load_report
from opsmith.rig.verify_build import project_of, variables_of
from opsmith.text import escaped

_INSTEAD = (
    "A build folder as first argument, such as `{prog} build/…`, stands for --build, --model, "
    "--board, --boards and --platforms, which are then those of the firmware's record."
)


def parsed(parser: Parser, argv: Sequence[str]) -> argparse.Namespace:
    """Arguments of a command for one firmware, which may be named by its folder alone. Raises
    BLD001, BLD113 and RIG001.
    """
    parser.epilog = _INSTEAD.format(prog=parser.prog)
    parser.instead = f"name a build folder: {parser.prog} build/…"
    words = [*argv]
    if words and not words[0].startswith("-"):
        words[:1] = _recorded(Path(words[0]), parser.prog.rpartition(" ")[2])
    return parser.parse_args(words)


def _recorded(build: Path, command: str) -> list[str]:
    """Options of the firmware in a folder."""
    report = load_report(build)
    given, root = variables_of(build.absolute()), project_of(build.absolute())
    text = given.get("model", "")
    models = [text] if (root / text).is_file() else text.split(",")
    names = [str(each.get("model")) for each in report.get("models", [report])]
    if [Path(model).name for model in models] != names:
        what = f"it was made of {', '.join(names)}, which scons prepared"
        words = shlex.join(f"{name}={value}" for name, value in given.items())
        fix = escaped(f"run, in {root}: scons {words} {command}")
        raise ToolchainError.of("BLD001", escaped(what), where=escaped(str(build)), fix=fix)
    folders = {name: given.get(name, "").split(",") for name in ("boards", "platforms")}
    return [
        f"--build={build}",
        f"--board={report.get('board')}",
        f"--boards={shipped('boards')}",
        *(f"--model={root / model}" for model in models),
        *(f"--{name}={root / each}" for name, words in folders.items() for each in words if each),
    ]
