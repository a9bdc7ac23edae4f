"""FullyConnected of int8, int16 and float32: shapes, quantisation and LiteRT's rounding."""

from opsmith.testing.op_tests import *
from runtimes.families.matmul_cases import DynamicMatMul, MatMul, RealMatMul
from runtimes.families.trained_cases import MATMULS
from runtimes.families.unpaired_cases import MATMULS as UNPAIRED


def two_inputs(m: ModelWriter) -> None:
    """Add a layer without a third input, as version 6 of the operator has."""
    x = m.input("x", (2, 4), "int8", 0.1)
    weights = m.constant("weights", np.arange(-6, 6, dtype=np.int8).reshape(3, 4), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.3)
    m.node("FULLY_CONNECTED", [x, weights], [y], version=6)
    m.output(y)


def absent_bias(m: ModelWriter) -> None:
    """Add a layer whose third input, the bias, is absent."""
    x = m.input("x", (1, 4), "int8", 0.1)
    weights = m.constant("weights", np.arange(-6, 6, dtype=np.int8).reshape(3, 4), 0.1)
    y = m.tensor("y", (1, 3), "int8", 0.3)
    m.node("FULLY_CONNECTED", [x, weights, None], [y], version=4)
    m.output(y)


def of_constant(m: ModelWriter) -> None:
    """Add a layer of constant inputs, which is folded at build time."""
    x = m.constant("x", np.arange(-8, 8, dtype=np.int8).reshape(2, 8), 0.1)
    weights = m.constant("weights", np.arange(-12, 12, dtype=np.int8).reshape(3, 8), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.01)
    m.node("FULLY_CONNECTED", [x, weights], [y])
    m.output(y)


# Sums so long that no product of 32 bits has room for all steps of all channels.
LONG_SUMS = MatMul(
    (1, 512), 24, weights_scale=0.0006, weights_scales=24, weights_value=127, y_scale=0.014
)
# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
TIES = MatMul(x_scale=0.5, weights_scale=0.5, y_scale=0.5, bias=3, weights_value=1)

I8_CASES = cases(
    **MATMULS,
    **UNPAIRED,
    plain=MatMul(),
    equal_scales=MatMul(y_scale=0.05, y_zero_point=-3),
    per_channel=MatMul(weights_scales=5),
    per_channel_of_one=MatMul(channels=1),
    without_bias=MatMul(bias=None),
    absent_bias=absent_bias,
    per_channel_without_bias=MatMul(weights_scales=5, bias=None),
    two_inputs=two_inputs,
    weights_zero_point=MatMul(weights_zero_point=17),
    depth_4_of_4=MatMul(x=(1, 4), channels=4),
    depth_8_of_8=MatMul(x=(1, 8), channels=8),
    depth_16_of_16=MatMul(x=(1, 16), channels=16),
    tails=MatMul(x=(1, 37), channels=13),
    one_element=MatMul(x=(1, 1), channels=1),
    rows=MatMul(x=(6, 10)),
    rows_of_one_channel=MatMul(x=(5, 37), channels=1),
    long_rows=MatMul((2, 1030), 4, y_scale=1.5, weights_scales=4),
    long_rest=MatMul((1, 259), 7, y_scale=0.9),
    long_rows_of_large_scale=MatMul((1, 300), 3, weights_scales=3, y_scale=0.0005),
    rows_by_fours=MatMul(x=(9, 30)),
    flattened=MatMul(x=(2, 3, 4), depth=12),
    rows_across_dimensions=MatMul(x=(2, 3, 4), depth=6),
    rank_1=MatMul(x=(12,)),
    rank_4=MatMul(x=(1, 2, 3, 12)),
    keep_rank_3=MatMul(x=(2, 3, 12), keep=True),
    keep_rank_4=MatMul(x=(1, 2, 3, 12), keep=True),
    keep_rank_1=MatMul(x=(12,), keep=True),
    relu=MatMul(activation="RELU"),
    relu6=MatMul(activation="RELU6", y_scale=0.04, y_zero_point=-100),
    relu_n1_to_1=MatMul(activation="RELU_N1_TO_1", y_scale=0.02),
    relu_at_the_end=MatMul(activation="RELU", y_zero_point=127),
    ties=TIES,
    saturates_high=MatMul(weights_value=127, x_zero_point=-128, y_scale=0.01),
    saturates_low=MatMul(weights_value=-128, x_zero_point=-128, y_scale=0.01),
    zero_points_at_ends=MatMul(x_zero_point=127, y_zero_point=-128),
    scale_above_one=MatMul(x_scale=3.0, weights_scale=2.0, y_scale=0.7),
    tiny_scale=MatMul(x_scale=1e-6, weights_scale=1e-6, y_scale=3.0),
    many_channels=MatMul(x=(3, 64), channels=128, weights_scales=128, y_scale=0.5),
    many_channels_tails=MatMul(x=(3, 65), channels=127, weights_scales=127, y_scale=0.5),
    long_sums=LONG_SUMS,
    few_values=MatMul((3, 37), 13, weights_values=6),
    two_values_by_channel=MatMul((1, 64), 9, weights_scales=9, weights_values=2),
    few_values_zero_point=MatMul((2, 40), weights_zero_point=17, weights_values=40),
    sums_beyond_24_bits=replace(LONG_SUMS, x=(2, 1031), channels=9, weights_scales=9),
    of_constant=of_constant,
)


PLAIN = MatMul(
    (2, 12), dtype="int16", x_scale=0.001, x_zero_point=0, y_scale=0.0041, y_zero_point=0,
    bias=200_000, bias_type="int64",
)  # fmt: skip
# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
NARROW_TIES = replace(PLAIN, x_scale=0.5, weights_scale=0.5, y_scale=0.5, weights_value=1, bias=3)
# The same with 1/8, which has no digit that double precision would round.
EIGHTHS = replace(NARROW_TIES, y_scale=2.0)
# Sums as near to 32 bits as they get.
FULL = replace(PLAIN, x=(1, 511), channels=3, weights_scale=0.001, y_scale=0.07)
# Sums beyond 32 bits that are elements of y within its bounds.
LONG = replace(PLAIN, x=(2, 2000), channels=3, weights_scale=0.001, y_scale=0.5)
BY_32 = replace(PLAIN, bias_type="int32", said="INT32")
I16X8_CASES = cases(
    plain=PLAIN,
    per_channel=replace(PLAIN, weights_scales=5),
    without_bias=replace(PLAIN, bias=None),
    per_channel_without_bias=replace(PLAIN, weights_scales=5, bias=None),
    images=replace(PLAIN, x=(2, 2, 2, 3), depth=12),
    kept=replace(PLAIN, x=(2, 1, 12), keep=True),
    one_element=replace(PLAIN, x=(1, 1), channels=1),
    tails=replace(PLAIN, x=(3, 37), channels=13, weights_scales=13),
    relu=replace(PLAIN, activation="RELU"),
    relu6=replace(PLAIN, activation="RELU6"),
    relu_n1_to_1=replace(PLAIN, activation="RELU_N1_TO_1"),
    ties=NARROW_TIES,
    eighths=EIGHTHS,
    rounded_twice=replace(PLAIN, y_scale=0.004),
    whole_blocks=replace(PLAIN, x=(2, 16), channels=16, weights_scales=16),
    all_of_32_bits=replace(FULL, weights_value=-128, bias=4_000_000),
    below_one_half=replace(PLAIN, weights_scale=1e-12),
    beyond_32_bits=replace(LONG, weights_value=127),
    beyond_32_bits_below=replace(LONG, weights_value=-128),
    large_bias=replace(LONG, y_scale=40.0, bias=2**40),
    saturates=replace(PLAIN, weights_value=127, y_scale=0.0001),
    int64_bias=replace(PLAIN, said="INT64"),
    int32_bias=BY_32,
    int32_bias_tails=replace(BY_32, x=(3, 37), channels=13, weights_scales=13),
    int32_without_bias=replace(BY_32, x=(3, 37), channels=13, weights_scales=13, bias=None),
    int32_without_bias_wraps=replace(LONG, weights_value=127, bias=None, said="INT32"),
    int32_bias_wraps=replace(BY_32, bias=2**31 - 1, weights_value=127, y_scale=40.0),
)
REAL = RealMatMul()
F32_CASES = cases(
    plain=REAL,
    **{a.lower(): replace(REAL, activation=a) for a in ("RELU", "RELU6", "RELU_N1_TO_1")},
    images=replace(REAL, x=(2, 2, 2, 3), depth=12),
    kept=replace(REAL, x=(2, 1, 12), keep=True),
    one_element=RealMatMul((1, 1), 1),
    long=RealMatMul((1, 300), 3),
    rows=RealMatMul((6, 37), 7),
    no_bias=replace(REAL, bias=None),
    large=replace(REAL, size=1e30),
    integers=RealMatMul((6, 37), 7, bits=8, activation="RELU"),
    integers_of_4_bits=RealMatMul((1, 60), 5, bits=4, bias=None),
    integers_of_2_bits=RealMatMul((4, 32), 3, bits=2),
    subnormal_integers=RealMatMul((2, 7), 3, bits=8, size=1e-41),
)
DYNAMIC = DynamicMatMul()
ASYMMETRIC = replace(DYNAMIC, asymmetric=True)
OVERFLOW = replace(DYNAMIC, weights_scale=1e35, biases=(0, 1, np.nan, -1, 2))
ZEROS = replace(DYNAMIC, weights_scale=1e-40, biases=(-0.0, 0, -0.0, -1, 1))
F32X8_CASES = cases(
    plain=DYNAMIC,
    per_channel=replace(DYNAMIC, weights_scales=5),
    no_bias=replace(DYNAMIC, bias=None),
    relu=replace(DYNAMIC, activation="RELU"),
    tails=replace(DYNAMIC, x=(3, 37), channels=13),
    one_element=DynamicMatMul((1, 1), 1),
    asymmetric=ASYMMETRIC,
    beyond_24_bits=replace(ASYMMETRIC, x=(1, 1100), channels=9),
    asymmetric_per_channel=replace(ASYMMETRIC, x=(2, 3, 8), keep=True, weights_scales=5),
    **{
        f"{name}_{activation}": replace(case, activation=activation)
        for name, case in {"overflow": OVERFLOW, "zeros": ZEROS}.items()
        for activation in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
    },
)
UNSIGNED = MatMul(
    (2, 12), dtype="uint8", x_zero_point=120, y_zero_point=110, weights_zero_point=100
)
U8_CASES = cases(
    plain=UNSIGNED,
    no_bias=replace(UNSIGNED, bias=None),
    relu6=replace(UNSIGNED, activation="RELU6"),
    ties=replace(UNSIGNED, x_scale=0.5, weights_scale=0.5, y_scale=0.5, bias=3),
    zero_points_at_ends=replace(UNSIGNED, x_zero_point=0, weights_zero_point=255),
    other_ends=replace(UNSIGNED, x_zero_point=255, weights_zero_point=0, least=0),
    least=replace(UNSIGNED, x=(2, 200), channels=13, least=0, y_scale=2.0),
    large_scale=replace(UNSIGNED, x=(3, 37), channels=7, least=0, y_scale=0.0005),
    relu=replace(UNSIGNED, x=(3, 37), channels=13, activation="RELU", y_zero_point=0, y_scale=0.9),
)
CASES = (
    *I8_CASES,
    *(replace(case, name=f"i16x8_{case.name}") for case in I16X8_CASES),
    *(replace(case, name=f"f32_{case.name}") for case in F32_CASES),
    *(replace(case, name=f"f32x8_{case.name}") for case in F32X8_CASES),
    *(replace(case, name=f"u8_{case.name}") for case in U8_CASES),
)


def of_no_depth(m: ModelWriter) -> None:
    """Add a layer with weights without elements."""
    weights = m.constant("weights", np.zeros((3, 0), np.int8), 0.5, 0)
    y = m.tensor("y", (1, 3), "int8", 0.5, 0)
    m.node("FULLY_CONNECTED", [m.input("x", (1, 4), "int8", 0.5, 0), weights], [y], {}, version=4)
    m.output(y)


REJECTED = (
    refused("weights_without_depth", of_no_depth, "does not divide into rows"),
    refused("weights_rank_3", MatMul(weights_rank=3), "must have two dimensions"),
    refused("no_rows", MatMul(depth=5), "does not divide into rows"),
    refused("keep_other_depth", MatMul(x=(2, 6), depth=4, keep=True), "differ"),
    refused("axis", MatMul(weights_scales=12, channels=12, weights_axis=1), "along axis 0"),
    refused("scales", MatMul(weights_scales=12, weights_axis=1), "1 or 5 scales"),
    refused("zero_points", MatMul(weights_scales=5, weights_zero_point=1), "zero points 0"),
    refused("bias_elements", MatMul(bias_elements=4), "bias has 4 elements"),
    refused("bias_too_large", MatMul(bias=2**31 - 1), "32 bits: its bias is 2147483647"),
    refused("scale_too_large", MatMul(x_scale=1e9, bias=None), "may overflow 32 bits"),
    refused("scale_infinite", MatMul(y_scale=1e-38, weights_scale=1e30), "may overflow"),
    refused("unquantised", MatMul(x_scale=(), bias=None), "x must be quantised"),
    refused("shuffled", MatMul(weights_format=1), "weights_format", "MDL013"),
    refused("i16x8_rank", replace(PLAIN, weights_rank=3), "must have two dimensions"),
    refused("i16x8_depth", replace(PLAIN, depth=7), "does not divide into rows"),
    refused("i16x8_keep_depth", replace(PLAIN, x=(4, 6), depth=12, keep=True), "differ"),
    refused("i16x8_bias", replace(PLAIN, bias_elements=3), "3 elements instead of 5"),
    refused("i16x8_scales", replace(PLAIN, weights_scales=12, weights_axis=1), "1 or 5 scales"),
    refused(
        "i16x8_int32_bias",
        replace(BY_32, said="FLOAT32"),
        "quantized_bias_type is FLOAT32, but bias is int32, which LiteRT reads as int64",
    ),
    refused("i16x8_int64_bias", replace(PLAIN, said="INT32"), "is INT32, but bias is int64"),
    refused("i16x8_zero_point", replace(PLAIN, x_zero_point=1), "x must have zero point 0"),
    refused("i16x8_weights_zero_point", replace(PLAIN, weights_zero_point=1), "zero points 0"),
    refused("i16x8_bias_too_large", replace(PLAIN, bias=2**60), "may overflow 32 bits"),
    refused("i16x8_bias_beyond", replace(PLAIN, bias=2**63 - 1), "may overflow 64 bits"),
    refused("u8_per_channel", replace(UNSIGNED, weights_scales=5), "weights must be quantised per"),
    refused("u8_scale", replace(UNSIGNED, x_scale=1e9, bias=None), "may overflow 32 bits"),
    refused("f32x8_zero_point", replace(DYNAMIC, weights_zero_point=1), "zero points 0"),
    refused("f32x8_scales", replace(DYNAMIC, weights_scales=12, weights_axis=1), "1 or 5 scales"),
    refused(
        "f32x8_axis", replace(DYNAMIC, weights_scales=12, channels=12, weights_axis=1), "axis 0"
    ),
    refused("f32x8_deep", DynamicMatMul((1, 1 << 17), 1), "may overflow 32 bits"),
    refused("f32_depth", replace(REAL, depth=7), "does not divide into rows"),
    refused("f32_bias", replace(REAL, bias_elements=3), "3 elements instead of 5"),
)


class TestFullyConnected(OpTests):
    cases = CASES
    rejected = REJECTED

    @pytest.mark.slow
    def test_ranges_of_x_that_is_not_finite_are_those_of_numpy(self) -> None:
        """Compares rows that are not finite with numpy; LiteRT has other ranges for such rows."""
        rows = np.linspace(-1, 1, 36, dtype=np.float32).reshape(3, 12)
        infinite, nan = rows.copy(), rows.copy()
        infinite[0, 3], infinite[1, 5], infinite[2, 7] = np.inf, -np.inf, np.inf
        nan[0, 0], nan[1, 5], nan[2] = np.nan, np.nan, np.nan
        sets = [[x, x] for x in (infinite, nan, np.full_like(rows, np.nan))]
        x = replace(DYNAMIC, x=rows.shape)
        given = cases(symmetric=x, asymmetric=replace(x, asymmetric=True))
        check_on_host(self.folder, given, oracle="numpy", sets=sets)
