"""C++ files of programs for this machine, grouped into translation units."""

from collections.abc import Sequence
from pathlib import Path

GLUE = "programs.cpp"
KERNELS = "kernels.cpp"
# The assembler macro has the same name in the weights of all programs.
_PURGED = 'asm(".purgem constant");\n'


def units(folder: Path, names: Sequence[str], main: Sequence[Path] = ()) -> list[Path]:
    """Files to compile: one that includes the kernels of all programs, which share instantiations,
    one that includes the rest, with the files of `main`, and those of emitters, which are compiled
    separately.
    """
    sources = {path.relative_to(folder) for name in names for path in (folder / name).rglob("*.cc")}
    found = sorted(sources)
    apart = [path for path in found if len(path.parts) > 2]
    kernels = [path for path in found if path not in apart and path.name.startswith("nodes_")]
    rest = [*(path for path in found if path not in (*apart, *kernels)), *main]
    for unit, included in {KERNELS: kernels, GLUE: rest}.items():
        text = "".join(_included(path) for path in included)
        (folder / unit).write_text(text, encoding="utf-8")
    return [folder / path for path in (*map(Path, (KERNELS, GLUE)), *apart)]


def _included(path: Path) -> str:
    return f'#include "{path.as_posix()}"\n{_PURGED if path.name == "weights.cc" else ""}'
