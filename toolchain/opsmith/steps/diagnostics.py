"""The first error among what a compiler or linker says, which the others often follow from."""

import re
from collections.abc import Sequence

ERROR = re.compile(
    r"(?:.*?ld(?:\.lld)?: )?(?P<place>[^\s:][^:]*:\d+(?::\d+)?): "
    r"(?:(?:fatal )?error: |undefined reference to |multiple definition of )"
)
CAME_FROM = re.compile(r"(?:.*:   required from |In file included from |\s+from )")
FEW = 12  # lines that are shown as they are


def first_error(said: str) -> tuple[str, str]:
    """The lines to show, and the place of the first error; all lines, and no place, where there is
    none.

    An error is its line, those of the source that follow it, and how the program came to it.
    """
    lines = said.splitlines()
    found = next(((i, m) for i, m in enumerate(map(ERROR.match, lines)) if m), None)
    if found is None:
        return said, ""
    at, match = found
    if len(lines) <= FEW:
        return said, match["place"]
    first, last = at, at + 1
    while first and CAME_FROM.match(lines[first - 1]):
        first -= 1
    while last < len(lines) and _is_source(lines[last]):
        last += 1
    more = len(lines) - (last - first)
    shown = [*_ends(lines[first:at]), *lines[at:last], f"({more} lines more: verbose=1)", ""]
    return "\n".join(shown), match["place"]


def _is_source(line: str) -> bool:
    """True if a line shows a line of the source, or marks a part of it."""
    return line.startswith(" ")


def _ends(way: Sequence[str]) -> Sequence[str]:
    """The steps of a way that are nearest to the program and to the error."""
    return way if len(way) <= 4 else [*way[:2], *way[-2:]]
