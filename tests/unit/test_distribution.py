"""The wheel and the sdist: the same bytes whatever the folder, the time and the umask."""

import io
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from distribution import backend
from distribution.backend import build_editable, build_sdist, build_wheel

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STEM = f"opsmith-{PROJECT['version']}"
BUILD = "from distribution.backend import *; build_wheel(sys.argv[1]); build_sdist(sys.argv[1])"
pytestmark = [pytest.mark.xdist_group("distribution"), pytest.mark.slow]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("built")
    build_wheel(str(folder))
    build_sdist(str(folder))
    return folder


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_all_is_in_the_folder_of_the_package(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        record = wheel.read(f"{STEM}.dist-info/RECORD").decode()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"opsmith", "opsmith.pth", f"{STEM}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    for place in ("SConstruct", "ops/add/op.py", "runtimes/core/real.h", "boards/host/board.toml"):
        assert f"opsmith/shipped/{place}" in names
    for place in ("py.typed", "requirements.lock", "system-packages.txt", "cli.py"):
        assert f"opsmith/{place}" in names
    assert [line.split(",")[0] for line in record.splitlines()] == names


def test_what_is_built_of_the_sdist_is_the_same(built: Path, tmp_path: Path, umask: None) -> None:
    # Python 3.11.2, which Debian 12 has, knows no filter= of extractall(), and 3.14 wants one
    command = ["tar", "--no-same-owner", "-xf", *map(str, built.glob("*.tar.gz"))]
    subprocess.run(command, cwd=tmp_path, check=True)
    root, again = tmp_path / STEM, tmp_path / "again"
    again.mkdir()
    for path in root.rglob("*.py"):
        path.chmod(0o600)
    assert os.access(root / "bootstrap", os.X_OK)
    command = [sys.executable, "-c", f"import sys; {BUILD}", str(again)]
    subprocess.run(command, cwd=root / "toolchain", check=True)
    assert {path.name for path in again.iterdir()} == {path.name for path in built.iterdir()}
    for path in built.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name


def test_metadata_says_what_the_project_says(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        member = archive.extractfile(f"{STEM}/PKG-INFO")
        assert member is not None
        said = io.TextIOWrapper(member, encoding="utf-8").read()
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        assert wheel.read(f"{STEM}.dist-info/METADATA").decode() == said
        points = wheel.read(f"{STEM}.dist-info/entry_points.txt").decode()
    head, _, readme = said.partition("\n\n")
    assert readme == (ROOT / "README.md").read_text(encoding="utf-8")
    lines = head.splitlines()
    for requirement in PROJECT["dependencies"]:
        assert f"Requires-Dist: {requirement}" in lines
    assert 'Requires-Dist: pytest>=8.3; extra == "test"' in lines
    assert "[console_scripts]\nopsmith = opsmith.cli:entry\n" in points


def test_a_checkout_of_any_name_is_imported_by_every_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "Übung 1"
    checkout.symlink_to(ROOT)
    monkeypatch.setattr(backend, "ROOT", checkout)
    with zipfile.ZipFile(tmp_path / build_editable(str(tmp_path))) as wheel:
        wheel.extract("opsmith.pth", tmp_path)
    show = "import site, sys; site.addsitedir(sys.argv[1]); print(ascii(sys.path[-1]))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", show, str(tmp_path)],
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ascii(str(checkout / "toolchain"))
