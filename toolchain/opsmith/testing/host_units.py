"""Which C++ files of programs for this machine are compiled, and which of them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path


def units(folder: Path, names: Sequence[str]) -> list[Path]:
    """The files to compile: one that includes the kernels of all programs, which share what these
    instantiate, one that includes the rest, and those that need not go together: of an emitter,
    and of weights, whose assembler macros have one name in each.
    """
    sources = {
        path.relative_to(folder)
        for name in names
        for path in (folder / name).rglob("*.cc")
        if path.read_bytes().count(b"\n") > 1
    }
    found = sorted(sources - _repeated(folder, names))
    apart = [path for path in found if len(path.parts) > 2 or path.name == "weights.cc"]
    kernels = [path for path in found if path not in apart and path.name.startswith("nodes_")]
    rest = [path for path in found if path not in (*apart, *kernels)]
    joint = {"kernels.cpp": kernels, "programs.cpp": rest}
    for unit, included in joint.items():
        text = "".join(f'#include "{path.as_posix()}"\n' for path in included)
        (folder / unit).write_text(text, encoding="utf-8")
    return [folder / path for path in (*map(Path, joint), *apart)]


def _repeated(folder: Path, names: Sequence[str]) -> set[Path]:
    """The calls for C of programs whose inputs and outputs are those of another before them."""
    paths = [Path(name, "model_c.cc") for name in reversed(names)]
    own = {path: re.compile(rf"\b{path.parent}(?=\b|_)") for path in paths}
    texts = [own[path].sub("", (folder / path).read_text(encoding="utf-8")) for path in paths]
    return {*paths} - {*dict(zip(texts, paths, strict=True)).values()}
