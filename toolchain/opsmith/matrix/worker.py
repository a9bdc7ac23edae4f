"""A cell of a matrix on a Dask worker: its files are written into a folder, and computed there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.matrix.compute import OF_MACHINES, Row, computed
from opsmith.matrix.inputs import opsmith_digest, put
from opsmith.matrix.jobs import Job
from opsmith.scons.folders import BUILD
from opsmith.scons.identity import identify


@dataclass(frozen=True)
class WorkerRefused:
    """Reason why a worker does not compute a cell, in words that follow its address."""

    why: str


def content(data: bytes) -> bytes:
    """Content of a file, as a Dask task that runs again where its worker is lost."""
    return data


def compute(job: Job, project: str, contents: Sequence[bytes]) -> Row | WorkerRefused:
    """Row of a cell of a project; `contents` are its files', in the order of their digests."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory, "opsmith", project[:16])
    return computed_in(folder, job, dict(zip(sorted({*job.files.values()}), contents, strict=True)))


def computed_in(folder: Path, job: Job, contents: Mapping[str, bytes]) -> Row | WorkerRefused:
    """Row of a cell, from nothing but contents by digest; this machine must have the requested
    Opsmith and compilers.
    """
    if opsmith_digest() != job.opsmith:
        return WorkerRefused(f"has Opsmith {opsmith_digest()[:16]}, not {job.opsmith[:16]}")
    try:
        put(folder, job.files, contents)
        roots = [HOME / "boards", *(folder / each for each in job.boards)]
        board = load_board(job.board, roots, [folder / each for each in job.platforms])
        architecture = board.core.architecture
        kept = folder / BUILD / f".toolchain-{architecture.name}.json"
        found = identify(architecture, kept)
        if found.sha256 != job.compiler:
            other = f"{found.sha256[:16]}, not {job.compiler[:16]}"
            return WorkerRefused(f"has the compiler {found.compiler} {other}")
        row = computed(job, folder)
    except ToolchainError as error:
        return WorkerRefused(f"cannot: {error.problems[0].code}: {error.problems[0].what}")
    if row["code"] in OF_MACHINES:
        return WorkerRefused(f"cannot: {row['code']}: {row['what']}")
    return row
