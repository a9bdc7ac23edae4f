"""`launcher=`: a program in front of compilers, which keeps what they make or has others make it.

It decides no byte, so that steps leave it out of what they sign. It stands in front of no unit
whose compiler writes more files than an object: ccache and distcc lose those.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from opsmith.errors import ToolchainError
from opsmith.steps.sealed import Unsigned

_SETTINGS = ("CCACHE_", "DISTCC_", "ICECC_", "SCCACHE_")  # what names of their variables begin with
_OURS = {"CCACHE_COMPILERCHECK": "content"}  # whose time says little where checkouts share a cache
_UNSAFE = ("CCACHE_DISABLE", "CCACHE_SLOPPINESS")


def launching(name: str, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The words in front of a compiler's command, () for none. Raises BLD010."""
    if not name:
        return ()
    if shutil.which(name, path=environ.get("PATH")) is None:
        what, fix = "is not installed", f"install {name}, or leave launcher= out"
        raise ToolchainError.of("BLD010", what, where=f"launcher={name}", fix=fix)
    given = {key: value for key, value in environ.items() if key.startswith(_SETTINGS)} | _OURS
    values = [f"{key}={value}" for key, value in sorted(given.items()) if key not in _UNSAFE]
    return tuple(map(Unsigned, ["env", "-u", "CCACHE_DISABLE", *values, name]))
