"""Generated headers are declared when a source includes them."""

from functools import partial
from pathlib import Path

import pytest
from SCons.Node.FS import FS

from opsmith.scons.bindings import remove_stale
from opsmith.scons.headers import HeaderScanner


@pytest.fixture
def declared() -> list[str]:
    return []


@pytest.fixture
def headers(declared: list[str]) -> HeaderScanner:
    found = HeaderScanner()
    for name in ("abs.op.h", "add.op.h", "cmsis/add.op.h"):
        assert found.offer(Path("bindings", name), ["bind", name], partial(declared.append, name))
    return found


def include(headers: HeaderScanner, name: str, root: Path) -> None:
    folders = FS(str(root))
    headers.find_include(('"', name, '"'), folders.Dir("src"), (folders.Dir("bindings"),))


def test_the_first_source_that_includes_one_has_it_declared(
    headers: HeaderScanner, declared: list[str], tmp_path: Path
) -> None:
    for name in ("opsmith/other.h", "sub.op.h"):
        include(headers, name, tmp_path)
    assert declared == []
    for name in ("add.op.h", "cmsis/../abs.op.h", "add.op.h"):
        include(headers, name, tmp_path)
    assert declared == ["add.op.h", "abs.op.h"]


def test_an_include_of_the_whole_path_declares_it(
    headers: HeaderScanner, declared: list[str]
) -> None:
    folders = FS()
    header = str(Path("bindings/add.op.h").absolute())
    headers.find_include(('"', header, '"'), folders.Dir("src"), (folders.Dir("bindings"),))
    assert declared == ["add.op.h"]


def test_headers_of_ops_that_are_gone_go_too(tmp_path: Path) -> None:
    ops, made = tmp_path / "ops", tmp_path / "bindings"
    (ops / "add").mkdir(parents=True)
    (ops / "add/op.py").touch()
    made.mkdir()
    for name in ("add.op.h", "sub.op.h", "sub.h"):
        (made / name).touch()
    remove_stale(made, ops)
    assert sorted(path.name for path in made.iterdir()) == ["add.op.h", "sub.h"]


def test_the_rest_is_declared_on_request(headers: HeaderScanner, declared: list[str]) -> None:
    headers.declare_all()
    headers.declare_all()
    assert sorted(declared) == ["abs.op.h", "add.op.h", "cmsis/add.op.h"]


def test_a_header_has_one_command(headers: HeaderScanner, declared: list[str]) -> None:
    again = partial(declared.append, "again")
    assert headers.offer(Path("bindings/abs.op.h"), ["bind", "abs.op.h"], again)
    assert not headers.offer(Path("bindings/abs.op.h"), ["bind", "else"], again)
    headers.declare_all()
    assert "again" not in declared
