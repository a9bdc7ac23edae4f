"""Sum: every type and choice of axes, against LiteRT where it reads inputs by their type."""

from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.op_cases import check_coverage, numpy_reference
from opsmith.testing.op_tests import *
from runtimes.families.reduction_cases import Reduction, axis_refusals, fold_cases

EVERY = Reduction("SUM")
UNSIGNED = replace(EVERY, dtype="uint8", y_scale=0.9, y_zero_point=17)
RUNS = replace(EVERY, x=(4, 11, 37), axis=2)
HALFWORDS = replace(EVERY, dtype="int16", x_scale=3e-4, y_scale=7e-4)


SIGNED = (
    *(Case(f"signed_{each.name}", each.build) for each in fold_cases(EVERY, ("int8", "int16"))),
    Case("rescaled_int8", replace(EVERY, y_scale=0.9, y_zero_point=-17)),
    *(
        Case(f"runs_{name}", replace(RUNS, y_scale=scale, y_zero_point=zero))
        for name, scale, zero in (("down", 0.9, -17), ("up", 0.003, 9), ("vanish", 1e9, -128))
    ),
    Case("rescaled_int16", HALFWORDS),
)


class TestSum(OpTests):
    cases = (
        *fold_cases(EVERY, ("uint8", "int32", "int64", "float32")),
        Case("rescaled", UNSIGNED),
        Case("rescaled_up", replace(UNSIGNED, x=(3, 4), axis=1, y_scale=0.01)),
        Case("scale_vanishes", replace(UNSIGNED, x_scale=1e-12)),
    )
    rejected = (
        *axis_refusals(EVERY),
        refused("nothing", replace(EVERY, x=(0, 3), axis=0), "x i8[0x3] has no elements along"),
        refused("unquantised", replace(EVERY, x_scale=()), "x must be quantised per tensor"),
        refused("scale_too_large", replace(EVERY, x_scale=1e6), "may overflow 32 bits"),
        refused("int16_zero_point", replace(HALFWORDS, x_zero_point=1), "which must be 0"),
    )

    def test_cases_cover_every_kernel_and_type(self) -> None:
        """Counts the cases of TestSumOfSigned, too."""
        check_coverage(self.folder, (*self.cases, *SIGNED))


class TestSumOfSigned(OpTests):
    """Sums of types that LiteRT's reference kernel reads as uint8 (EvalSum in reduce.cc)."""

    oracle = "numpy"
    cases = SIGNED

    def test_cases_cover_every_kernel_and_type(self) -> None:
        """Counts the cases of TestSum, too."""
        check_coverage(self.folder, (*TestSum.cases, *self.cases))

    def test_evaluate_equals_litert_in_steps(self) -> None:
        """CAST to int32, SUM and QUANTIZE, whose arithmetic is equal where zero points are 0."""
        for plain in (replace(EVERY, x_zero_point=0, y_zero_point=-5, y_scale=0.7), HALFWORDS):
            numpy, litert = numpy_reference(self.folder, Case("sum", plain)), _in_steps(plain)
            for values in seeded_inputs(numpy.inputs, 20):
                assert np.array_equal(numpy.run(values)[0], litert.run(values)[0])


def _in_steps(of: Reduction) -> Reference:
    def build(m: ModelWriter) -> None:
        x = m.input("x", of.x, of.dtype, of.x_scale, 0)
        wide = m.tensor("wide", of.x, "int32", of.x_scale, 0)
        shape = [of.x[0], of.x[-1]]
        total = m.tensor("total", shape, "int32", of.x_scale, 0)
        y = m.tensor("y", shape, of.dtype, of.y_scale, of.y_zero_point)
        m.node("CAST", [x], [wide])
        m.node("SUM", [wide, m.constant("axis", np.array(of.axis, np.int32))], [total])
        m.node("QUANTIZE", [total], [y], version=2)
        m.output(y)

    return Reference(merged_model([Case("steps", build)]))
