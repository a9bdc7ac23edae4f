"""Lines about constants that lie in other memories than flash, and what that takes or saves."""

from collections.abc import Iterator, Mapping
from typing import Any


def constants_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each memory with constants; cycles are the board's wait states times the
    words that `convert` expects an inference to read.
    """
    constants = report.get("constants")
    if constants is None:
        return
    for memory, found in constants["memories"].items():
        if not found["bytes"]:
            continue
        how = ", copied at start" if found["at_start"] == "copy" else ""
        cycles = found["cycles_saved"]
        waits = f"{abs(cycles):,} {'fewer' if cycles >= 0 else 'more'} wait cycles than in flash"
        yield f"  constants {found['bytes']:>6,} B in {memory}{how}: about {waits} an inference"
