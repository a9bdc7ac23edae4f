"""What a build did not foresee has a code all the same."""

from __future__ import annotations

import errno
import os

import pytest

from toolchain.errors import ToolchainError
from toolchain.scons.unforeseen import coded


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "BLD002"),
        (errno.EROFS, "BLD002"),
        (errno.EACCES, "BLD002"),
        (errno.EMFILE, "BLD028"),
        (errno.EFBIG, "BLD028"),
    ],
)
def test_what_the_system_refuses_is_told_with_the_file(number: int, code: str) -> None:
    (problem,) = coded(OSError(number, os.strerror(number), "build/\x1b[2J")).problems
    assert problem.code == code
    assert os.strerror(number) in problem.what
    assert problem.where == "build/?[2J"


def test_a_bug_is_told_with_its_place() -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        (problem,) = coded(error, "elsewhere").problems
    assert problem.code == "BLD099"
    assert "KeyError" in problem.what
    assert problem.where.startswith(f"{__file__}:")


def test_an_error_that_has_a_code_keeps_it() -> None:
    error = ToolchainError.of("BLD001", "what", where="here", fix="fix")
    assert coded(error) is error
