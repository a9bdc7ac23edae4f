"""The README lists the ops that the GPU does not compute."""

import re
from fnmatch import fnmatchcase

from opsmith.home import RUNTIMES
from opsmith.testing.known_ops import shipped_ops
from runtimes.gpu.kernel import RUNTIME


def test_ops_without_kernels_are_listed() -> None:
    text = (RUNTIMES / "gpu" / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## On the CPU\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    without = {
        name
        for name, known in shipped_ops().by_name.items()
        for variant in known.op.variants
        if not any(kernel.runtime == RUNTIME for kernel in variant.kernels)
    }
    assert {name for name in without if not any(fnmatchcase(name, p) for p in listed)} == set()
    assert [p for p in listed if not any(fnmatchcase(name, p) for name in without)] == []
