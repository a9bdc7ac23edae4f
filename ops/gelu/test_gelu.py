"""GELU: both formulas, by tables and of floats."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases, of_float, unquantised

I8 = Unary("GELU", 0.05, 3, 0.04, -20)
U8 = I8.of_type("uint8", x_zero_point=131, y_zero_point=7)
I16 = I8.of_type("int16", x_scale=1e-4, x_zero_point=0, y_scale=1e-4, y_zero_point=0)
F32 = of_float("GELU", version=2)
APPROXIMATE = {"approximate": True}


class TestGelu(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_steep", I8.but(x_scale=3.0, y_scale=3.0, shape=(1, 4, 5, 3))),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1,))),
        Case("int8_approximate", I8.but(options=APPROXIMATE)),
        Case("uint8", U8),
        Case("uint8_approximate", U8.but(options=APPROXIMATE)),
        Case("int16", I16.but(shape=(1000,))),
        Case("int16_approximate", I16.but(x_scale=3e-4, options=APPROXIMATE)),
        # Next to ties, which the last bits of tanhf and erfcf decide.
        Case(
            "int8_tie",
            Unary(
                *("GELU", 0.030474970117211342, 127, 0.010129391215741634, -20),
                shape=(256,),
                options=APPROXIMATE,
            ),
        ),
        Case(
            "int16_tie",
            I16.but(x_scale=6.938982551218942e-05, y_scale=2.500162554497365e-05, shape=(1000,)),
        ),
        *float_cases(F32),
        Case("float32_image", F32.but(shape=(1, 3, 5, 4))),  # of whole fours, row by row
        Case("float32_approximate", F32.but(options=APPROXIMATE, shape=(3, 5, 9))),
    )
    rejected = unquantised(I8, U8, I16)
