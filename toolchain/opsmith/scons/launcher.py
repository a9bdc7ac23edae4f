"""`launcher=`: a program in front of compilers, which caches or distributes compilation.

A launcher decides no byte, so that steps leave it out of their signatures. For units for which GCC
writes a file of calls beside the object, only ccache from 4.10 is used: others lose that file.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.steps.sealed import Unsigned

_SETTINGS = ("CCACHE_", "DISTCC_", "ICECC_", "SCCACHE_")  # prefixes of their variables
_UNSAFE = ("CCACHE_COMPILERCHECK", "CCACHE_CONFIGPATH", "CCACHE_DISABLE", "CCACHE_SLOPPINESS")
# Compilers are compared by content: their times say little if machines share a cache.
_WORDS = ("env", "-u", "CCACHE_DISABLE", "CCACHE_COMPILERCHECK=content")
_ALONE = ("-u", "CCACHE_PREFIX")  # may name a compile farm, which loses call graph files
_KEEPS_CALLS = (4, 10)


@dataclass(frozen=True)
class Launcher:
    """Words in front of a compiler's command."""

    plain: tuple[str, ...] = ()  # for commands that only make an object
    calls: tuple[str, ...] = ()  # for commands that also write the object's call graph


NO_LAUNCHER = Launcher()


def launching(name: str, path: str | None = None) -> Launcher:
    """Launcher of a name, NO_LAUNCHER for "". Raises BLD010."""
    if not name:
        return NO_LAUNCHER
    found = shutil.which(name, path=path)
    if found is None:
        what, fix = "is not installed", f"install {name}, or leave launcher= out"
        raise ToolchainError.of("BLD010", what, where=f"launcher={name}", fix=fix)
    calls = (*_WORDS[:1], *_ALONE, *_WORDS[1:], name) if _keeps_calls(found) else ()
    return Launcher(tuple(map(Unsigned, (*_WORDS, name))), tuple(map(Unsigned, calls)))


def _keeps_calls(program: str) -> bool:
    """True if a program is a ccache that stores the files of -fcallgraph-info."""
    if Path(program).name != "ccache":
        return False
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    version = re.match(r"ccache version (\d+)\.(\d+)", done.stdout)
    return version is not None and (int(version[1]), int(version[2])) >= _KEEPS_CALLS


def launcher_settings(name: str, environ: Iterable[str] = os.environ) -> list[str]:
    """Names of the environment variables by which a user configures the launcher; their values,
    some of which are secrets, are not written anywhere.
    """
    found = [key for key in environ if key.startswith(_SETTINGS) and key not in _UNSAFE]
    return found if name else []
