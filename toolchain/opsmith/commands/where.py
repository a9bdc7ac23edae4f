"""`where`: print the folder of a firmware's products, whether it is built or not."""

from __future__ import annotations

import subprocess
import sys

from opsmith.command_line import Parser


def main(arguments: list[str]) -> int:
    """Ask the SConstruct of this folder; returns the exit status of SCons."""
    parser = Parser(prog="opsmith where", description=__doc__)
    parser.add_argument("variables", nargs="+", metavar="NAME=VALUE", help="as for scons")
    words = parser.parse_args(arguments).variables
    return subprocess.run([sys.executable, "-m", "SCons", "-Q", *words, "where"]).returncode
