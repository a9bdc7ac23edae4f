"""Cells on many machines, by the workers of a Dask scheduler.

Opsmith gives each cell to one worker, so that a worker which is refused gets no more of its kind,
and the cells of one that is lost go to others, however often that happens.
"""

import logging
import queue
import time
import warnings
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, ToolchainError, described, raise_all
from opsmith.guard import tell
from opsmith.home import with_our_pip
from opsmith.matrix.compute import Row
from opsmith.matrix.inputs import digest_of
from opsmith.matrix.jobs import Job
from opsmith.matrix.processes import Done
from opsmith.matrix.worker import WorkerRefused, compute, content

ANSWERS = "10s"  # timeout for answers of a scheduler
PATIENCE = 60.0  # seconds to wait without a worker
LOSSES = 20  # lost workers, after which the cell is blamed
PAUSE = 0.2  # seconds between checks of the workers
COMPARED = ("python", "dask", "distributed", "msgpack")  # packages whose versions must be equal


def by_dask(jobs: Sequence[Job], root: Path, address: str) -> Iterator[Done]:
    """Jobs with their rows, each as soon as it has ended on a worker. Raises BLD133 for a scheduler
    that does not answer or has another version, BLD134 where no worker is fit.
    """
    if not find_spec("distributed"):
        what = "the Python package distributed is not installed"
        fix = with_our_pip("pip install 'opsmith[dask]'")
        raise ToolchainError.of("BLD133", what, where=f"--dask={address}", fix=fix)
    raise_all(_outside(jobs))
    with _client(address) as client:
        files = {name: digest for job in jobs for name, digest in job.files.items()}
        yield from _Work(client, root, address, digest_of(files), deque(jobs)).done()


def _outside(jobs: Sequence[Job]) -> Iterator[Problem]:
    """Problems of files that no worker can have."""
    names = {name for job in jobs for name in job.files}
    for name in sorted(names):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            fix = "copy it into the project: paths of workers are those below its folder"
            yield Problem("BLD134", "it lies outside the project", name, fix)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    from distributed import Client

    warnings.filterwarnings("ignore", module="distributed")
    for name in ("distributed", "distributed.client"):  # loggers that report losses
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=ANSWERS, set_as_default=False)
    except Exception as error:
        what = f"no scheduler answers that this Dask understands: {described(error)}"
        fix = "start it, as by `dask scheduler`, with the versions that this Opsmith locks"
        raise ToolchainError.of("BLD133", what, where=f"--dask={address}", fix=fix) from None
    try:
        _check_versions(client, address)
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=1)


def _check_versions(client: Any, address: str) -> None:
    """Raise BLD133 where the scheduler has other versions than this machine."""
    from distributed.versions import get_versions

    own, of_scheduler = map(_packages, (get_versions(), client.sync(client.scheduler.versions)))
    pairs = ((name, of_scheduler[name], version) for name, version in own.items())
    others = [f"{name} {theirs}, not {ours}" for name, theirs, ours in pairs if theirs != ours]
    if others:
        what, fix = f"the scheduler has {', '.join(others)}", "install equal versions on both"
        raise ToolchainError.of("BLD133", what, where=f"--dask={address}", fix=fix)


def _packages(side: Mapping[str, Any]) -> dict[str, str]:
    packages = side["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {name: str(packages.get(name)) for name in COMPARED} | {"python": python}


@dataclass
class _Work:
    """Cells that are left, and the worker that computes each of the current ones."""

    client: Any
    root: Path
    address: str
    project: str  # digest of all files of the project
    left: deque[Job]
    _flying: dict[Any, tuple[Job, str, float]] = field(default_factory=dict)  # by future
    _ended: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    _refused: dict[tuple[str, str], str] = field(default_factory=dict)  # by worker, compiler
    _contents: dict[str, Any] = field(default_factory=dict)  # futures of contents, by digest
    _tries: int = 0
    _lost: Counter[str] = field(default_factory=Counter)  # number of workers lost, by cell
    _alone_since: float | None = None

    def done(self) -> Iterator[Done]:
        """Jobs that have ended, with their rows."""
        while self.left or self._flying:
            workers = self._workers()
            self._take_back(workers)
            self._give(workers)
            self._require_fit(workers)
            with suppress(queue.Empty):
                yield from self._landed(self._ended.get(timeout=PAUSE))

    def _workers(self) -> Mapping[str, Any]:
        """Workers of the scheduler, by address. Raises BLD133 where the scheduler is gone."""
        found: Mapping[str, Any] | None = self.client.scheduler_info(n_workers=-1).get("workers")
        if found is None:
            what, fix = "the scheduler is gone", "start it again; the matrix then goes on here"
            raise ToolchainError.of("BLD133", what, where=f"--dask={self.address}", fix=fix)
        return found

    def _take_back(self, workers: Mapping[str, Any]) -> None:
        """Put cells of lost workers back at the front of the queue."""
        for future, (job, worker, _) in [*self._flying.items()]:
            if worker not in workers:
                del self._flying[future]
                future.cancel()
                self._again(job)

    def _again(self, job: Job) -> None:
        """Put a cell whose worker was lost at the front. Raises BLD134 if it has lost several."""
        self.left.appendleft(job)
        self._lost[job.cell.name] += 1
        if self._lost[job.cell.name] == LOSSES:
            what, fix = f"it has lost {LOSSES} workers", "give workers more memory"
            raise ToolchainError.of("BLD134", what, where=job.cell.name, fix=fix)

    def _give(self, workers: Mapping[str, Any]) -> None:
        busy = [worker for _, worker, _ in self._flying.values()]
        free = [w for w, facts in workers.items() for _ in range(facts["nthreads"] - busy.count(w))]
        for worker in free:
            fit = (each for each in self.left if (worker, each.compiler) not in self._refused)
            job = next(fit, None)
            if job is not None:
                self.left.remove(job)
                self._submit(job, worker)

    def _submit(self, job: Job, worker: str) -> None:
        contents = [self._content(name, digest) for digest, name in _by_digest(job)]
        self._tries += 1
        future = self.client.submit(
            compute,
            job,
            self.project,
            contents,
            key=f"{job.key}-{self._tries}",
            workers=[worker],
        )
        self._flying[future] = job, worker, time.monotonic()
        future.add_done_callback(self._ended.put)

    def _content(self, name: str, digest: str) -> Any:
        """Content of a file as a Dask task, which runs again where its result is lost."""
        if digest not in self._contents:
            data = (self.root / name).read_bytes()
            self._contents[digest] = self.client.submit(content, data, key=f"opsmith-{digest}")
        return self._contents[digest]

    def _landed(self, future: Any) -> Iterator[Done]:
        if future not in self._flying:  # its worker was lost
            return
        job, worker, began = self._flying.pop(future)
        result = _result(future)
        if isinstance(result, WorkerRefused):
            self.left.appendleft(job)
            self._refuse(job, worker, result.why)
        elif result is None:
            self._again(job)
        else:
            yield job, result, time.monotonic() - began

    def _require_fit(self, workers: Mapping[str, Any]) -> None:
        """Raise BLD134 where no worker computes the rest, BLD133 where there is none for a while;
        lost ones may return.
        """
        fit = any((w, job.compiler) not in self._refused for w in workers for job in self.left)
        if fit or self._flying or not self.left:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if (workers and not self._lost) or time.monotonic() - self._alone_since > PATIENCE:
            why = {w: why for (w, _), why in self._refused.items() if w in workers}
            raise_all(self._refusal(worker, each) for worker, each in why.items())
            what, fix = "the scheduler has no worker", f"start one: dask worker {self.address}"
            raise ToolchainError.of("BLD133", what, where=f"--dask={self.address}", fix=fix)

    def _refuse(self, job: Job, worker: str, why: str) -> None:
        if (worker, job.compiler) not in self._refused:
            self._refused[worker, job.compiler] = why
            tell(str(self._refusal(worker, why)))

    def _refusal(self, worker: str, why: str) -> Problem:
        fix = "install there what this machine has: the cells of this worker go to others"
        return Problem("BLD134", f"the worker {worker} is not used: it {why}", self.address, fix)


def _result(future: Any) -> Row | WorkerRefused | None:
    """Result of a task; None where its worker was lost."""
    if future.status == "error":
        error = future.exception()
        lost = type(error).__name__ == "KilledWorker"
        return None if lost else WorkerRefused(f"failed: {described(error)}")
    try:
        found: Row | WorkerRefused = future.result(timeout=ANSWERS)
    except Exception:  # the future was lost with its result, or is computed again
        return None
    return found


def _by_digest(job: Job) -> list[tuple[str, str]]:
    """Digests of a job's files in order, each with the name of a file that has it."""
    return sorted({digest: name for name, digest in job.files.items()}.items())
