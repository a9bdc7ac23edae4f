"""Writes the folder of a new op, never over an existing one."""

import contextlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opsmith.discover.discover import load_op
from opsmith.errors import Problem, cannot_write, raise_all
from opsmith.scaffold.cases import cases_source
from opsmith.scaffold.families import FAMILIES
from opsmith.scaffold.kernel import kernel_source
from opsmith.scaffold.registration import header_remarks, op_source, params_members
from opsmith.scaffold.spec import Spec, spec_problems

UNFINISHED = "its formula is the template's: replace it, and remove the trait 'placeholder'"


def write_folders(specs: Sequence[Spec], into: Path, where: str) -> list[Path]:
    """Write a folder for each spec and return the folders: all or none. Raises OPS03x."""
    problems = [problem for spec in specs for problem in _problems(spec, into, where)]
    names = [spec.name for spec in specs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        what = f"two new ops are called '{name}'"
        problems.append(Problem("OPS030", what, where, "give each its own name"))
    sources = [source for _, source in {(spec.name, spec.source) for spec in specs}]
    for source in sorted({source for source in sources if sources.count(source) > 1}):
        what = f"two new ops claim {source}"
        problems.append(Problem("OPS034", what, where, "give each its own source"))
    raise_all(problems)
    return write_all({spec.name: _files(spec) for spec in specs}, into)


def write_all(texts: Mapping[str, Mapping[str, str]], into: Path) -> list[Path]:
    """Write folders of ops, each with its files by name, load the ops, and return the folders: all
    or none. Raises BLD002, and errors of `load_op`.
    """
    made, new = list[Path](), not into.exists()
    try:
        into.mkdir(parents=True, exist_ok=True)
        for op, files in texts.items():
            folder = into / op
            folder.mkdir()
            made.append(folder)
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8", newline="")
            load_op(folder)
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    except BaseException as error:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        if new:
            with contextlib.suppress(OSError):  # the folder may hold files by now
                into.rmdir()
        if isinstance(error, OSError):
            raise cannot_write(into, error) from error
        raise
    return made


def _problems(spec: Spec, into: Path, where: str) -> Iterator[Problem]:
    found = list(spec_problems(spec, where))
    family = FAMILIES.get(spec.template)
    if family is not None and not found:
        fix = "change that, or take --template elementwise"
        found = [Problem("OPS035", what, where, fix) for what in family.problems(spec)]
    yield from found
    if found:
        return
    folder = into / spec.name
    if folder.exists():
        what = f"there is something called '{spec.name}' already"
        yield Problem("OPS031", what, str(folder), "move it away, or choose another name")
    if family is not None:
        return
    names = [member.name for member in params_members(spec)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        what = f"attribute '{name}' has the name of another field of Params"
        yield Problem("OPS033", what, where, "rename the attribute")


def _files(spec: Spec) -> dict[str, str]:
    """Texts of the files of an op's folder, by name."""
    family = FAMILIES.get(spec.template)
    files = {
        "op.py": (family.op if family else op_source)(spec),
        "reference.h": (family.kernel if family else kernel_source)(spec),
        f"test_{spec.name}.py": (family.cases if family else cases_source)(spec),
    }
    return {name: text for name, text in files.items() if text}


def remarks(spec: Spec) -> list[str]:
    """Notes for the op's author: placeholders, and facts that the model did not determine."""
    empty = spec.template == "empty"
    first = ["its kernel and evaluate are placeholders" if empty else UNFINISHED]
    return [*first, *header_remarks(spec)]
