"""Interpreters of the rules of numerics, which not every machine has."""

import pytest

from opsmith.numerics import Numerics
from opsmith.oracle.rules import cannot_answer
from tests.conftest import NO_ORACLE


def need_oracle(rule: Numerics) -> None:
    """Skip a test, and count it, where no interpreter of this rule runs on this machine."""
    if why := cannot_answer(rule):
        pytest.skip(f"{NO_ORACLE}: {why}")
