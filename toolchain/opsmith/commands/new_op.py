"""`new-op`: writes a new op's folder, from a description or a model's unsupported operators."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.commands.new_op_ask import ask, default_folder
from opsmith.commands.new_op_describe import Description, describe, read_json
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.op.index import OpIndex
from opsmith.scaffold.from_model import missing, specs_of_model
from opsmith.scaffold.python import sentence
from opsmith.scaffold.spec import TEMPLATES, Spec
from opsmith.scaffold.write import remarks, write_folders

_DESCRIBING = ("inputs", "outputs", "attribute", "custom", "source", "template")
_EXAMPLES = """examples:
  opsmith new-op peak --inputs x:i8 --outputs y:i8 index:i32 --attribute k:int=3 --into my_ops
  opsmith new-op soft --inputs x:i8,f32 --outputs y:i8,f32 --template unary --into my_ops
  opsmith new-op --from model.tflite --into my_ops
  opsmith new-op            asks, in a terminal
"""


def main(arguments: list[str]) -> int:
    """Write the folders and print the next commands; returns 0. Raises OPS03x, MDL0xx, BLD00x."""
    options = _parser().parse_args(arguments)
    if options.model is not None:
        _refuse(options, "--from", "name", "json", *_DESCRIBING)
        where, into = str(options.model), options.into or default_folder()
        specs = _of_model(options.model, _known(options, into))
        if not specs:
            raise missing(options.model)
    else:
        descriptions, where, into = _descriptions(options)
        ops = _known(options, into)
        specs = [describe(each, ops, where) for each in descriptions]
    for folder, spec in zip(write_folders(specs, into, where), specs, strict=True):
        print(_summary(folder, spec))
    print(_next(specs, into))
    return 0


def _of_model(model: Path, ops: OpIndex) -> list[Spec]:
    """Ops that a model lacks. The last problem of a model that is refused says what that means."""
    try:
        return specs_of_model(model, ops)
    except ToolchainError as wrong:
        *others, last = wrong.problems
        if not last.code.startswith("MDL"):
            raise
        last = replace(last, fix=f"{last.fix}; then run new-op again: it has written nothing")
        raise ToolchainError(*others, last) from wrong


def _descriptions(options: argparse.Namespace) -> tuple[list[Description], str, Path]:
    """Descriptions of ops, their origin, and the folder into which op folders are written."""
    into = options.into or default_folder()
    if options.json is not None:
        _refuse(options, "--json", "name", *_DESCRIBING)
        found, named = read_json(options.json)
        return found, str(options.json), options.into or named or into
    nothing = options.name is None and not any(getattr(options, name) for name in _DESCRIBING)
    if nothing and sys.stdin.isatty():
        _known(options, into)  # raises before the first question
        description, asked = ask(options.into)
        return [description], "your answers", asked
    if options.name is None:
        what, fix = (
            "the op has no name",
            "opsmith new-op NAME; see opsmith new-op -h",
        )
        raise ToolchainError.of("BLD004", what, where="command line", fix=fix)
    description = Description(
        name=options.name,
        inputs=tuple(options.inputs or ("x:i8",)),
        outputs=tuple(options.outputs or ("y:i8",)),
        attributes=tuple(options.attribute or ()),
        custom=options.custom or "",
        source=options.source or "",
        template=options.template or "empty",
    )
    return [description], "command line", into


def _known(options: argparse.Namespace, into: Path) -> OpIndex:
    """Ops that exist, with those of the folder into which op folders are written."""
    known = [*(options.ops or [HOME / "ops"])]
    listed = into.resolve() in {root.resolve() for root in known}
    return discover([*known, *([] if listed or not any(into.glob("*/op.py")) else [into])])


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opsmith new-op",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", help="of the op and its folder")
    parser.add_argument("--inputs", nargs="+", action=_Once, metavar="NAME:TYPE", help="x:i8,f32")
    parser.add_argument("--outputs", nargs="+", action=_Once, metavar="NAME:TYPE")
    parser.add_argument(
        "--attribute", nargs="+", action="extend", metavar="NAME:TYPE[=DEFAULT]", help="k:int=3"
    )
    sources = parser.add_mutually_exclusive_group()
    sources.add_argument("--custom", action=_Once, metavar="NAME", help="the CUSTOM op that it is")
    sources.add_argument("--source", action=_Once, metavar="tflite.X", help="the source op it is")
    parser.add_argument("--template", action=_Once, help=f"{', '.join(TEMPLATES)} (default)")
    parser.add_argument(
        "--into", action=_Once, type=Path, metavar="DIR", help="default: my_ops or ops"
    )
    parser.add_argument("--json", action=_Once, type=Path, metavar="FILE", help="describes ops")
    parser.add_argument(
        "--from", action=_Once, dest="model", type=Path, metavar="MODEL", help="all ops it lacks"
    )
    parser.add_argument(
        "--ops", action=_Once, nargs="+", type=Path, metavar="DIR", help="ops that exist"
    )
    return parser


class _Once(argparse.Action):
    """Action of argparse that stores a value, and refuses a second one."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice")
        setattr(namespace, self.dest, values)


def _refuse(options: argparse.Namespace, flag: str, *others: str) -> None:
    """Raise BLD001 if options are given that `flag` excludes."""
    given = [name for name in others if getattr(options, name) is not None]
    if given:
        shown = ", ".join("NAME" if name == "name" else f"--{name}" for name in given)
        what = f"{flag} says all that {shown} would"
        raise ToolchainError.of("BLD001", what, where="command line", fix=f"leave out {shown}")


def _summary(folder: Path, spec: Spec) -> str:
    files = ", ".join(sorted(path.name for path in folder.iterdir()))
    notes = "".join(f"\n  note: {remark}" for remark in remarks(spec))
    sources = sentence(", ".join((*spec.others, spec.source)))
    return f"{folder}: {sources}, template {spec.template}: {files}{notes}"


def _next(specs: Sequence[Spec], into: Path) -> str:
    """Return the commands to run next."""
    built_in = into.resolve() == (HOME / "ops").resolve()
    where = "" if built_in else f" {shlex.quote(f'ops={into}')}"
    name = specs[0].name
    return "\n".join(
        [
            f"next: opsmith check {shlex.quote(str(into))}",
            f"      scons ops/{name}{where}         compiles its kernels",
            f"      scons ops/{name}/test{where}    runs its tests",
        ]
    )
