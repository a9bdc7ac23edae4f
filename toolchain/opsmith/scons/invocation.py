"""Call of SCons: only the checkout and the command line decide what is built."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, raise_all

# Folders, besides the checkout, in which SCons looks for code to run first.
SITES = (Path("/usr/share/scons"), Path("~/.scons"))
SITE = "site_scons"
# Options without a sense, as products are complete or absent.
REFUSED = {
    "ignore_errors": (
        "-i",
        "would make firmware of what failed",
        "say -k: build what can be built",
    ),
    "question": ("-q", "cannot be answered without building", "build: what is up to date stays"),
}


def check_invocation(
    option: Callable[[str], Any],
    environ: Mapping[str, str],
    variables: Sequence[tuple[str, str]],
) -> None:
    """Raise BLD029, BLD032 and BLD033 for other influences, all at once, and BLD006 for a variable
    that is given more than once.
    """
    raise_all([*_flags(environ), *_sites(option), *_refused(option), *_repeated(variables)])


def _flags(environ: Mapping[str, str]) -> Iterator[Problem]:
    flags = environ.get("SCONSFLAGS", "")
    if flags.strip():
        what = f"SCONSFLAGS is set: {flags}"
        fix = "unset SCONSFLAGS, and give its options on the command line"
        yield Problem("BLD029", what, "environment", fix)


def _sites(option: Callable[[str], Any]) -> Iterator[Problem]:
    """Problems of site folders that SCons would read without an option on the command line."""
    if option("site_dir") is not None:
        return
    for site in (folder.expanduser() / SITE for folder in SITES):
        if os.path.isdir(site):
            what = "SCons runs code from outside the checkout before it reads the SConstruct"
            yield Problem("BLD032", what, str(site), "add --no-site-dir")


def _repeated(variables: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    """Problems of variables given several times, of which SCons would silently take the last."""
    given: dict[str, list[str]] = {}
    for name, value in variables:
        given.setdefault(name, []).append(value)
    for name, values in given.items():
        if len(values) > 1:
            where = f"command line: {' '.join(f'{name}={value}' for value in values)}"
            yield Problem("BLD006", f"{name} is given {len(values)} times", where, "give one value")


def _refused(option: Callable[[str], Any]) -> Iterator[Problem]:
    for name, (shown, why, fix) in REFUSED.items():
        if option(name):
            yield Problem("BLD033", f"{shown} {why}", "command line", fix)
