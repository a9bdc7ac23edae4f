"""`launcher=`: a program in front of compilers, which keeps what they make or has others make it.

It decides no byte, so that steps leave it out of what they sign. It stands in front of no unit
whose compiler writes more files than an object: ccache and distcc lose those.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

from opsmith.errors import ToolchainError
from opsmith.steps.sealed import Unsigned

_SETTINGS = ("CCACHE_", "DISTCC_", "ICECC_", "SCCACHE_")  # what names of their variables begin with
_UNSAFE = ("CCACHE_COMPILERCHECK", "CCACHE_CONFIGPATH", "CCACHE_DISABLE", "CCACHE_SLOPPINESS")
# By content: the time of a compiler says little where machines share a cache.
_WORDS = ("env", "-u", "CCACHE_DISABLE", "CCACHE_COMPILERCHECK=content")


def launching(name: str, path: str | None = None) -> tuple[str, ...]:
    """The words in front of a compiler's command, () for none. Raises BLD010."""
    if not name:
        return ()
    if shutil.which(name, path=path) is None:
        what, fix = "is not installed", f"install {name}, or leave launcher= out"
        raise ToolchainError.of("BLD010", what, where=f"launcher={name}", fix=fix)
    return tuple(map(Unsigned, [*_WORDS, name]))


def launcher_settings(name: str, environ: Iterable[str] = os.environ) -> list[str]:
    """Names of variables of the environment by which a user sets up the launcher; their values, of
    which some are secrets, are written nowhere.
    """
    found = [key for key in environ if key.startswith(_SETTINGS) and key not in _UNSAFE]
    return found if name else []
