"""Cells on this machine, several at once, each in a process of SCons."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.matrix.compute import OF_MACHINES, Row, computed
from opsmith.matrix.jobs import Job

Done = tuple[Job, Row, float]  # with seconds


def by_processes(jobs: Sequence[Job], root: Path, most: int = 0) -> Iterator[Done]:
    """Jobs with their rows, each as soon as it has ended; at most `most` at once, by default one
    per core. Raises problems of this machine. If the iterator is closed early, running cells end
    with this process.
    """
    cores = len(os.sched_getaffinity(0))
    most = min(max(most, 0) or cores, len(jobs)) or 1
    parallel = max(1, cores // most)

    def timed(job: Job) -> Done:
        begin = time.monotonic()
        row = computed(job, root, parallel)
        if row["code"] in OF_MACHINES:
            fix = "mend it and run the matrix again, which goes on here"
            raise ToolchainError.of(row["code"], row["what"], where=job.cell.name, fix=fix)
        return job, row, time.monotonic() - begin

    pool = ThreadPoolExecutor(most)
    try:
        left: set[Future[Done]] = {pool.submit(timed, job) for job in jobs}
        while left:
            ended, left = wait(left, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in ended)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
