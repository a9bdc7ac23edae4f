"""Random names of a model become different C identifiers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsmith.frontend.names import identifiers
from opsmith.keywords import RESERVED
from tests.examples import examples

pytestmark = pytest.mark.slow


@examples(30)
@given(st.lists(st.text(), max_size=20))
def test_any_names_give_different_identifiers(names: list[str]) -> None:
    found = identifiers(names)
    assert len(set(found)) == len(names)
    for name in found:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
        assert "__" not in name
        assert name not in RESERVED
