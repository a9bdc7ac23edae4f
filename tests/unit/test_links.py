"""Links of the project's pages lead to files, and to headings or anchors that these have."""

import re
from functools import cache
from pathlib import Path

from opsmith.testing.checkout import ROOT
from tests.commands import said

LINK = re.compile(r"(?<!!)\[[^\]\[]*\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
ANCHOR = re.compile(r'<a name="([^"]+)">')
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Paths of the pages that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    told = said(command, cwd=ROOT)
    return [ROOT / line for line in told.splitlines() if (ROOT / line).is_file()]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Names that a link to a page may have after `#`: its headings as GitHub spells them, and
    anchors.
    """
    text = page.read_text(encoding="utf-8")
    spelt = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return frozenset([*(title.strip().replace(" ", "-") for title in spelt), *ANCHOR.findall(text)])


def broken(page: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    found = []
    for target in (first or second for first, second in LINK.findall(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            found.append(f"{page}: {target}")
    return found


def test_every_link_leads_somewhere() -> None:
    assert len(pages()) > 20
    assert [link for page in pages() for link in broken(page)] == []


def test_links_to_nowhere_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    good = f"[a](#here) [b]({ROOT}/README.md#yours) [c](https://example.com/x) `[d](none.md)`"
    page.write_text(f"# Here\n{good}\n[e](none.md) [f](#there)\n", encoding="utf-8")
    assert broken(page) == [f"{page}: none.md", f"{page}: #there"]
