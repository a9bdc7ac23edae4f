"""Tests of many small values as one test, which names all values that fail.

What pytest and pytest-xdist do for a test takes longer than a test of a single value.
"""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest


def for_each(
    *values: object, of: Callable[[Any], str] = str
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Turns a test of one value into one test of all given values; `of` gives a value's name."""

    def made(test: Callable[[Any], None]) -> Callable[[], None]:
        @wraps(test)
        def of_all() -> None:
            assert values
            tried = ((of(value), _failure(test, value)) for value in values)
            wrong = [f"{name}: {failure}" for name, failure in tried if failure]
            if wrong:
                message = "\n".join([f"{len(wrong)} of {len(values)} fail", *wrong])
                pytest.fail(message, pytrace=False)

        del of_all.__wrapped__  # by which pytest would ask for the value as a fixture
        return of_all

    return made


def _failure(test: Callable[[Any], None], value: object) -> str:
    """Place and text of the exception that the test of a value raises; empty if it passes."""
    try:
        test(value)
    except (Exception, pytest.fail.Exception) as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        return f"{at.filename}:{at.lineno}: {type(error).__name__}: {error}"
    return ""
