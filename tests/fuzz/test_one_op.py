"""A seeded part of `tests.fuzz.one_op`: ops of int8 by each rule, of int16 by the notebook's and
TFLM's, and of float32 by the notebook's: what it does not reproduce is said.
"""

import pytest

from opsmith.numerics import Numerics
from tests.fuzz.one_op import NOT_COMPARED, OF_RULES, compared, kinds
from tests.oracles import need_oracle

pytestmark = pytest.mark.slow

KINDS = kinds("int16")
FLOATS = kinds("float32")


@pytest.mark.few(20)
@pytest.mark.parametrize("rule", Numerics)
@pytest.mark.parametrize("name", OF_RULES)
def test_elements_of_int8_are_the_oracles(name: str, rule: Numerics) -> None:
    need_oracle(rule)
    found = compared(OF_RULES[name], rule, f"{name} suite", 8)
    assert not found.differ, f"{name}: {found}; {found.first}: LiteRT or the rule has changed"
    assert found.compared > 3 or (name.split()[0], rule) in NOT_COMPARED, found


@pytest.mark.few(4)
@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.parametrize("rule", [Numerics.NOTEBOOK, Numerics.TFLM])
def test_elements_of_int16_are_the_oracles(name: str, rule: Numerics) -> None:
    need_oracle(rule)
    found = compared(KINDS[name], rule, f"{name} suite", 3)
    assert not found.differ, f"{name}: {found}; {found.first}"


@pytest.mark.few(8)
@pytest.mark.parametrize("name", sorted(FLOATS))
def test_elements_of_float32_are_the_notebooks(name: str) -> None:
    need_oracle(Numerics.NOTEBOOK)
    found = compared(FLOATS[name], Numerics.NOTEBOOK, f"{name} suite", 3)
    assert not found.differ, f"{name}: {found}; {found.first}"


def test_a_softmax_by_tflm_has_tables_of_single_precision() -> None:
    """Models of SOFTMAX equal TFLM's; with tables of double precision, model 17 differed."""
    need_oracle(Numerics.TFLM)
    name = "SOFTMAX int16/int16"
    found = compared(KINDS[name], Numerics.TFLM, f"{name} 0", 18)
    assert (found.compared, found.differ) == (18, 0), found
