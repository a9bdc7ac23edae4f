"""Cast: every element type into every other, against LiteRT."""

from itertools import product

from opsmith.testing.op_tests import *

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32")
# Floats at the limits of integers, infinities and NaN.
EDGES = (0.0, -0.0, 0.9, -0.9, -1.0, 127.5, -128.5, 255.9, 32767.5, 65536.0, 2147483520.0,
         2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.223372e18,
         -9.223372e18, 1e38, -1e38, np.inf, -np.inf, np.nan)  # fmt: skip


def cast(source: str, target: str, x: Sequence[int] = (37,), values: Sequence[float] = ()) -> Build:
    """Conversion to build, of an input, or of constant values."""
    data = np.array(values, source)
    given: Given = data if values else (x, source)
    return one_node("CAST", {"x": given}, {"y": (data.shape if values else x, target)})


def through_float(target: str) -> Build:
    """Conversion to build of integers as large as float32 holds exactly."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", (64,), "int64")
        real = m.tensor("real", (64,), "float32")
        m.node("CAST", [x], [real])
        m.output(m.value("CAST", [real], m.tensor("y", (64,), target)))

    return build


class TestCast(OpTests):
    cases = (
        *(Case(f"{a}_to_{b}", cast(a, b)) for a, b in product(TYPES, TYPES)),
        *(Case(f"edges_to_{b}", cast("float32", b, values=EDGES)) for b in TYPES),
        *(Case(f"far_to_{b}", through_float(b)) for b in TYPES),
        Case("one_element", cast("int16", "int32", (1,))),
        Case("scalar", cast("uint32", "int32", ())),
        Case("rank_4", cast("int32", "int8", (2, 3, 4, 5))),
    )
    rejected = (refused("complex", cast("int8", "complex64"), "y has type complex64", "MDL012"),)

    @pytest.mark.slow
    def test_kernels_convert_the_edges_as_litert_does(self) -> None:
        """Compares inputs at the limits; constants are folded, and do not reach kernels."""
        cases = [Case(b, cast("float32", b, (len(EDGES),))) for b in TYPES]
        self.check_kernels(cases, [[np.array(EDGES, np.float32)] * len(cases)])
