"""LeakyReLU: factors below 0 and above 1, at equal and unequal quantisation."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import Unary, float_cases, of_float, unquantised

I8 = Unary("LEAKY_RELU", 0.05, 3, 0.04, -20, options={"alpha": 0.3}, version=2)
U8 = I8.of_type("uint8", x_zero_point=131, y_zero_point=7)
I16 = I8.of_type("int16", x_zero_point=0, y_zero_point=0)
F32 = of_float("LEAKY_RELU", options={"alpha": 0.3})


class TestLeakyRelu(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_equal", I8.but(y_scale=0.05, y_zero_point=3, shape=(1, 4, 5, 3))),
        Case("int8_no_slope", I8.but(options={"alpha": 0.0}, shape=())),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1,))),
        Case("int8_dead_scale", I8.but(y_scale=1e-12)),
        Case("uint8", U8.but(options={"alpha": -0.7})),
        Case("int16", I16),
        Case("int16_negative", I16.but(options={"alpha": -0.7}, y_scale=0.5)),
        Case("int16_steep", I16.but(options={"alpha": 3.0}, y_scale=0.05, shape=(1,))),
        *float_cases(F32),
        Case("float32_negative", F32.but(options={"alpha": -2.0})),
    )
    rejected = (
        *unquantised(I8, I16),
        refused("ratio", I8.but(x_scale=1e20, y_scale=1e-20), "the scale ratio"),
        refused("infinite", F32.but(options={"alpha": float("inf")}), "is not finite"),
    )
