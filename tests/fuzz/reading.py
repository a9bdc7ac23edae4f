"""Verdict on a model file that may be damaged: it is read, or refused in one clear way."""

from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops

OPS = shipped_ops()  # loaded in no trial's time


def read_or_refused(path: Path) -> str:
    """'read', or the codes of the error; anything else that happens is raised."""
    try:
        read(path, "m", OPS)
    except ToolchainError as error:
        text = str(error)
        assert text.replace("\n", "").isprintable(), ascii(text)
        assert len(text) < 20_000
        assert all(each.code and each.what and each.where and each.fix for each in error.problems)
        return " ".join(sorted({each.code for each in error.problems}))
    return "read"
