"""No label of a random plan overlaps another in its picture."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from opsmith.report.plan_svg import plan_svg
from tests.examples import examples
from tests.unit.report.test_plan_svg import misplaced, placed

pytestmark = pytest.mark.slow


@examples(100)  # each may take long on a busy machine
@given(data=st.data())
def test_no_label_overlaps_another_whatever_the_plan(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 70))
    names = st.text("abcxyz_0", min_size=1, max_size=60)
    spans = st.tuples(st.integers(-1, count), st.integers(0, 20), st.integers(0, 90))
    tensors = [
        placed(data.draw(names), offset, data.draw(st.integers(1, 100 - offset)), first, last)
        for first, more, offset in data.draw(st.lists(spans, max_size=30))
        for last in [min(first + more, count)]
    ]
    arena = {"ram": {"bytes": 100, "alignment": 1, "lower_bound": 100}}
    nodes = [{"op": "unidirectional_sequence_lstm"}] * count
    model = {"name": "m" * 100, "arena": arena, "nodes": nodes, "tensors": tensors}
    assert misplaced(plan_svg(model)) == []
