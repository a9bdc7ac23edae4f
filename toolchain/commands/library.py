"""`library`: copy the headers that users of a model include; list what the model is made of."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolchain.commands.files import cannot_write, replace_files
from toolchain.errors import ToolchainError
from toolchain.scons.make_rules import prerequisites


def main(argv: list[str]) -> int:
    """Make BUILD/library/include and lists of sources and libraries; 0. Raises BLD002, BLD010."""
    split = argv.index("--")
    arguments, compiler = _parser().parse_args(argv[:split]), argv[split + 1 :]
    build: Path = arguments.build
    out = build / "library"
    interface = _headers([*compiler, "-x", "c++"], [build / "model.h"])
    files = {*_headers(compiler, arguments.source), *arguments.data}
    try:
        _copy(interface, out / "include")
        libraries = (build / "libraries.txt").read_text(encoding="utf-8")
    except OSError as error:
        raise cannot_write(out, error) from error
    flags = shlex.join([*(f"-I{path}" for path in arguments.include), *arguments.flag])
    lines = [
        "# Files of the generated program, relative to the root of the checkout. Compile .cc with",
        f"# {flags}",
        "# and link with @libraries.txt.",
        *sorted(map(str, files)),
    ]
    replace_files(out, {"libraries.txt": libraries, "sources.txt": "\n".join(lines) + "\n"})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opsmith library", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the products")
    parser.add_argument("--source", action="append", type=Path, help="a file of the program")
    parser.add_argument("--data", action="append", type=Path, help="a file that these include")
    parser.add_argument("--include", action="append", default=[], help="where headers are")
    parser.add_argument("--flag", action="append", default=[], help="kernels are compiled with it")
    return parser


def _copy(headers: Iterable[Path], include: Path) -> None:
    shutil.rmtree(include, ignore_errors=True)
    for header in headers:
        copy = include / (header.name if header.name == "model.h" else header)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(header, copy)


def _headers(compiler: Sequence[str], sources: Sequence[Path]) -> list[Path]:
    """The sources, and every header of ours that they include."""
    command = [*compiler, "-MM", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, check=False, close_fds=False)
    if done.returncode != 0:
        what = f"the compiler ended with exit status {done.returncode}: {done.stderr[:200]!r}"
        where, fix = shlex.join(command), "run the command above by hand"
        raise ToolchainError.of("BLD010", what, where=where, fix=fix)
    return prerequisites(done.stdout.decode("utf-8", "surrogateescape"))
