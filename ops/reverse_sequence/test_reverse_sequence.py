"""ReverseSequence: every type, axes in either order, known and computed lengths."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import Shape, index_tensor
from runtimes.families.movement_cases import QUANTISED_NAME

TYPES = ("int16", "int32", "int64", "uint8", "float32")


def reverse(
    x: Shape,
    lengths: object,
    turned: int = 1,
    batch: int = 0,
    dtype: str = "int16",
    index_type: str = "int32",
    y_scale: float = 0.5,
    *,
    computed: bool = True,
) -> Build:
    """Reversal to build; `computed` lengths are these numbers, or each plus one."""

    def build(m: ModelWriter) -> None:
        scale, other = (0.5, y_scale) if dtype in QUANTISED_NAME else ((), ())
        where = index_tensor(m, lengths, index_type, computed=computed)
        given, made = m.input("x", x, dtype, scale), m.tensor("y", x, dtype, other)
        m.node("REVERSE_SEQUENCE", [given, where], [made], {"seq_dim": turned, "batch_dim": batch})
        m.output(made)

    return build


class TestReverseSequence(OpTests):
    cases = (
        *(Case(t, reverse((3, 5), (0, 2, 4), dtype=t)) for t in TYPES),
        *(
            Case(
                f"{t}_int64",
                reverse((2, 3, 2), (3, 1), dtype=t, index_type="int64", computed=False),
            )
            for t in TYPES
        ),
        Case("int64_computed", reverse((2, 5), (1, 3), index_type="int64")),
        Case("columns", reverse((4, 3), (3, 0, 1), 0, 1)),
        Case("far_apart", reverse((2, 3, 2, 4, 2), (0, 1, 2, 1), 1, 3)),
        Case("inner", reverse((2, 3, 2, 4, 2), (0, 1, 3), 3, 1)),
        Case("negative", reverse((2, 3), (-1, -5), computed=False)),
        Case("one_element", reverse((1, 1), (0,))),
    )
    rejected = (
        refused("same", reverse((3, 5), (0, 0, 0), 0, 0), "are no two axes of x i16[3x5]"),
        refused("beyond", reverse((3, 5), (0, 0, 0), 2, 0), "are no two axes of x i16[3x5]"),
        refused("lengths", reverse((3, 5), (0, 0)), "lengths i32[2] must be a vector"),
        refused("scale", reverse((1, 2), (0,), y_scale=0.25), "quantised as x is"),
    )
