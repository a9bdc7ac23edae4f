"""`python toolchain/documentation build/site`: the project's pages as a site, with a search that
needs no network. Links and anchors without a target are errors.

Sphinx with MyST makes the site, in .venv/documentation, which `./bootstrap --all` installs. Pages
stay in place; the site orders them by reader, as in PAGES.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv/documentation/bin/python"
PAGES = {  # the rest of the pages is in the last part
    "Try it": ["README.md"],
    "Your model": ["toolchain/manual/model.md", "toolchain/manual/numerics.md"],
    "Your op": ["ops/README.md", "runtimes/README.md", "runtimes/gpu/README.md"],
    "Your board": ["boards/README.md", "toolchain/opsmith/rig/README.md"],
    "Your build": ["toolchain/manual/build.md", "tests/bench/README.md"],
    "How it works": ["toolchain/README.md"],
    "Coming from": ["toolchain/manual/coming_from/*.md"],
    "Reference": ["ops/CATALOGUE.md", "toolchain/manual/*.md", "**/*.md"],
}
_LINK = re.compile(r"(?:\]\(|src(?:set)?=\")([^)\s\"#]+)")
_TO_PAGE = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)\)")
_ANCHOR = re.compile(r"^<a name=\"([^\"]+)\"></a>", re.MULTILINE)  # which MyST writes otherwise


def main(arguments: list[str]) -> int:
    """Write the site to the given folder; returns the exit status of Sphinx."""
    if len(arguments) != 1 or not PYTHON.is_file():
        print("usage: python toolchain/documentation FOLDER, after ./bootstrap --all")
        return 2
    out = Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        gather(source)
        command = [str(PYTHON), "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto"]
        command += ["-c", str(Path(__file__).parent), "-d", f"{source}/.doctrees"]
        status = subprocess.run([*command, folder, str(out)]).returncode
    if status == 0:
        print(out / "index.html")
    return status


def gather(source: Path) -> None:
    """Copy the pages, files that they link to, and an index of the pages into a folder."""
    left = _pages()
    parts = []
    for title, patterns in PAGES.items():
        found = dict.fromkeys(p for each in patterns for p in left if _fits(p, each))
        left = [page for page in left if page not in found]
        lines = "\n".join(f"   {page.removesuffix('.md')}" for page in found)
        if found:
            parts.append(f".. toctree::\n   :caption: {title}\n   :maxdepth: 2\n\n{lines}\n")
        for page in found:
            _copy(page, source)
    title = f"Opsmith\n{'=' * 7}\n"
    (source / "index.rst").write_text("\n".join([title, *parts]), encoding="utf-8")


def _pages() -> list[str]:
    """Pages that git tracks or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(line for line in listed.splitlines() if (ROOT / line).is_file())


def _fits(page: str, pattern: str) -> bool:
    if "*" not in pattern:
        return page == pattern
    same = page.count("/") == pattern.count("/")
    return pattern == "**/*.md" or (same and Path(page).match(pattern))


def _copy(page: str, source: Path) -> None:
    """Copy a page and files that it links to."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in _LINK.findall(text):
        file = (ROOT / page).parent / target
        if file.is_file() and file.suffix != ".md":
            place = source / file.resolve().relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
    (source / page).parent.mkdir(parents=True, exist_ok=True)
    text = _TO_PAGE.sub(lambda link: _without_folder(link, (ROOT / page).parent), text)
    (source / page).write_text(_ANCHOR.sub(r"(\1)=\n", text), encoding="utf-8")


def _without_folder(link: re.Match[str], place: Path) -> str:
    """A link, or only its text if it leads to a folder, for which a site has no page."""
    return link[1] if (place / link[2]).is_dir() else link[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
