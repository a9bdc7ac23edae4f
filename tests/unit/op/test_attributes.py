"""Options become typed attributes, or nothing at all."""

import numpy as np
import pytest

from opsmith.ir.types import DType, boolean, f32, i8, u8
from opsmith.op.attributes import typed
from opsmith.op.declare import Attribute, ListOf, OpError

Kind = type | ListOf | DType


@pytest.mark.parametrize(("kind", "value", "wanted"), [
    (bool, 1, True),
    (float, 2, 2.0),
    (int, np.int64(3), 3),
    (bytes, b"ab", b"ab"),
    (ListOf(int), [1, 2], (1, 2)),
    (ListOf(str), ["a"], ("a",)),
    (ListOf(float), np.array([1, 2]), (1.0, 2.0)),
])  # fmt: skip
def test_scalars_and_lists(kind: Kind, value: object, wanted: object) -> None:
    found = typed(Attribute("a", kind), value)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize(
    ("kind", "value"), [(i8, [[1, -2], [3, 127]]), (f32, [0.1, 2]), (boolean, [0, 1]), (u8, [])]
)
def test_arrays_have_the_type_and_shape_that_they_were_given(kind: DType, value: object) -> None:
    found = typed(Attribute("a", kind), value)
    np.testing.assert_array_equal(found, np.asarray(value).astype(kind.numpy))
    assert (found.dtype, found.shape) == (kind.numpy, np.asarray(value).shape)


@pytest.mark.parametrize(("kind", "value"), [
    (bool, 2),
    (int, True),
    (int, 1.0),
    (str, b"a"),
    (ListOf(int), 1),
    (ListOf(int), "12"),
    (ListOf(int), [1, "2"]),
    (i8, [128]),
    (i8, [0.5]),
    (i8, "1"),
    (i8, [[1], [1, 2]]),
    (i8, {"a": 1}),
    (u8, [-1]),
    (boolean, [2]),
    (f32, [float("nan")]),
    (f32, [1e300]),
])  # fmt: skip
def test_what_a_type_cannot_hold_is_refused(kind: Kind, value: object) -> None:
    with pytest.raises(OpError, match="attribute 'a' is "):
        typed(Attribute("a", kind), value)
