"""`python -m tests.stress.matrix`: 200 cells by two workers of Dask, one of which is killed every
20 seconds, give the table of one process. Workers have the wheel and nothing of the checkout; ninja
then makes the firmware that the table has. Prints what was counted; 1 where something differs.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsmith.testing.checkout import ROOT
from tests.commands import said
from tests.system.project import convolutions

BOARDS, OPTS = ("host", "mps2_an386"), ("balanced", "size")
SCRIPT = "from opsmith.scons.project import Project\nProject().build(alone=True)\n"
PYTHON = (sys.executable, "-m")
ADDRESS = "tcp://127.0.0.1:{}"
WORKER = ("--nthreads=1", "--no-nanny", "--no-dashboard", "--memory-limit=0")


def main(argv: list[str]) -> int:
    """Run the stress; returns 0 where both tables, and the firmware that ninja makes, are equal."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress.matrix", description=__doc__)
    parser.add_argument("--cells", type=int, default=200, help="a multiple of four")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two kills")
    parser.add_argument("--port", type=int, default=48786)
    given = parser.parse_args(argv)
    base = Path(tempfile.mkdtemp(prefix="opsmith-matrix-"))
    project = made_project(base / "project", given.cells)
    began = time.monotonic()
    with workers(base, given.port, given.every) as kills:
        many = table(project, "many", f"--dask={ADDRESS.format(given.port)}")
    counted = f"{given.cells} cells, {kills.count} kills, {time.monotonic() - began:.0f} s"
    one = table(project, "one")
    by_ninja = firmware_by_ninja(project)
    cell = next(row for row in json.loads(one)["cells"] if row["firmware"] == by_ninja)
    print(f"{counted}: {'equal' if many == one else 'DIFFERS'}; ninja made that of {cell['name']}")
    if many != one:
        return 1
    shutil.rmtree(base)
    return 0


def made_project(root: Path, cells: int) -> Path:
    """Project with a matrix of N cells, each of a small model of its own."""
    root.mkdir()
    (root / "SConstruct").write_text(SCRIPT, encoding="utf-8")
    names = [f"m{number}.tflite" for number in range(cells // len(BOARDS) // len(OPTS))]
    for number, name in enumerate(names):
        (root / name).write_bytes(convolutions(changed=number))
    lists = {"models": names, "boards": BOARDS, "opts": OPTS}
    lines = [f"{name} = {json.dumps(each)}" for name, each in lists.items()]
    (root / "matrix.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return root


def table(project: Path, out: str, *options: str) -> bytes:
    """Table of a run from scratch, all cells of which must pass."""
    command = [*PYTHON, "opsmith", "matrix", "matrix.toml", f"--out=build/{out}", *options]
    said(command, cwd=project)
    return (project / "build" / out / "matrix.json").read_bytes()


def firmware_by_ninja(project: Path) -> str:
    """The digest of the first model's firmware, whose objects ninja compiled."""
    words = ["board=mps2_an386", "model=m0.tflite"]
    said([*PYTHON, "SCons", "-Q", *words, "ninja=1"], cwd=project)
    folder = project / said([*PYTHON, "SCons", "-Q", *words, "where"], cwd=project).strip()
    for made in [*folder.glob("firmware.*"), *folder.glob("obj/**/*.o")]:
        made.unlink()
    said([Path(sys.executable).with_name("ninja"), "-f", folder / "build.ninja"], cwd=project)
    return hashlib.sha256((folder / "firmware.elf").read_bytes()).hexdigest()


class Kills:
    """Two workers, one of which is killed and replaced now and then."""

    def __init__(self, command: list[str], base: Path) -> None:
        self.count = 0
        self._command, self._base = command, base
        self._workers = [self._started(number) for number in range(2)]
        self._over = threading.Event()

    def go_on(self, every: float) -> None:
        """Kill a worker every N seconds until `end` is called."""
        while not self._over.wait(every):
            self.count += 1
            self._workers[self.count % 2].kill()
            self._workers[self.count % 2].wait()
            self._workers[self.count % 2] = self._started(self.count + 2)

    def end(self) -> None:
        """End both workers."""
        self._over.set()
        for worker in self._workers:
            worker.kill()
            worker.wait()

    def _started(self, number: int) -> subprocess.Popen[bytes]:
        place = [f"--local-directory={self._base / f'worker{number}'}"]
        log = (self._base / "workers.log").open("ab")
        return subprocess.Popen([*self._command, *place], cwd=self._base, stdout=log, stderr=log)


@contextmanager
def workers(base: Path, port: int, every: float) -> Iterator[Kills]:
    """A scheduler, and two workers with the wheel, which are killed in turn."""
    python = str(installed(base))
    words = [*PYTHON, "distributed.cli.dask_scheduler", f"--port={port}", "--no-dashboard"]
    with (base / "scheduler.log").open("wb") as log:
        scheduler = subprocess.Popen(words, cwd=base, stdout=log, stderr=log)
    worker = [python, "-m", "distributed.cli.dask_worker", ADDRESS.format(port), *WORKER]
    kills = Kills(worker, base)
    killer = threading.Thread(target=kills.go_on, args=[every], daemon=True)
    killer.start()
    try:
        yield kills
    finally:
        kills.end()
        killer.join()
        scheduler.kill()
        scheduler.wait()


def installed(base: Path) -> Path:
    """Python of an environment with the wheel, and with the locked packages of this one."""
    wheels, environment = base / "dist", base / "environment"
    pip = [*PYTHON, "pip", "--quiet", "--disable-pip-version-check"]
    said([*pip, "wheel", "--no-deps", "--no-index", f"--wheel-dir={wheels}", ROOT], cwd=base)
    said([*PYTHON, "venv", "--without-pip", environment], cwd=base)
    python = environment / "bin" / "python"
    (wheel,) = wheels.glob("*.whl")
    said([*pip, "--python", python, "install", "--no-deps", "--no-index", wheel], cwd=base)
    (site,) = environment.glob("lib/*/site-packages")
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + os.linesep, encoding="utf-8")
    return python


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
