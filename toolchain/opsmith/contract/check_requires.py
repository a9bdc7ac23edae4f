"""Rules about requires=: Conan packages of the libraries that an op's kernels call."""

import re
from collections.abc import Iterator

from opsmith.errors import shown
from opsmith.op.describe import Op

Found = Iterator[tuple[str, str, str]]
_WORD = r"[A-Za-z0-9_][A-Za-z0-9_+.-]{0,100}"
_RANGE = r"\[[A-Za-z0-9<>=~^|*.,_+ -]{1,100}\]"
_REFERENCE = re.compile(rf"([a-z0-9_][a-z0-9_+.-]{{1,100}})/({_WORD}|{_RANGE})(@{_WORD}/{_WORD})?")


def requires_problems(op: Op) -> Found:
    """Problems of requirements that are no references of Conan, and of packages named twice."""
    seen: set[str] = set()
    for reference in op.requires:
        found = _REFERENCE.fullmatch(reference)
        if found is None:
            what = f"requires= has {shown(reference)}, which names no Conan package"
            yield "OPS090", what, 'write NAME/VERSION, like "fastmath/1.2" or "fft/[>=2 <3]"'
        elif found[1] in seen:
            yield "OPS090", f"requires= names package '{found[1]}' twice", "give one range for it"
        else:
            seen.add(found[1])
