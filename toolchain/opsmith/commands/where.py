"""`where`: prints the folder of a firmware's products, whether it is built or not."""

import json
import subprocess
import sys
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError, shown


def main(arguments: list[str]) -> int:
    """Ask the SConstruct of the current folder; returns the exit status of SCons."""
    parser = Parser(prog="opsmith where", description=__doc__)
    parser.add_argument("variables", nargs="+", metavar="NAME=VALUE", help="as for scons")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the files")
    options = parser.parse_args(arguments)
    for word in options.variables:
        if "=" not in word:
            what, fix = (
                f"{shown(word)} is no NAME=VALUE",
                "give what scons is given: board=… model=…",
            )
            raise ToolchainError.of("BLD001", what, where="command line", fix=fix)
    require_sconstruct(Path.cwd())
    words = [sys.executable, "-m", "SCons", "-Q", *options.variables, "where"]
    if not options.json:
        return subprocess.run(words).returncode
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, errors="surrogateescape")
    if result.returncode:
        print(result.stdout, end="")
        return result.returncode
    folder = result.stdout.splitlines()[-1]
    files = sorted(each.name for each in Path(folder).glob("firmware*") if each.is_file())
    print(json.dumps({"folder": folder, "built": "firmware.elf" in files, "files": files}))
    return 0


def require_sconstruct(here: Path) -> None:
    """Raise BLD120 in a folder where SCons would find no project."""
    names = ("SConstruct", "Sconstruct", "sconstruct", "SConstruct.py")
    homes = [each for each in (here, *here.parents) if any((each / n).is_file() for n in names)]
    if here in homes:
        return
    fix = f"go to {homes[0]}" if homes else "go to a project's folder; opsmith init DIR makes one"
    raise ToolchainError.of("BLD120", "there is no SConstruct here", where=str(here), fix=fix)
