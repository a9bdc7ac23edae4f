"""Conv2D of all its types against LiteRT: geometry, groups, quantisation and activations."""

import math

from opsmith.testing import board_cases, op_cases
from opsmith.testing.op_tests import *
from runtimes.families.convolution_cases import WINDOWS, Conv, Conv16, ConvF32, ConvU8
from runtimes.families.neighbour_cases import OF_LINES, QUADS
from runtimes.families.trained_cases import CONVOLUTIONS, SAME
from runtimes.families.unpaired_cases import CONVOLUTIONS as UNPAIRED

ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
PLAIN = Conv()
POINTWISE_16 = Conv((1, 3, 5, 16), (9, 1, 1, 16), (1, 3, 5, 9))


def with_options(base: Any, y: tuple[int, ...], **options: int | str) -> Any:
    """Convolution with these options, and an output of this shape."""
    return replace(base, y=y, options=options)


def strided(x: int, window: int, stride: int, padding: str, y: int) -> Conv:
    """Convolution of a square image by a square window."""
    options = {"padding": padding, "stride_h": stride, "stride_w": stride}
    return Conv((1, x, x, 2), (3, window, window, 2), (1, y, y, 3), options)


I8_CASES = cases(
    plain=PLAIN,
    one_element=Conv((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    pointwise=Conv((1, 4, 5, 8), (6, 1, 1, 8), (1, 4, 5, 6)),
    pointwise_4=Conv((1, 3, 3, 4), (4, 1, 1, 4), (1, 3, 3, 4)),
    pointwise_16_to_9=POINTWISE_16,
    pointwise_64=Conv((1, 5, 5, 64), (64, 1, 1, 64), (1, 5, 5, 64)),
    pointwise_of_batches=Conv((3, 1, 1, 20), (3, 1, 1, 20), (3, 1, 1, 3)),
    pointwise_dilated=Conv((1, 3, 3, 4), (4, 1, 1, 4), (1, 3, 3, 4), {"dilation_w_factor": 2}),
    # After a ReLU all steps of requantisation are on a line. Each number of inputs enters the loop
    # of dsp.h at another place; groups of pixels and pairs of channels are full and not.
    **{
        f"relu_of_{inputs}_inputs": Conv(
            (1, height, 3, inputs),
            (channels, 1, 1, inputs),
            (1, height, 3, channels),
            {"fused_activation_function": "RELU"},
            y_zero_point=-128,
        )
        for inputs, height, channels in (
            (1, 1, 1),
            (5, 2, 2),
            (12, 3, 3),
            (15, 4, 4),
            (17, 5, 5),
            (24, 1, 6),
            (28, 2, 7),
            (32, 3, 8),
            (36, 4, 2),
        )
    },
    # Each number of vectors enters the loop of mve.h at another place; an odd pixel.
    **{
        f"vectors_of_{inputs}_inputs": Conv((1, 1, 3, inputs), (n, 1, 1, inputs), (1, 1, 3, n))
        for inputs, n in ((16, 3), (33, 2), (48, 6), (64, 1), (72, 35), (80, 9), (9, 40), (200, 40))
    },
    winograd=Conv((1, 6, 18, 32), (4, 3, 3, 32), (1, 4, 16, 4)),
    winograd_same_odd=Conv(
        (1, 5, 7, 32),
        (3, 3, 3, 32),
        (1, 5, 7, 3),
        {"padding": "SAME", "fused_activation_function": "RELU"},
        y_zero_point=-128,
    ),
    winograd_of_48=Conv((1, 3, 3, 48), (2, 3, 3, 48), (1, 1, 1, 2)),
    window_of_8_channels=Conv((1, 6, 6, 8), (12, 3, 3, 8), (1, 4, 4, 12)),
    tail=Conv((1, 3, 3, 7), (5, 2, 2, 7), (1, 2, 2, 5)),
    batches=Conv((3, 5, 6, 3), (4, 3, 3, 3), (3, 3, 4, 4)),
    same=with_options(PLAIN, (1, 5, 6, 4), padding="SAME"),
    same_even_window=strided(5, 2, 1, "SAME", 5),
    same_stride_2_odd=strided(7, 3, 2, "SAME", 4),
    same_stride_2_even=strided(8, 3, 2, "SAME", 4),
    same_stride_beyond_window=strided(9, 2, 4, "SAME", 3),
    same_window_beyond_image=strided(3, 7, 1, "SAME", 3),
    valid_window_is_image=strided(5, 5, 1, "VALID", 1),
    valid_stride_leaves_rest=strided(8, 3, 2, "VALID", 3),
    unequal_strides=with_options(PLAIN, (1, 3, 2, 4), stride_h=1, stride_w=2),
    unequal_same_strides=with_options(PLAIN, (1, 2, 6, 4), padding="SAME", stride_h=3, stride_w=1),
    dilated=Conv(
        (1, 9, 8, 3), y=(1, 5, 2, 4), options={"dilation_h_factor": 2, "dilation_w_factor": 3}
    ),
    dilated_same=with_options(
        PLAIN, (1, 5, 6, 4), padding="SAME", dilation_h_factor=2, dilation_w_factor=2
    ),
    groups=Conv((1, 4, 4, 6), (4, 3, 3, 3), (1, 2, 2, 4), weights=(-128, -3, 0, 3, 127)),
    a_group_per_channel=Conv((1, 4, 4, 4), (8, 3, 3, 1), (1, 2, 2, 8)),
    **(WINDOWS | QUADS | OF_LINES | CONVOLUTIONS | UNPAIRED),
    wide_filter=Conv((1, 1, 40, 3), (4, 1, 17, 3), (1, 1, 24, 4)),
    per_tensor=replace(PLAIN, filter_scale=(0.007,)),
    large_bias=replace(PLAIN, bias=2**30),
    saturates=replace(PLAIN, y_scale=0.001),
    scales_above_one=replace(PLAIN, filter_scale=(9.0,), x_scale=3.0),
    scales_of_powers_of_two=replace(PLAIN, filter_scale=(0.25,), x_scale=0.5, y_scale=8.0),
    vanishing_scale=replace(PLAIN, filter_scale=(1e-9,), x_scale=1e-3),
    greatest_pairs=replace(POINTWISE_16, weights=(-128, -127, 127, 127, -127, -128)),
    least_pairs=replace(POINTWISE_16, weights=(-128, -128, 127)),
    least_zero_points=replace(PLAIN, x_zero_point=-128, y_zero_point=-128),
    greatest_zero_points=replace(PLAIN, x_zero_point=127, y_zero_point=127),
    **{
        f"activation_{activation.lower()}": with_options(
            PLAIN, PLAIN.y, fused_activation_function=activation
        )
        for activation in ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")
    },
    activation_beyond_the_type=replace(
        PLAIN, y_scale=0.01, options={"fused_activation_function": "RELU6"}
    ),
)
I8_REJECTED = (
    refused("rank", Conv(x=(5, 6, 3)), "must have 4 dimensions"),
    refused("channels", Conv(filter=(4, 3, 3, 2)), "the channels of x i8[1x5x6x3] do not"),
    refused("no_channels", Conv(filter=(4, 3, 3, 0)), "the channels of x i8[1x5x6x3] do not"),
    refused("more_channels", Conv(filter=(4, 3, 3, 6)), "the channels of x"),
    refused("odd_groups", Conv((1, 4, 4, 6), (3, 3, 3, 3), (1, 2, 2, 3)), "the channels"),
    refused("window", Conv(x=(1, 2, 6, 3)), "a window of 3 does not fit an image of 2"),
    refused("stride", with_options(PLAIN, PLAIN.y, stride_h=0), "must be positive"),
    refused("negative", with_options(PLAIN, PLAIN.y, stride_w=-1), "must be positive"),
    refused("dilation", with_options(PLAIN, PLAIN.y, dilation_h_factor=0), "must be positive"),
    refused(
        "tanh",
        with_options(PLAIN, PLAIN.y, fused_activation_function="TANH"),
        "attribute 'activation' is 'TANH'",
        "MDL013",
    ),
    refused("no_bias", replace(PLAIN, bias=None), "input 'bias' of conv_2d", "MDL013"),
    refused("bias", replace(PLAIN, bias_size=3), "bias has 3 elements instead of 4"),
    refused("unknown_filter", replace(PLAIN, constant=False), "'filter' must be a constant"),
    refused("filter_scales", replace(PLAIN, filter_axis=1), "filter must have 1 or 4 scales"),
    refused(
        "filter_axis",
        replace(PLAIN, filter=(3, 3, 3, 3), y=(1, 3, 4, 3), filter_axis=3),
        "filter must be quantised along axis 0",
    ),
    refused("filter_zero_point", replace(PLAIN, filter_zero_point=1), "zero points 0"),
    refused("x_unquantised", replace(PLAIN, x_scale=()), "x must be quantised per tensor"),
    refused("y_unquantised", replace(PLAIN, y_scale=()), "y must be quantised per tensor"),
    refused(
        "x_per_channel",
        replace(PLAIN, x_scale=(0.1,) * 3, x_zero_point=(0,) * 3),
        "scales do not fit axis 0",
        "MDL005",
    ),
    refused("huge_ratio", replace(PLAIN, x_scale=1e20, y_scale=1e-20), "scale ratio"),
    refused(
        "tiny_y_scale",
        with_options(
            replace(PLAIN, x_scale=1e-45, y_scale=1e-45),
            PLAIN.y,
            fused_activation_function="RELU6",
        ),
        "the scale 1.401298464324817e-45 is too small for activation RELU6",
    ),
)

I16_PLAIN = Conv16()
I16_ONE = Conv16((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))
# Sums beyond 32 bits that are elements of y within its bounds.
I16_DEEP = Conv16((1, 2, 2, 700), (3, 1, 1, 700), (1, 2, 2, 3), filter_scale=0.001, y_scale=0.5)
# Sums as near to 32 bits as they get.
I16_FULL = Conv16((1, 2, 2, 511), (3, 1, 1, 511), (1, 2, 2, 3), filter_scale=0.001, y_scale=0.07)
I16_32 = replace(I16_PLAIN, bias_type="int32", options={"quantized_bias_type": "INT32"})
I16_CASES = cases(
    "i16",
    plain=I16_PLAIN,
    per_channel=replace(I16_PLAIN, filter_scales=4),
    **{
        f"{a.lower()}": with_options(I16_PLAIN, I16_PLAIN.y, fused_activation_function=a)
        for a in ACTIVATIONS
    },
    same=with_options(I16_PLAIN, (1, 5, 6, 4), padding="SAME"),
    strides=with_options(I16_PLAIN, (1, 3, 2, 4), padding="SAME", stride_h=2, stride_w=3),
    dilated=with_options(I16_PLAIN, (1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2),
    pointwise=Conv16((2, 4, 5, 8), (7, 1, 1, 8), (2, 4, 5, 7), filter_scales=7),
    one_element=I16_ONE,
    groups=Conv16((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6)),
    ties=replace(I16_ONE, x_scale=0.5, filter_scale=0.5, y_scale=0.5, filter_value=1, bias=1),
    greatest_multiplier=replace(I16_PLAIN, x_scale=0.5, filter_scale=1.9999995, y_scale=500.0),
    all_of_32_bits=replace(I16_FULL, filter_value=-128, bias=4_000_000),
    small_groups=Conv16((2, 1, 3, 4), (2, 1, 1, 4), (2, 1, 3, 2)),
    dead_channels=replace(I16_PLAIN, filter_value=0),
    dead_and_small=replace(I16_PLAIN, filter_value=0, filter_scale=1e-9, bias=2**33),
    beyond_32_bits_tails=replace(
        I16_DEEP, x=(1, 1, 3, 597), filter=(5, 1, 1, 597), y=(1, 1, 3, 5), filter_value=-128
    ),
    beyond_32_bits=replace(I16_DEEP, filter_value=127),
    beyond_32_bits_below=replace(I16_DEEP, filter_value=-128),
    large_bias=replace(I16_DEEP, y_scale=40.0, bias=2**40),
    saturates=replace(I16_PLAIN, filter_value=127, y_scale=0.0001),
    int32_bias=replace(I16_32, filter_scales=4),
    int32_bias_groups=replace(I16_32, x=(1, 5, 6, 4), filter=(6, 3, 3, 2), y=(1, 3, 4, 6)),
    int32_bias_wraps=replace(I16_32, bias=2**31 - 1, filter_value=-128),
)
I16_REJECTED = (
    refused("i16_channels", replace(I16_PLAIN, filter=(4, 3, 3, 2)), "do not fit filter"),
    refused("i16_bias", replace(I16_PLAIN, bias_elements=3), "bias has 3 elements instead of 4"),
    refused(
        "i16_int32_bias", replace(I16_PLAIN, bias_type="int32"), "is FLOAT32, but bias is int32"
    ),
    refused("i16_int32_zero_point", replace(I16_32, x_zero_point=1), "x must have zero point 0"),
    refused("i16_zero_point", replace(I16_PLAIN, x_zero_point=1), "x must have zero point 0"),
    refused("i16_bias_too_large", replace(I16_PLAIN, bias=2**47), "may overflow 48 bits"),
    refused("i16_scale", replace(I16_PLAIN, x_scale=100.0), "must be below 128"),
    refused("i16_scaled", replace(I16_PLAIN, x_scale=1.0, bias=2**40), "may overflow 32 bits"),
)

F32_PLAIN = ConvF32()
HALF, ACROSS = {"stride_h": 2, "stride_w": 2}, {"dilation_w_factor": 2}
RELU, RELU6 = ({"fused_activation_function": each} for each in ("RELU", "RELU6"))
F32_CASES = cases(
    "f32",
    plain=F32_PLAIN,
    **{
        f"{a.lower()}": with_options(F32_PLAIN, F32_PLAIN.y, fused_activation_function=a)
        for a in ACTIVATIONS
    },
    same=with_options(F32_PLAIN, (1, 5, 6, 4), padding="SAME"),
    strides=with_options(F32_PLAIN, (1, 3, 2, 4), padding="SAME", stride_h=2, stride_w=3),
    dilated=with_options(F32_PLAIN, (1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2),
    pointwise=ConvF32((2, 4, 5, 9), (7, 1, 1, 9), (2, 4, 5, 7), size=1e-15),
    one_element=ConvF32((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    groups=ConvF32((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6)),
    # Of a row of y, groups of four, single pixels between the sides of x and pixels at them.
    long_runs=ConvF32((2, 3, 8, 20), (6, 3, 3, 20), (2, 3, 8, 6), SAME),
    long_runs_halved=ConvF32((1, 5, 11, 21), (5, 2, 4, 21), (1, 3, 6, 5), SAME | HALF),
    dilated_across=ConvF32((1, 4, 9, 3), (5, 3, 3, 3), (1, 4, 9, 5), SAME | ACROSS),
    images=ConvF32((2, 5, 7, 1), (9, 3, 4, 1), (2, 5, 7, 9), SAME),
    one_column=ConvF32((1, 9, 1, 4), (8, 5, 1, 4), (1, 5, 1, 8)),
    groups_dilated=ConvF32((1, 4, 9, 4), (8, 3, 3, 2), (1, 4, 9, 8), SAME | ACROSS | RELU),
    groups_of_channels=ConvF32((1, 6, 14, 3), (15, 2, 3, 1), (1, 3, 7, 15), SAME | HALF | RELU6),
    relu_nan=ConvF32((1, 5, 9, 6), (8, 1, 1, 6), (1, 3, 5, 8), HALF | RELU, last_bias=math.nan),
    large=replace(F32_PLAIN, size=1e30),
    vanishes=replace(F32_PLAIN, size=1e-40),
    nan=replace(F32_PLAIN, last_bias=math.nan),
)
DYNAMIC, BY_CHANNEL = (replace(F32_PLAIN, filter_scales=count) for count in (1, 4))
F32X8_CASES = cases(
    "f32x8",
    plain=DYNAMIC,
    same=with_options(DYNAMIC, (1, 5, 6, 4), padding="SAME"),
    batches=ConvF32((2, 4, 5, 8), (7, 1, 1, 8), (2, 4, 5, 7), filter_scales=1),
    by_channel=BY_CHANNEL,
    by_channel_same=with_options(
        BY_CHANNEL, (1, 5, 6, 4), padding="SAME", fused_activation_function="RELU6"
    ),
    groups=ConvF32((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6), filter_scales=6),
    dilated=with_options(BY_CHANNEL, (1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2),
    beyond_24_bits=ConvF32((1, 1, 2, 1100), (9, 1, 1, 1100), (1, 1, 2, 9), filter_scales=9),
    infinite=replace(BY_CHANNEL, size=1e37),
)
F32X8_REJECTED = (
    refused(
        "f32x8_groups",
        ConvF32((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6), filter_scales=1),
        "a scale for each",
    ),
    refused("f32x8_zero_point", replace(DYNAMIC, filter_zero_point=1), "zero points 0"),
)
U8_PLAIN = ConvU8()
U8_CASES = cases(
    "u8",
    plain=U8_PLAIN,
    relu6=with_options(U8_PLAIN, (1, 5, 6, 4), padding="SAME", fused_activation_function="RELU6"),
    groups=ConvU8((2, 5, 6, 4), (6, 3, 3, 2), (2, 3, 4, 6)),
    zero_points_at_ends=replace(U8_PLAIN, x_zero_point=0, filter_zero_point=255),
    other_ends=replace(U8_PLAIN, x_zero_point=255, filter_zero_point=0, least=0),
    unpaired=ConvU8((1, 3, 3, 64), (8, 1, 1, 64), (1, 3, 3, 8), least=0, y_scale=0.9),
    pointwise=ConvU8((1, 3, 5, 7), (5, 1, 1, 7), (1, 3, 5, 5), bias=100),
    wide=ConvU8((1, 4, 4, 32), (3, 3, 3, 32), (1, 2, 2, 3), y_scale=2.0),
    saturates=replace(U8_PLAIN, y_scale=0.003),
    product_of_scales=replace(U8_PLAIN, parting=True),
)
U8_REJECTED = (
    refused("u8_scales", replace(U8_PLAIN, filter_scales=4), "filter must be quantised per tensor"),
    refused("u8_overflow", replace(U8_PLAIN, bias=2**31 - 1), "may overflow 32 bits"),
)
F32_REJECTED = (
    refused("f32_channels", replace(F32_PLAIN, filter=(4, 3, 3, 2)), "do not fit filter"),
    refused("f32_bias", replace(F32_PLAIN, bias=3), "bias has 3 elements instead of 4"),
)
CASES = (*I8_CASES, *I16_CASES, *F32_CASES, *F32X8_CASES, *U8_CASES)


class TestConv2D(OpTests):
    cases, instances = CASES, True
    rejected = (*I8_REJECTED, *I16_REJECTED, *F32_REJECTED, *F32X8_REJECTED, *U8_REJECTED)

    @pytest.mark.slow
    @pytest.mark.system
    @pytest.mark.qemu
    def test_a_core_without_thumb2_equals_the_oracle(self) -> None:
        large = ("pointwise_64", "winograd", "large_", "quads_", "trained", "unpaired_", "sums_")
        fitting = [case for case in I8_CASES if not case.name.startswith(large)]
        op_cases.check_on_board(self.folder, fitting[:: board_cases.EVERY_CASE or 3], "microbit")
