"""The site of the project's pages has each of them once, by reader. `python toolchain/documentation
FOLDER` makes all of it, which takes Sphinx ten seconds.
"""

import re
from pathlib import Path

from opsmith.modules import load_module
from opsmith.testing.checkout import ROOT
from tests.unit.test_links import pages

SITE = load_module(ROOT / "toolchain/documentation/__main__.py", "BLD099")


def test_each_page_has_one_place(tmp_path: Path) -> None:
    SITE.gather(tmp_path)
    index = (tmp_path / "index.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w\S*)$", index, re.MULTILINE)
    assert sorted(f"{each}.md" for each in listed) == sorted(
        str(page.relative_to(ROOT)) for page in pages()
    )
    assert listed[0] == "README"
    assert re.findall(r":caption: (.*)", index) == list(SITE.PAGES)
    assert (tmp_path / "tests/bench/mlperf_tiny_light.svg").is_file()
    link = "[examples](runtimes/apps/examples)"  # a folder, which is no page
    assert link in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert link not in (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "(seals)=" in (tmp_path / "toolchain/README.md").read_text(encoding="utf-8")


def test_a_folder_is_asked_for() -> None:
    assert SITE.main([]) == 2
