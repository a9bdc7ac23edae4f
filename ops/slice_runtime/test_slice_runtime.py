"""SliceRuntime: every type, positions of an input, and sizes that are not known."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import index_tensor
from runtimes.families.movement_cases import EVERY_TYPE_NAME, QUANTISED_NAME


def cut(
    x: Sequence[int] = (4, 5),
    begin: Sequence[int] = (1, 0),
    size: Sequence[int] = (2, 3),
    dtype: str = "int8",
    index_type: str = "int32",
    y: Sequence[int] = (),
) -> Build:
    """SLICE to build from these positions, or from each plus one."""

    def build(m: ModelWriter) -> None:
        scale = 0.5 if dtype in QUANTISED_NAME else ()
        where = index_tensor(m, begin, index_type, computed=True)
        sizes = m.constant("size", np.array(size, index_type))
        made = m.tensor("y", y or size, dtype, scale)
        m.node("SLICE", [m.input("x", x, dtype, scale), where, sizes], [made], version=2)
        m.output(made)

    return build


class TestSliceRuntime(OpTests):
    cases = (
        *(Case(dtype, cut(dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        *(
            Case(f"{dtype}_int64", cut(dtype=dtype, index_type="int64"))
            for dtype in EVERY_TYPE_NAME
        ),
        Case("vector", cut((9,), (2,), (4,))),
        Case("rank_5", cut((3,) * 5, (1, 0, 1, 0, 1), (1, 2, 1, 2, 1), "float32")),
        Case("one_element", cut((2,), (0,), (1,))),
    )
    rejected = (
        refused("rest", cut(size=(2, -1), y=(2, 3)), "begin is not known"),
        refused("beyond", cut(size=(2, 6)), "size is 6 along axis 1"),
        refused("short", cut(begin=(1,)), "begin i32[1] must have one number per axis"),
        refused("output", cut(y=(2, 2)), "'y' is i8[2x2] where i8[2x3] follows"),
    )

    def test_a_part_that_would_leave_x_is_moved_inside(self) -> None:
        x, begin = np.arange(20, dtype=np.int8).reshape(4, 5), np.array([True, True])
        (found,) = self.in_numpy(cut(begin=(-9, 3))).run([begin, x])
        assert np.array_equal(found, x[:2, 2:])
