"""The index of Conan recipes: every op has a package, complete with what it requires."""

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from opsmith.cli import main
from opsmith.discover.backends import backend_folders
from opsmith.op.index import OpFolder
from opsmith.package.headers import included
from opsmith.package.index import recipes
from opsmith.testing.known_ops import shipped_ops
from tests.commands import refused

pytestmark = pytest.mark.slow  # it makes the index of all ops

ROOT = Path(__file__).parents[3]
RUNTIMES = ("reference", "cmsis", "gpu")
SYSTEM = ("stdint.h", "stddef.h", "string.h", "math.h", "stdlib.h", "stdio.h")
CORES = ("arm_acle.h", "arm_mve.h")
VERSION = "0.1.0"


@pytest.fixture(scope="module")
def ops() -> list[OpFolder]:
    """Folders of all shipped ops."""
    return list(shipped_ops().by_name.values())


@pytest.fixture(scope="module")
def index(ops: list[OpFolder]) -> Mapping[str, bytes]:
    """Files of the index of all shipped ops: path -> content."""
    return recipes(ops, backend_folders(), VERSION)


def data(index: Mapping[str, bytes], package: str) -> Any:
    """Data of the recipe that tell a package apart."""
    return json.loads(index[f"recipes/{package}/all/conandata.yml"])["versions"][VERSION]


def headers(index: Mapping[str, bytes], package: str, runtime: str) -> dict[str, bytes]:
    """Headers of a package with the given runtime: path as included -> content."""
    found: dict[str, bytes] = {}
    for part in ("any", runtime):
        where = f"recipes/{package}/all/headers/{part}/"
        found |= {path.removeprefix(where): index[path] for path in index if path.startswith(where)}
    return found


def closure(index: Mapping[str, bytes], package: str, runtime: str) -> dict[str, bytes]:
    """Headers of a package and of all packages that it requires."""
    found, required = headers(index, package, runtime), data(index, package)["headers"]
    for reference in {*required["any"], *required.get(runtime, ())}:
        found |= closure(index, reference.partition("/")[0], runtime)
    return found


def packages(index: Mapping[str, bytes]) -> list[str]:
    """Names of all packages in the index."""
    return sorted({path.split("/")[1] for path in index})


def test_every_op_and_what_kernels_share_have_a_recipe_which_is_the_same(
    ops: list[OpFolder], index: Mapping[str, bytes]
) -> None:
    shared = ("core", "cmsis", "gpu", "riscv", "simd")
    names = [f"opsmith-{each}" for each in (*(found.name for found in ops), *shared)]
    assert packages(index) == sorted(names)
    recipe = (ROOT / "toolchain/opsmith/package/header_library/conanfile.py").read_bytes()
    assert {index[f"recipes/{name}/all/conanfile.py"] for name in packages(index)} == {recipe}
    for name in packages(index):
        config = json.loads(index[f"recipes/{name}/config.yml"])
        assert config == {"versions": {VERSION: {"folder": "all"}}}


@pytest.mark.parametrize("runtime", ["reference", "cmsis"])
def test_what_headers_include_is_in_their_package_or_one_that_it_requires(
    index: Mapping[str, bytes], runtime: str
) -> None:
    absent = {
        (package, place, named)
        for package in packages(index)
        for place, named in _unknown(
            headers(index, package, runtime), closure(index, package, runtime)
        )
    }
    alone = {"opsmith-cmsis", "opsmith-gpu", "opsmith-simd"}  # no op requires them here
    known = {*SYSTEM, *CORES, "arm_nnfunctions.h"} if runtime == "cmsis" else {*SYSTEM}
    assert {each for each in absent if each[0] not in alone and each[2] not in known} == set()


def _unknown(own: Mapping[str, bytes], known: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    places = dict.fromkeys(known, "")
    for place, content in own.items():
        for named, found in included(place, content.decode(), places):
            if not found:
                yield place, named


def test_headers_of_all_ops_compile(index: Mapping[str, bytes], tmp_path: Path) -> None:
    found: dict[str, bytes] = {}
    for package in packages(index):
        found |= headers(index, package, "reference")
    for place, content in found.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    named = [place for place in found if place.startswith("ops/") and place.endswith(".h")]
    assert len(named) > 2 * 100
    source = "".join(f'#include "{place}"\n' for place in named)
    command = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "-x",
        "c++",
        "-",
    ]
    command += [f"-I{tmp_path / folder}" for folder in ("", "ops", "runtimes")]
    subprocess.run(command, input=source, text=True, check=True, cwd=tmp_path)


def test_a_kernel_for_a_device_or_a_core_is_in_the_part_of_its_runtime(
    index: Mapping[str, bytes],
) -> None:
    parts = {part: {*headers(index, "opsmith-conv_2d", part)} for part in RUNTIMES}
    assert "ops/conv_2d/i8/reference.h" in parts["reference"] & parts["cmsis"] & parts["gpu"]
    assert "ops/conv_2d/i8/mve.h" in parts["cmsis"] - parts["reference"] - parts["gpu"]
    assert "runtimes/cmsis/conv_2d.op.h" in parts["cmsis"] - parts["reference"] - parts["gpu"]
    assert data(index, "opsmith-conv_2d")["runtimes"][0] == "reference"


def test_a_second_run_replaces_an_index_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opsmith.commands.index.BuildOptions.op_roots", (str(_ops(tmp_path)),))
    where = tmp_path / "index"
    assert main(["index", str(where)]) == 0
    before = {path: path.read_bytes() for path in where.rglob("*") if path.is_file()}
    (tmp_path / "ops" / "square").rename(tmp_path / "square")
    (where / "mine.txt").write_text("stays")
    assert main(["index", str(where)]) == 0
    assert not list((where / "recipes/opsmith-square").rglob("*.py"))
    (tmp_path / "square").rename(tmp_path / "ops" / "square")
    assert main(["index", str(where)]) == 0
    assert {path: path.read_bytes() for path in before} == before
    assert (where / "mine.txt").read_text() == "stays"
    assert "BLD085: holds something other than an index" in refused("index", tmp_path)


@pytest.mark.parametrize("name", ["SHA256SUMS", "mine.txt", ""])
def test_what_is_no_index_is_not_written_over(name: str, tmp_path: Path) -> None:
    file = tmp_path / "where" / name if name else tmp_path / "where"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{'0' * 64}  README.md\n")
    assert "BLD085: holds something other than an index" in refused("index", tmp_path / "where")
    assert [*(tmp_path / "where").rglob("*")] == [file] * bool(name)


def test_no_link_leads_an_index_to_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    (tmp_path / "where").mkdir()
    (tmp_path / "where" / "recipes").symlink_to("../mine")
    (tmp_path / "where" / "SHA256SUMS").write_text(f"{'0' * 64}  recipes/file\n")
    assert "BLD085: holds something other than an index" in refused("index", tmp_path / "where")
    assert (tmp_path / "mine" / "file").read_text() == "mine"


def test_indexes_that_are_written_at_once_are_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opsmith.commands.index.BuildOptions.op_roots", (str(_ops(tmp_path)),))
    where = tmp_path / "in 'dex"
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(main, [["index", str(where)]] * 2)] == [0, 0]
    assert not [*where.rglob("*.new")]
    last = capsys.readouterr().out.splitlines()[-1]
    assert shlex.split(last)[5] == str(where)


def _ops(folder: Path) -> Path:
    """Folder with two ops."""
    for name in ("square", "cumsum"):
        subprocess.run(["cp", "-r", "--", ROOT / "ops" / name, _made(folder / "ops")], check=True)
    return folder / "ops"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
