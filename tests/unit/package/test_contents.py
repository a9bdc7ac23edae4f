"""Of an installed package its own files are copied, and words that are texts are believed."""

from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.package import contents
from opsmith.package.install import copied
from opsmith.package.installed import FACTS, read_facts
from tests.special import SPECIAL, replace_by

CPP = {"libdirs": ["lib"], "libs": ["nn"], "defines": [], "cxxflags": [], "system_libs": []}


def installed(root: Path, **changed: Any) -> dict[str, Any]:
    """Graph of an installed package with a header, a link to it, an archive and a licence."""
    for name in ("include/nn.h", "lib/libnn.a", "licenses/COPYING"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "include/again.h").symlink_to("nn.h")
    part: dict[str, Any] = {**CPP, "includedirs": ["include"], **changed}
    part |= {each: [str(root / name) for name in part[each]] for each in ("includedirs", "libdirs")}
    facts: dict[str, Any] = {
        "name": "nn",
        "ref": "nn/1.0#a",
        "rrev": "a",
        "package_id": "b",
        "prev": "c",
    }
    facts |= {"package_folder": str(root), "cpp_info": {"root": part}, "license": "MIT"}
    return {"1": {**facts, "context": "host", "dependencies": {}}}


def test_links_are_copied_as_files(tmp_path: Path) -> None:
    files = copied(installed(tmp_path / "p"), "", tmp_path / "out")
    assert (tmp_path / "out/nn/include/again.h").read_text() == "include/nn.h"
    assert not (tmp_path / "out/nn/include/again.h").is_symlink()
    (tmp_path / "facts").write_text(files[FACTS])
    assert read_facts(tmp_path / "facts")[0]["archives"] == ["lib/libnn.a"]


@pytest.mark.parametrize("to", ["/etc", "../../secret", "..", ".", "/etc/passwd"])
@pytest.mark.parametrize("place", ["include/more", "licenses/more"])
def test_links_that_lead_out_are_refused(tmp_path: Path, place: str, to: str) -> None:
    graph = installed(tmp_path / "p")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "p" / place).symlink_to(to)
    if place == "licenses/more" and to != "../../secret" and to != "/etc/passwd":
        copied(graph, "", tmp_path / "out")  # licences are files
        assert not (tmp_path / "out/nn/licenses/more").exists()
        return
    with pytest.raises(ToolchainError, match="BLD087: has a link that leads out of it"):
        copied(graph, "", tmp_path / "out")


@pytest.mark.parametrize("kind", sorted(SPECIAL.keys() - {"dangling", "folder", "loop"}))
@pytest.mark.parametrize("place", ["include/nn.h", "lib/libnn.a"])
def test_what_is_no_file_is_refused(tmp_path: Path, place: str, kind: str) -> None:
    graph = installed(tmp_path / "p")
    replace_by(tmp_path / "p" / place, kind)
    with pytest.raises(ToolchainError, match="BLD087"):
        copied(graph, "", tmp_path / "out")


@pytest.mark.parametrize(
    "changed",
    [
        {"libs": [1]}, {"libs": ["../../secret"]}, {"defines": [{}]}, {"cxxflags": ["a\0"]},
        {"system_libs": [None]},
    ],
)  # fmt: skip
def test_words_are_texts(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(ToolchainError, match="BLD087: has .* in "):
        copied(installed(tmp_path / "p", **changed), "", tmp_path / "out")


@pytest.mark.slow
def test_links_to_each_other_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = installed(tmp_path / "p")
    for name, to in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")):
        folder = tmp_path / "p/include" / name
        folder.mkdir(exist_ok=True)
        (folder / f"to_{to}").symlink_to(f"../{to}")
    monkeypatch.setattr(contents, "MOST_FILES", 300)
    with pytest.raises(ToolchainError, match="BLD087: has more than 300 files"):
        copied(graph, "", tmp_path / "out")


@pytest.mark.parametrize("text", ["", "{}", '{"packages": [1]}', '{"packages": {}}', "[" * 99_999])
def test_facts_of_another_form_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "facts").write_text(text)
    with pytest.raises(ToolchainError, match="BLD022: cannot be read"):
        read_facts(tmp_path / "facts")
