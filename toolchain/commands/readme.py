"""`readme`: write the README.md of op folders from their registrations."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolchain.commands.files import replace_files
from toolchain.op.discover import load_op
from toolchain.report.op_readme import op_readme


def main(arguments: list[str]) -> int:
    """Write README.md into each folder; returns 0. Raises OPS0xx and KRN0xx."""
    parser = argparse.ArgumentParser(prog="opsmith readme", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    for folder in parser.parse_args(arguments).folders:
        replace_files(folder, {"README.md": op_readme(load_op(folder))})
    return 0
