"""Builds on machines of many kinds: locales, clocks, homes, umasks and names of folders that have
no effect on any byte of what is built.

python -m tests.fuzz.machines --count=100 --seed=1
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.trials import Limits, command
from tests.system.project import make_project

LIMITS = Limits(seconds=120.0, mebibytes=400)
BUILDS = (
    ("board=mps2_an386", "model=tiny.tflite", "debug=1"),
    ("board=host", "model=tiny.tflite", "opt=size"),
    ("board=mps2_an386", "model=tiny.tflite", "library", "version=1.2"),
)
FOLDERS = (
    "plain", "with space", "ünï", "日本", "it's", 'q"q', "$HOME", "a%b", "#x", "-x", "a,b", "a;b",
    "a&b", "(a)", "[a]", "a\\b", "~", "@file", ".hidden", "ı", "build", "toolchain",
)  # fmt: skip
VARIABLES = {
    "LC_ALL": ("C", "POSIX", "tr_TR.UTF-8", "xx_XX", ""),
    "TZ": ("Asia/Kolkata", "<-03>3", "XX"),
    "PYTHONHASHSEED": ("0", "1", "random"),
    "PYTHONIOENCODING": ("ascii",),
    "PYTHONMALLOC": ("debug",),
    "CPATH": ("/nowhere",),
    "CXXFLAGS": ("-Wbad",),
    "GCC_COLORS": ("error=01",),
    "SOURCE_DATE_EPOCH": ("7",),
    "OPENBLAS_NUM_THREADS": ("4",),
    "MALLOC_PERTURB_": ("165",),
    "TERM": ("dumb",),
}
_SCRATCH = tempfile.TemporaryDirectory(prefix="opsmith-fuzz-")
DATES = (0, -86400, 315532800, 4102444800)  # of files, in seconds


def trial(chance: Random, folder: Path) -> str:
    """'equal', where a build on a drawn machine writes the files of a build on this one."""
    words = chance.choice(BUILDS)
    root = folder / chance.choice(FOLDERS) / chance.choice(FOLDERS)
    shutil.copytree(_project(), root, symlinks=True, ignore=shutil.ignore_patterns("build"))
    if chance.random() < 0.4:
        date = chance.choice(DATES)
        for path in root.rglob("*"):
            os.utime(path, (date, date), follow_symlinks=False)
    place = root
    if chance.random() < 0.3:
        place = folder / "a link"
        place.symlink_to(root)
    home = folder / chance.choice(("h h", "hö", "nowhere"))
    if home.name != "nowhere":
        home.mkdir()
    drawn = {name: chance.choice(texts) for name, texts in VARIABLES.items()}
    given = {name: text for name, text in drawn.items() if chance.random() < 0.3}
    jobs = chance.choice(("-j1", "-j8"))
    umask = chance.choice((0o077, 0o002, 0o000, 0o027))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "PWD": str(place), **given}
    found = _built(place, (jobs, *words), environ, umask=umask)
    expected = _expected(words)
    wrong = [name for name in expected | found if expected.get(name) != found.get(name)]
    assert not wrong, f"{sorted(wrong)} of {words}: {root}, {given}, {jobs}, {umask:o}"
    return "equal"


@cache
def _project() -> Path:
    """Project that nothing was built in."""
    return make_project(Path(_SCRATCH.name, "p"), ops=("conv_2d",), bare=True).root


@cache
def _expected(words: tuple[str, ...]) -> dict[str, bytes]:
    """Files of a build on this machine, by name."""
    root = Path(_SCRATCH.name, f"built {BUILDS.index(words)}")
    shutil.copytree(_project(), root, symlinks=True)
    return _built(root, words, dict(os.environ))


def _built(
    root: Path, words: tuple[str, ...], environ: dict[str, str], **more: Any
) -> dict[str, bytes]:
    """Files that a build writes, by name, besides seals and digests, which name places."""
    done = subprocess.run(
        [sys.executable, "-m", "SCons", "-Q", *words],
        cwd=root, env=environ, text=True, errors="replace", capture_output=True, **more,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    build = root / "build"
    return {
        str(path.relative_to(build)): path.read_bytes()
        for path in build.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


if __name__ == "__main__":
    sys.exit(command("machines", trial, LIMITS, sys.argv[1:]))
