"""Which broken kernels the tests of ops notice: `.venv/bin/python -m tests.mutants --op add`.

Each mutant (`ways.py`) is tested by the tests of one op, in a copy of the project. One that
compiles to the object of the right kernel, for every core that kernels are written for, is no
other kernel, and one that does not compile is none: both are counted apart, and so is what
`equivalent.py` lists. Exit status 1 where one survives.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from opsmith.board.cores import CORES, Core
from opsmith.contract.bind import bind
from opsmith.contract.kernel_check import kernel_check
from opsmith.discover.discover import load_op
from opsmith.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.ways import Mutant, mutants
from tests.system.project import ROOT, Project, make_project

MACHINES = tuple(CORES[name] for name in ("cortex-m3", "cortex-m4f", "cortex-m55"))
KILLED, SURVIVED, EQUAL = "killed", "SURVIVED", "equal"
SECONDS = 600  # for the tests of an op; a mutant that loops for ever is killed by them


def main(argv: list[str]) -> int:
    """Test the mutants and print what became of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--op", action="append", help="whose kernels (default: all ops')")
    parser.add_argument(
        "--count",
        type=int,
        default=10,
        help="of mutants to test, besides those that are none (default: 10)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--project", type=Path, default=ROOT, help="whose tests are run")
    arguments = parser.parse_args(argv)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="opsmith-mutants-") as folder:
        project = make_project(Path(folder) / "project", arguments.project.resolve())
        ops = arguments.op or sorted(path.parent.name for path in project.root.glob("ops/*/op.py"))
        for op, mutant in _chosen(project, ops, arguments.seed):
            verdict = _verdict(project, op, mutant)
            found[verdict] += 1
            print(f"{verdict:9}{op}: {mutant}\n         {mutant.text}", flush=True)
            if found[KILLED] + found[SURVIVED] == arguments.count:
                break
    tried = found[KILLED] + found[SURVIVED]
    apart = ", ".join(f"{found[each]} {each}" for each in sorted(found.keys() - {KILLED, SURVIVED}))
    print(f"\n{found[KILLED]} of {tried} mutants killed; besides: {apart or 'none'}")
    return 1 if found[SURVIVED] else 0


def _chosen(project: Project, ops: Sequence[str], seed: int) -> Iterator[tuple[str, Mutant]]:
    """All mutants, in an order in which ops, files and ways each have equal chances."""
    chance = random.Random(seed)
    found = {op: _by_file_and_way(project, op) for op in ops}
    left = {op: some for op, some in found.items() if some}
    while left:
        op = chance.choice(sorted(left))
        key = chance.choice(sorted(left[op]))
        yield op, left[op][key].pop(chance.randrange(len(left[op][key])))
        left[op] = {other: some for other, some in left[op].items() if some}
        left = {other: some for other, some in left.items() if some}


def _by_file_and_way(project: Project, op: str) -> dict[tuple[str, str], list[Mutant]]:
    found: dict[tuple[str, str], list[Mutant]] = {}
    for file in sorted(_headers(project.root, op)):
        for mutant in mutants(file, (project.root / file).read_text(encoding="utf-8")):
            found.setdefault((file, mutant.way), []).append(mutant)
    return found


def _headers(root: Path, op: str) -> set[str]:
    """The op's kernels that some machine runs, and what they include of the project."""
    every = frozenset[str]().union(*(machine.features for machine in MACHINES))
    variants = load_op(root / "ops" / op).op.variants
    kernels = (kernel for variant in variants for kernel in variant.kernels)
    runs = [kernel for kernel in kernels if set(kernel.requires) <= every]
    found = {f"ops/{op}/{file}" for kernel in runs for file in kernel.sources}
    found |= {kernel.header or f"ops/{op}/{kernel.source}" for kernel in runs}
    left = sorted(found)
    for file in left:  # which grows meanwhile
        text = (root / file).read_text(encoding="utf-8")
        for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            for place in (name, f"ops/{name}", f"ops/{op}/{name}"):
                if (root / place).is_file() and place not in found:
                    found.add(place)
                    left.append(place)
    return found


def _verdict(project: Project, op: str, mutant: Mutant) -> str:
    """Verdict about the mutant; the project is afterwards as it was."""
    if (mutant.file, mutant.way, mutant.text) in EQUIVALENT:
        return EQUAL
    path = project.root / mutant.file
    text = path.read_text(encoding="utf-8")
    for machine in MACHINES:
        _right(project, op, machine)
    path.write_text(mutant.applied(text), encoding="utf-8")
    try:
        return _of_broken(project, op)
    finally:
        path.write_text(text, encoding="utf-8")


def _of_broken(project: Project, op: str) -> str:
    for machine in MACHINES:
        made = _object(project, op, machine)
        if made is None:
            return "no C++"
        if made != _right(project, op, machine):
            return KILLED if _noticed(project, op) else SURVIVED
    return EQUAL


@cache
def _right(project: Project, op: str, machine: Core) -> bytes | None:
    return _object(project, op, machine)


def _object(project: Project, op: str, machine: Core) -> bytes | None:
    """Object code of all kernels of the op that a machine runs; None if they do not compile."""
    folder = project.root / "ops" / op
    found, into = load_op(folder), project.root / "build" / "mutants"
    into.mkdir(parents=True, exist_ok=True)
    (into / f"{op}.op.h").write_text(bind(found), encoding="utf-8")
    source, made = into / "check.cc", into / "check.o"
    source.write_text(kernel_check(found, machine.features), encoding="utf-8")
    flags = [*machine.compiler_flags, *CXXFLAGS, KERNEL_OPT["balanced"], *KERNEL_FLAGS, "-g0"]
    flags += ["-fkeep-static-functions"]  # which call what kernels of `function=` call
    flags += [f"-I{path}" for path in (into, project.root, folder.parent)]
    command = ["arm-none-eabi-g++", *flags, "-c", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, check=False)
    return made.read_bytes() if done.returncode == 0 else None


def _noticed(project: Project, op: str) -> bool:
    """Whether the op's tests fail."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "--confcutdir=ops", f"ops/{op}"]
    ended = run_for(command, project.root, SECONDS)
    assert ended is None or ended[0] in (0, 1), ended[1]  # else no test ran
    return ended is None or ended[0] == 1


def run_for(command: Sequence[str], folder: Path, seconds: float) -> tuple[int, str] | None:
    """The exit status of a program and what it says; None where it takes longer, and is ended with
    all that it started: the firmware, too, which loops.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=seconds)[0]
        except BaseException as ended:  # also where we are interrupted, of which it hears nothing
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(ended, subprocess.TimeoutExpired):
                raise
            return None
    return process.returncode, said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
