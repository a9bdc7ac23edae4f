"""Pow: powers of non-negative exponents within and beyond int32, and powers of float32."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import Binary

EXPONENTS = (0, 1, 2, 3, 5, 8, 20, 31, 32, 41, 2**31 - 1)
PLAIN = Binary("POW", (40, 11), (11,), dtype="int32", constant="b", values=EXPONENTS, version=1)
REAL = replace(PLAIN, a=(200,), b=(200,), dtype="float32", constant="")
REALS = (0.0, -0.0, 0.5, -0.5, 1.0, 2.0, 3.0, -3.0, 17.25, 2e30, np.inf, -np.inf, np.nan)
SINGLE = {"half": 0.5, "one": 1.000009, "eleven": 11, "less": -2, "many": 2.0**31, "nearly": 3.0001}


class TestPow(OpTests):
    cases = (
        Case("exponents", PLAIN),
        Case("equal_shapes", replace(PLAIN, a=(11,))),
        Case("squares", replace(PLAIN, b=(), values=2)),  # of a single exponent, which wrap
        Case("cubes", replace(PLAIN, a=(3, 5), b=(1,), values=3)),
        Case("one_element", replace(PLAIN, a=(1,), b=(1,), values=3)),  # which do not wrap
        Case("rank_5", replace(PLAIN, a=(2, 1, 2, 1, 3), b=(1, 4, 1, 5, 1))),
        Case("rank_5_other", replace(PLAIN, a=(1, 4, 1, 5, 1), b=(2, 1, 2, 1, 3))),
        Case("six_axes", replace(PLAIN, a=(2, 1) * 3, b=(1, 2) * 3)),
        Case("float32", REAL),
        Case("float32_grid", replace(REAL, a=(40, 1), b=(13,), constant="b", values=REALS)),
        *(
            Case(f"float32_by_{name}", replace(REAL, b=(), constant="b", values=value))
            for name, value in SINGLE.items()
        ),
    )
    rejected = (
        refused("negative", replace(PLAIN, a=(2,), b=(2,), values=(1, -1)), "b is negative in"),
        refused("sizes", replace(PLAIN, a=(2, 3), b=(2, 4), y=(2, 4)), "do not broadcast"),
    )

    @pytest.mark.slow
    def test_kernels_raise_small_bases(self) -> None:
        """Compares powers that fit int32, unlike most of random numbers."""
        bases = np.array([[-3], [-2], [-1], [0], [1], [2], [46341]], np.int32)
        grid, squares = replace(PLAIN, a=(7, 1)), replace(PLAIN, a=(7, 1), b=(), values=2)
        self.check_kernels([Case("grid", grid), Case("squares", squares)], [[bases, bases]])

    @pytest.mark.slow
    def test_kernels_raise_floats_that_need_fused_products(self) -> None:
        """Compares bases for which glibc's powf gives another float without FMA."""
        base, exponent = np.full(200, 1.2466917, np.float32), np.full(200, -58.824482, np.float32)
        self.check_kernels([Case("fused", REAL)], [[base, exponent]])

    @pytest.mark.slow
    def test_what_litert_has_no_answer_for_is_as_numpy_says(self) -> None:
        """Compares exponents of an input, some of which are negative."""
        check_on_host(self.folder, (Case("any", replace(PLAIN, constant="")),), oracle="numpy")
