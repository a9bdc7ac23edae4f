"""Packages bring op folders by an entry point; nothing of them is imported."""

import sys
import zipfile
from importlib.metadata import DistributionFinder, MetadataPathFinder
from pathlib import Path
from types import SimpleNamespace

import pytest

from opsmith import installed
from opsmith.errors import ToolchainError
from opsmith.installed import installed_backends, installed_ops
from tests.refusals import refusal


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of installed packages, the only one that Python sees."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def install(
    site: Path, value: str, *, package: str = "my-ops", name: str = "mine", what: str = "ops"
) -> None:
    """Write the metadata that pip writes for a package with an entry point."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[opsmith.{what}]\n{name} = {value}\n")


def op(folder: Path, name: str = "twice") -> Path:
    """Write an op folder in a package that must not be imported; returns the folder above."""
    (folder / name).mkdir(parents=True)
    (folder / name / "op.py").touch()
    (folder / "__init__.py").write_text("raise SystemExit('imported')\n")
    return folder


def test_without_packages_there_is_nothing(site: Path) -> None:
    assert installed_ops() == ()


def test_a_package_and_one_within_a_package(site: Path) -> None:
    first, second = op(site / "first"), op(site / "second" / "ops")
    (site / "second" / "__init__.py").write_text("raise SystemExit('imported')\n")
    install(site, "second.ops", package="b", name="x")
    install(site, "first", package="a", name="y")
    assert installed_ops() == (second, first)


def test_packages_of_archives_and_of_other_finders_are_asked(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = op(site / "first")
    with zipfile.ZipFile(site / "packed.zip", "w") as archive:
        archive.writestr("mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\n")
        archive.writestr("mine-1.0.dist-info/entry_points.txt", "[opsmith.ops]\nm = first\n")
    monkeypatch.setattr(sys, "path", [str(site), str(site / "packed.zip")])
    assert installed_ops() == (folder,)
    monkeypatch.setattr(sys, "path", [str(site)])
    finder = MetadataPathFinder()
    distributions = [
        *finder.find_distributions(DistributionFinder.Context(path=[str(site / "packed.zip")]))
    ]
    found = SimpleNamespace(find_distributions=lambda _: distributions, find_spec=lambda *_: None)
    assert installed_ops() == ()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, found])
    installed._points.cache_clear()
    assert installed_ops() == (folder,)
    installed._points.cache_clear()


def test_one_that_two_packages_declare_counts_once(site: Path) -> None:
    folder = op(site / "first")
    install(site, "first", package="a")
    install(site, "first", package="b")
    assert installed_ops() == (folder,)


@pytest.mark.parametrize(
    "value", ["absent", "absent.ops", "first.ops", "first.twice", "os.path", "", "../x"]
)
def test_what_is_not_there_is_reported_with_its_package(site: Path, value: str) -> None:
    op(site / "first")
    install(site, value)
    (problem,) = refusal(installed_ops).problems
    assert problem.code == "BLD013"
    assert f"'my-ops' says that '{value}' holds op folders" in problem.what


@pytest.mark.parametrize("text", ["[opsmith.ops]\nmine\n", "[opsmith.ops]\n\udcff"])
def test_a_list_that_cannot_be_read_is_reported_with_its_package(site: Path, text: str) -> None:
    install(site, "first", package="right")
    install(site, "first", package="wrong")
    declared = site / "wrong-1.0.dist-info" / "entry_points.txt"
    declared.write_text(text, "utf-8", "surrogateescape")
    (problem,) = refusal(installed_ops).problems
    assert problem.code == "BLD013"
    assert "of the installed package 'wrong' cannot be read" in problem.what


def test_backends_have_a_group_of_their_own(site: Path) -> None:
    (site / "vendor" / "turbo").mkdir(parents=True)
    (site / "vendor" / "turbo" / "runtime.toml").touch()
    install(site, "vendor", what="backends")
    assert (installed_ops(), installed_backends()) == ((), (site / "vendor",))
    (site / "vendor" / "turbo" / "runtime.toml").unlink()
    with pytest.raises(ToolchainError, match="'my-ops' says that 'vendor' holds backends"):
        installed_backends()
