"""`opsmith matrix --dask`: two workers, one of which is killed, give the table of one process."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.matrix import cluster
from opsmith.matrix.command import main
from opsmith.matrix.inputs import Inputs
from opsmith.matrix.jobs import Job, jobs_of
from opsmith.matrix.plan import read_plan
from opsmith.matrix.worker import WorkerRefused, computed_in
from tests.refusals import refusal
from tests.unit.matrix.stub import make_stub, write_matrix

distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed: ./bootstrap --all"
)
dask = pytest.importorskip("dask")  # which distributed needs
pytestmark = pytest.mark.slow
OPTS = ("speed", "balanced", "size")
TEXTS = {"a": "x" * 100, "b": "breaks", "c": "differs", "d": "kills"}
MATRIX = "matrix.toml"


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Cluster of a scheduler and two workers, each a process."""
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set({"temporary-directory": folder}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=folder,
            silence_logs="CRITICAL",
        ) as found,
    ):
        yield found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Project of four models, twelve cells, which is the current folder of the test."""
    root = make_stub(tmp_path / "project", **TEXTS)
    write_matrix(root, [f"{name}.tflite" for name in TEXTS], OPTS)
    monkeypatch.chdir(root)
    return root


def jobs() -> list[Job]:
    """Jobs of the project in the current folder."""
    return jobs_of(read_plan(Path(MATRIX)), Path(MATRIX), Inputs(Path.cwd(), [Path(MATRIX)]))


def test_the_table_is_that_of_one_process(project: Path, workers: Any, tmp_path: Path) -> None:
    before = {each.pid for each in workers.workers.values()}
    assert main([MATRIX, f"--dask={workers.scheduler_address}", "--out=build/many"]) == 1
    assert Path(f"{project}.killed").exists(), "a worker was killed"
    assert {each.pid for each in workers.workers.values()} != before
    assert not Path("build/host-reference").exists(), "nothing was built here"
    assert main([MATRIX, "--jobs=1", "--out=build/one"]) == 1
    for name in ("matrix.json", "matrix.xml", "matrix.html"):
        many, one = (Path("build", each, name).read_bytes() for each in ("many", "one"))
        assert many == one
        assert many.count(b"a.tflite") >= len(OPTS)


def test_workers_with_other_compilers_are_refused_by_digest(
    project: Path, workers: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [replace(job, compiler="0" * 64) for job in jobs()]
    caught = refusal(list, cluster.by_dask(others, project, workers.scheduler_address))
    assert [each.code for each in caught.problems] == ["BLD134"] * 2
    assert "has the compiler " in caught.problems[0].what
    assert caught.problems[0].what.endswith(f", not {'0' * 16}")
    assert capsys.readouterr().err.count("error BLD134") == 2


def test_a_worker_needs_our_opsmith_and_whole_files(project: Path, tmp_path: Path) -> None:
    job, folder = jobs()[0], tmp_path / "there"
    contents = {digest: (project / name).read_bytes() for name, digest in job.files.items()}
    other = replace(job, opsmith="1" * 64)
    found = computed_in(folder, other, contents)
    assert isinstance(found, WorkerRefused)
    assert found.why.startswith("has Opsmith ")
    found = computed_in(folder, job, dict.fromkeys(contents, b"edited"))
    assert isinstance(found, WorkerRefused)
    assert "BLD134" in found.why
    assert not (folder / "build").exists()
    found = computed_in(folder, job, contents)
    assert isinstance(found, dict)
    assert found["flash"] == 1100


def test_a_scheduler_of_another_version_is_an_error(
    project: Path, workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = distributed.versions.get_versions()["packages"] | {"distributed": "2020.1.0"}
    monkeypatch.setitem(workers.scheduler.handlers, "versions", lambda: {"packages": packages})
    ours = distributed.__version__
    with pytest.raises(ToolchainError, match=f"BLD133.*has distributed 2020.1.0, not {ours}"):
        main([MATRIX, f"--dask={workers.scheduler_address}"])


def test_no_scheduler_and_no_worker_are_errors(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ANSWERS", "0.2s")
    with pytest.raises(ToolchainError, match=r"BLD133.*no scheduler answers"):
        main([MATRIX, "--dask=tcp://127.0.0.1:9"])
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    job = jobs()[0]
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as none:
        with pytest.raises(ToolchainError, match=r"BLD133.*has no worker"):
            list(cluster.by_dask([job], project, none.scheduler_address))
        monkeypatch.setattr(distributed.Client, "scheduler_info", lambda *_, **__: {})
        with pytest.raises(ToolchainError, match=r"BLD133.*the scheduler is gone"):
            list(cluster.by_dask([job], project, none.scheduler_address))


def test_files_outside_the_project_are_named(project: Path) -> None:
    job = replace(jobs()[0], files={"../kws.tflite": "0" * 64})
    with pytest.raises(ToolchainError, match=r"BLD134.*outside the project[^\0]*\.\./kws"):
        list(cluster.by_dask([job], project, "tcp://127.0.0.1:9"))
