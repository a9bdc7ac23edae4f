"""Cells as jobs for any worker; problems that prevent a build are found before any job begins."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from opsmith.build_options import RUNNER, BuildOptions
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.matrix.inputs import Files, Inputs, digest_of, opsmith_digest
from opsmith.matrix.plan import Cell, MatrixPlan
from opsmith.scons.build import check_several
from opsmith.scons.folders import model_folder
from opsmith.scons.run import check_rig, is_attached
from opsmith.scons.settings import VARIABLES, read_settings
from opsmith.scons.target import Target, load_target

WAIT = "600"  # seconds for a board that another cell has
SCONS = (sys.executable, "-m", "SCons", "-Q")


@dataclass(frozen=True)
class Job:
    """A cell, with all facts that a machine needs to build and run it."""

    cell: Cell
    words: tuple[str, ...]  # variables and targets for SCons
    folder: str  # folder for products
    board: str
    boards: tuple[str, ...]  # folders in which the board is looked for
    platforms: tuple[str, ...]
    files: Files
    opsmith: str  # digest of opsmith
    compiler: str  # digest of the compiler of the board's firmware

    @property
    def key(self) -> str:
        """Digest of everything that decides the results."""
        return digest_of([self.words, [*self.files.items()], self.opsmith, self.compiler])


def jobs_of(plan: MatrixPlan, file: Path, inputs: Inputs) -> list[Job]:
    """Job for each cell, in the folder of the project. Raises all problems that keep cells from
    being built, by code, each once.
    """
    defaults, opsmith = project_variables(), opsmith_digest()
    jobs, problems = list[Job](), dict[Problem, list[str]]()
    for cell in plan.cells:
        try:
            settings = read_settings(_joined(defaults, cell.variables), Path.cwd())
            target = load_target(settings)
            jobs.append(_job(cell, settings, target, inputs, opsmith))
        except ToolchainError as error:
            for problem in error.problems:
                problems.setdefault(replace(problem, where=""), []).append(cell.name)
    raise_all(
        replace(
            problem,
            where=_where(file, names),
            fix=f"{problem.fix}; or leave such cells out by [[exclude]]",
        )
        for problem, names in problems.items()
    )
    raise_all(_twice(jobs, file))
    return jobs


def project_variables() -> dict[str, str]:
    """Variables that the SConstruct of the current folder sets. Raises BLD130."""
    done = subprocess.run([*SCONS, "variables"], capture_output=True, text=True, errors="replace")
    try:
        found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
    except (ValueError, IndexError):
        found = None
    if not isinstance(found, dict):
        said = (done.stderr or done.stdout).strip()[-1000:]
        what, fix = f"it does not say its variables: {said}", "correct what is said here"
        raise ToolchainError.of("BLD130", what, where="SConstruct", fix=fix)
    return found


def _job(cell: Cell, settings: BuildOptions, target: Target, inputs: Inputs, opsmith: str) -> Job:
    attached = is_attached(settings)
    check_rig(settings, target)
    if len(settings.models) > 1:
        check_several(settings, target, ["run"])
    if settings.app != RUNNER:
        what, fix = f"app={settings.app} is compared with nothing", "leave app= out"
        raise ToolchainError.of("BLD130", what, where="", fix=fix)
    words = [f"{name}={value}" for name, value in cell.variables.items()]
    words += [f"wait={WAIT}"] if attached and "wait" not in cell.variables else []
    counted = bool(target.board.run.qemu) and not attached
    counted = counted and settings.stream == "0" and not settings.guards
    return Job(
        cell=cell,
        words=(*words, "run", *(["profile"] if counted else [])),
        folder=str(target.folder / model_folder(settings)),
        board=settings.board,
        boards=settings.boards,
        platforms=settings.platforms,
        files=inputs.of(settings),
        opsmith=opsmith,
        compiler=target.toolchain.sha256,
    )


def _joined(defaults: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Variables of a build: an SConstruct's own joined with given ones; folders are added."""
    folders = {each.name for each in VARIABLES if each.option.manifest}
    both = folders & defaults.keys() & given.keys()
    return {**defaults, **given, **{name: f"{defaults[name]},{given[name]}" for name in both}}


def _where(file: Path, names: Sequence[str]) -> str:
    more = f", and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"{file}: {names[0]}{more}"


def _twice(jobs: Sequence[Job], file: Path) -> Iterator[Problem]:
    """Problems of cells whose products would be in one folder."""
    first: dict[str, str] = {}
    for job in jobs:
        name = job.cell.name
        other = first.setdefault(job.folder, name)
        if other != name:
            what, fix = f"'{other}' and '{name}' are one firmware", "leave one of them out"
            yield Problem("BLD130", what, str(file), fix)
