"""A build names nodes whose elements are not LiteRT's whatever their inputs are."""

from pathlib import Path

import numpy as np

from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored


def test_each_kind_of_departure_is_said_once(tmp_path: Path) -> None:
    m = ModelWriter()
    x, axis = m.input("x", (2, 3), "int8", 0.5), m.constant("axis", np.array([1], np.int32))
    for i in range(3):
        m.node("SUM", [x, axis], [m.tensor(f"sum{i}", (2,), "int8", 1.0)], {})
    zeros = m.value("ZEROS_LIKE", [x], m.tensor("zeros", (2, 3), "int8", 0.5))
    whole, parts = m.input("whole", (2, 3), "float32"), m.input("begin", (2,), "int32")
    part = m.tensor("part", (1, 3), "float32")  # departs only where it would leave the whole
    m.node("SLICE", [whole, parts, m.constant("size", np.array([1, 3], np.int32))], [part])
    m.output(zeros, part)
    model, _ = read(stored(m, tmp_path), "m", shipped_ops())
    sums, nothing = model.assumed
    assert sums.startswith("'sum0' and 2 more (sum): int8 and int16: LiteRT reads the elements as")
    assert nothing.startswith("'zeros' (zeros_like): int8: LiteRT has no kernel; here it is as in")


def test_what_holds_whatever_the_inputs_are_is_said_of_types_that_it_is_about() -> None:
    """An op's own departure is said of all its variants."""
    ops = shipped_ops()
    own = {name: ops[name].departs for name in ops.by_name}
    always = {name for name, departs in own.items() if departs is not None and departs.always}
    assert always == set()
