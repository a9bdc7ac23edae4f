"""What dataclasses compile for their classes, kept for processes that import the same modules.

Of importing our modules it takes a third: six functions for each frozen class, from source text.
"""

from __future__ import annotations

import dataclasses
import marshal
import os
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

_known: dict[str, CodeType] = {}


def keep() -> None:
    """From now on no text is compiled twice, by this process and those that it forks."""
    vars(dataclasses)["exec"] = _run


def lent() -> str:
    """The name of a new file with what is known, for one process to `borrow`."""
    descriptor, name = tempfile.mkstemp(prefix="opsmith-dataclasses-")
    with os.fdopen(descriptor, "wb") as file:
        marshal.dump(_known, file)
    return name


def borrow(name: str) -> None:
    """Know what is in the file, and remove that; `keep` then uses it."""
    file = Path(name)
    _known.update(marshal.loads(file.read_bytes()))
    file.unlink()


def _run(text: str, names: dict[str, Any] | None, found: dict[str, Any]) -> None:
    """What `exec` does in the module `dataclasses`."""
    if (code := _known.get(text)) is None:
        code = _known[text] = compile(text, "<string>", "exec", dont_inherit=True)
    exec(code, vars(dataclasses) if names is None else names, found)
