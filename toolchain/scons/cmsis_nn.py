"""`cmsis_nn=PREFIX`: is CMSIS-NN there, of a release that its kernel rows know, for this core?"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolchain.board.cores import Core
from toolchain.board.runtime import Runtime
from toolchain.errors import Problem, ToolchainError, raise_all

NAME = "cmsis_nn"  # of the setting, of the feature and of the kernel rows
HEADER = "include/arm_nnfunctions.h"
LIBRARY = "lib/libcmsis-nn.a"
# Revisions of the header whose functions and scratch sizes the rows know: releases 7.0.0 on.
FIRST, BEHIND = (18, 0), (20, 0)
_REVISION = re.compile(r"\$Revision:\s*V?\.?\s*(\d+)\.(\d+)\.(\d+)")
# What must agree between objects: of these, calls and vector instructions depend.
_TAGS = ("Tag_CPU_arch", "Tag_DSP_extension", "Tag_MVE_arch", "Tag_ABI_VFP_args")
_FIX = "build CMSIS-NN for {} and give its prefix; runtimes/README.md says how"


@dataclass(frozen=True)
class CmsisNn:
    """An installed library that fits."""

    prefix: Path
    revision: str  # of its public header: '19.1.0'

    @property
    def include(self) -> Path:
        """The folder of its header."""
        return (self.prefix / HEADER).parent

    @property
    def library(self) -> Path:
        """The archive."""
        return self.prefix / LIBRARY


def find_cmsis_nn(prefix: str, core: Core, runtime: Runtime, tools: str, cache: Path) -> CmsisNn:
    """The library below `prefix`, checked. Raises BLD060 to BLD063.

    `tools` is what the names of the cross compiler's programs begin with; `cache` is a folder for
    an object of this core that they make.
    """
    where = f"command line: {NAME}={prefix}"
    raise_all([*_unwanted(core, runtime, where), *_absent(Path(prefix), core, where)])
    header, library = Path(prefix, HEADER), Path(prefix, LIBRARY)
    revision = _revision(header)
    wanted = _wanted(core, tools, cache)
    found = _attributes(tools, library)
    if not found:
        what = "holds no object for an Arm core"
        raise ToolchainError.of("BLD062", what, where=str(library), fix=_FIX.format(core.name))
    told = [
        f"{_shown(tag, found)} where this core has {_shown(tag, wanted)}"
        for tag in _TAGS
        if found.get(tag) != wanted.get(tag)
    ]
    if told:
        what = f"is built for another core: {'; '.join(told)}"
        raise ToolchainError.of("BLD062", what, where=str(library), fix=_FIX.format(core.name))
    return CmsisNn(Path(prefix), revision)


def _unwanted(core: Core, runtime: Runtime, where: str) -> Iterator[Problem]:
    if core.native:
        what = f"CMSIS-NN is for Cortex-M cores, and this board's is '{core.name}'"
        yield Problem("BLD062", what, where, f"leave out {NAME}=, or name a Cortex-M board")
    elif not core.features & {"dsp", "mve"}:
        what = f"CMSIS-NN is called on cores with DSP or Helium, and '{core.name}' has neither"
        yield Problem("BLD062", what, where, f"leave out {NAME}=")
    elif NAME not in runtime.grants:
        what = f"runtime '{runtime.name}' calls no CMSIS-NN"
        yield Problem("BLD063", what, where, f"leave out {NAME}=, or say runtime=cmsis")


def _absent(prefix: Path, core: Core, where: str) -> Iterator[Problem]:
    for part in (HEADER, LIBRARY):
        if not (prefix / part).is_file():
            yield Problem("BLD060", f"there is no {prefix / part}", where, _FIX.format(core.name))


def _revision(header: Path) -> str:
    match = _REVISION.search(header.read_text(encoding="utf-8", errors="replace"))
    first, behind = (".".join(map(str, version)) for version in (FIRST, BEHIND))
    fix = f"install CMSIS-NN 7.0.0 or later, whose header says {first} or more, below {behind}"
    if match is None:
        what = "does not say its revision ($Revision: V.19.1.0)"
        raise ToolchainError.of("BLD061", what, where=str(header), fix=fix)
    major, minor, patch = map(int, match.groups())
    if not FIRST <= (major, minor) < BEHIND:
        what = f"is of revision {major}.{minor}.{patch}, whose functions our kernels do not know"
        raise ToolchainError.of("BLD061", what, where=str(header), fix=fix)
    return f"{major}.{minor}.{patch}"


def _wanted(core: Core, tools: str, cache: Path) -> dict[str, str]:
    """What the compiler says of objects for this core."""
    cache.mkdir(parents=True, exist_ok=True)
    made = cache / f".empty-{core.name}.o"
    _output(f"{tools}gcc", *core.flags, "-x", "c", "-c", "/dev/null", "-o", str(made))
    return _attributes(tools, made)


def _attributes(tools: str, file: Path) -> dict[str, str]:
    """The build attributes of an object, or of the first of an archive."""
    found: dict[str, str] = {}
    for line in _output(f"{tools}readelf", "-A", str(file)).splitlines():
        tag, _, value = line.strip().partition(": ")
        if tag == "Tag_CPU_arch" and tag in found:
            break  # of the next object
        if tag.startswith("Tag_"):
            found[tag] = value
    return found


def _shown(tag: str, attributes: dict[str, str]) -> str:
    return f"{tag.removeprefix('Tag_')} '{attributes.get(tag, 'none')}'"


def _output(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0 and command[1] != "-A":
        line = " ".join(command)
        what = f"'{line}' ended with exit status {result.returncode}: {result.stderr[:200]}"
        raise ToolchainError.of("BLD010", what, where=command[0], fix="reinstall the compiler")
    return result.stdout
