"""DepthwiseConv2D of all its types against LiteRT: geometry, quantisation and activations."""

from opsmith.testing.op_tests import *
from runtimes.families.depthwise_cases import (
    OF_CHANNELS,
    WINDOWS,
    Depthwise,
    Depthwise16,
    DepthwiseF32,
    DepthwiseU8,
)
from runtimes.families.trained_cases import DEPTHWISES

ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")


def of_constant(m: ModelWriter) -> None:
    """Add a layer of constant inputs, which is folded at build time."""
    rng = np.random.default_rng(3)
    x = m.constant("x", rng.integers(-128, 128, (1, 5, 5, 3), np.int8), 0.5, 1)
    weights = m.constant("filter", rng.integers(-128, 128, (1, 3, 3, 3), np.int8), 0.01)
    y = m.tensor("y", (1, 3, 3, 3), "int8", 0.9, 5)
    strides = {"stride_h": 1, "stride_w": 1}
    m.node("DEPTHWISE_CONV_2D", [x, weights], [y], {"padding": "VALID", **strides})
    m.output(y)


I8_CASES = cases(
    same=Depthwise(),
    valid=Depthwise(padding="VALID"),
    equal_scales=Depthwise(y_scale=0.05, y_zero_point=-3),
    scale_above_one=Depthwise(x_scale=2.0, y_scale=0.01),
    one_filter_scale=Depthwise(filter_scales=1),
    without_bias=Depthwise(bias=None),
    channels_8=Depthwise(x=(1, 5, 5, 8)),
    channels_16=Depthwise(x=(1, 5, 5, 16)),
    channels_tail=Depthwise(x=(1, 5, 5, 19)),
    channels_13_of_samples_4=Depthwise(x=(1, 5, 4, 13), activation="RELU6"),
    channels_12_of_columns=Depthwise(x=(2, 9, 2, 12), y_zero_point=-128, activation="RELU"),
    one_output_of_words=Depthwise(
        x=(2, 7, 3, 12), window=(3, 2), dilation=(3, 1), padding="VALID", stride=(1, 2)
    ),
    one_output_behind_relu=Depthwise(
        (1, 9, 1, 8), (9, 1), padding="VALID", activation="RELU", y_zero_point=-128
    ),
    one_output=Depthwise(x=(1, 16, 1, 21), window=(16, 1), padding="VALID"),
    one_element=Depthwise(x=(1, 1, 1, 1), window=(1, 1)),
    one_pixel=Depthwise(x=(1, 1, 1, 5)),
    batches=Depthwise(x=(3, 4, 5, 2)),
    multiplier_2=Depthwise(multiplier=2),
    multiplier_8_of_one=Depthwise(x=(1, 6, 6, 1), multiplier=8),
    multiplier_16_of_one=Depthwise(
        (1, 24, 10, 1), (10, 4), 16, stride=(2, 2), activation="RELU", y_zero_point=-128
    ),
    multiplier_3_tail=Depthwise(x=(1, 4, 4, 3), multiplier=3, stride=(2, 2)),
    stride_2=Depthwise(x=(1, 9, 8, 4), stride=(2, 2)),
    stride_2_3_valid=Depthwise(x=(1, 9, 8, 4), stride=(2, 3), padding="VALID"),
    stride_above_window=Depthwise(x=(1, 9, 9, 2), window=(2, 2), stride=(4, 3)),
    dilation=Depthwise(x=(1, 9, 8, 4), dilation=(2, 3)),
    dilation_valid=Depthwise(x=(1, 9, 9, 4), dilation=(2, 3), padding="VALID"),
    no_tap_inside=Depthwise(x=(1, 3, 3, 2), window=(2, 2), dilation=(10, 10)),
    window_above_image=Depthwise(x=(1, 3, 2, 4), window=(7, 8)),
    image_of_a_vector=Depthwise(
        x=(1, 3, 3, 20), x_zero_point=-128, y_zero_point=-128, activation="RELU"
    ),
    image_of_two_vectors=Depthwise(x=(2, 4, 4, 13), window=(5, 5), x_zero_point=-128),
    image_of_three_vectors=Depthwise(
        x=(1, 5, 6, 7), window=(5, 5), stride=(2, 2), x_zero_point=-128, activation="RELU6"
    ),
    image_of_dilated_rows=Depthwise(x=(1, 4, 6, 5), dilation=(2, 2), x_zero_point=-128),
    image_of_lowest_weights=Depthwise(x=(1, 3, 3, 9), x_zero_point=-128, filter_value=-128),
    window_15x1_valid=Depthwise(x=(1, 22, 1, 5), window=(15, 1), padding="VALID"),
    window_4x1_of_images=Depthwise(x=(2, 9, 3, 2), window=(4, 1), stride=(1, 2)),
    relu_3x3=Depthwise(activation="RELU", y_zero_point=-128),
    relu_stride_2=Depthwise(x=(1, 9, 8, 4), stride=(2, 2), activation="RELU", y_zero_point=-128),
    relu_stride_2_of_rests=Depthwise(
        x=(2, 7, 13, 3), stride=(2, 2), activation="RELU", y_zero_point=-128
    ),
    relu_of_pairs=Depthwise(
        x=(2, 8, 9, 11), stride=(2, 2), activation="RELU", x_zero_point=5, y_zero_point=-128
    ),
    relu_stride_1_2=Depthwise((1, 4, 5, 60), stride=(1, 2), activation="RELU", y_zero_point=-128),
    relu_stride_3_2=Depthwise((1, 9, 2, 50), stride=(3, 2), activation="RELU", y_zero_point=-128),
    strips_of_stride_2=Depthwise(x=(2, 25, 37, 6), stride=(2, 2), y_scale=0.3),
    relu_5x5=Depthwise(window=(5, 5), activation="RELU", y_zero_point=-128),
    relu=Depthwise(activation="RELU"),
    relu6=Depthwise(activation="RELU6", y_scale=0.03, y_zero_point=-120),
    relu_n1_to_1=Depthwise(activation="RELU_N1_TO_1", y_scale=0.02),
    saturates_high=Depthwise(filter_value=127, x_zero_point=-128, y_scale=0.01),
    saturates_low=Depthwise(filter_value=-128, x_zero_point=-128, y_scale=0.01),
    zero_points_at_ends=Depthwise(x_zero_point=127, y_zero_point=-128),
    large_bias=Depthwise(bias=1_000_000),
    bias_of_27_bits=Depthwise(bias=100_000_000),
    even_rows=Depthwise(x=(2, 8, 8, 9), activation="RELU", y_zero_point=-128),
    tall=Depthwise(x=(1, 25, 5, 12), activation="RELU", y_zero_point=-128),
    wide=Depthwise(x=(1, 4, 43, 8), activation="RELU6", y_zero_point=-100),
    wide_stride_2=Depthwise(x=(1, 6, 41, 8), stride=(2, 2), y_scale=0.3),
    window_2x2=Depthwise(x=(1, 7, 5, 10), window=(2, 2), padding="VALID"),
    window_2x3_stride_1_2=Depthwise(x=(1, 7, 9, 9), window=(2, 3), stride=(1, 2)),
    **(WINDOWS | DEPTHWISES),
    line=Depthwise(x=(1, 28, 1, 17), window=(5, 1), padding="VALID"),
    odd_line=Depthwise(
        x=(2, 15, 1, 7), window=(9, 1), padding="VALID", activation="RELU", y_zero_point=-128
    ),
    line_of_columns=Depthwise(
        x=(1, 1, 19, 9), window=(1, 4), padding="VALID", stride=(1, 2), dilation=(1, 2)
    ),
    line_window_16=Depthwise(x=(1, 30, 1, 8), window=(16, 1), padding="VALID"),
    line_same=Depthwise(x=(1, 21, 1, 8), window=(5, 1)),
    line_to_a_pixel=Depthwise(x=(2, 15, 1, 20), window=(15, 1), padding="VALID"),
    image_to_a_pixel=Depthwise(x=(3, 5, 5, 16), window=(5, 5), padding="VALID"),
    pixel_with_border=Depthwise(x=(2, 2, 2, 33), window=(4, 5), stride=(2, 2)),
    of_constant=of_constant,
    window_6x6=Depthwise(
        x=(2, 7, 9, 6), window=(6, 6), stride=(1, 2), activation="RELU6", y_scale=0.03
    ),
    window_7x7=Depthwise(x=(1, 8, 9, 11), window=(7, 7), padding="VALID", y_scale=0.5),
    # a last output by itself, far from the border
    window_5x5=Depthwise(x=(1, 9, 9, 3), window=(5, 5), padding="VALID"),
    window_5x5_of_every_other=Depthwise(
        x=(1, 9, 13, 3), window=(5, 5), stride=(1, 2), padding="VALID"
    ),
)
# Of layers whose outputs fit where their inputs were: rows and lines, with the borders of blocks.
I8_REJECTED = (
    refused("stride_0", Depthwise(stride=(0, 1)), "must be positive"),
    refused("dilation_0", Depthwise(dilation=(1, 0)), "must be positive"),
    refused("does_not_fit", Depthwise(window=(8, 1), padding="VALID"), "does not fit"),
    refused("dilated_too_far", Depthwise(dilation=(1 << 30, 1)), "does not fit"),
    refused(
        "dilated_without_taps",
        Depthwise(window=(1, 1), padding="VALID", dilation=(1, 2**31 - 1)),
        "dilation 2147483647 is more than 4096 pixels",
    ),
    refused("stride_without_windows", Depthwise(stride=(1, 4097)), "stride 4097 or"),
    refused("rank_3", Depthwise(filter_rank=3, filter_axis=2), "must have 4 dimensions"),
    refused("channels", Depthwise(filter_channels=6), "no multiple"),
    refused("axis", Depthwise(window=(4, 3), filter_axis=1), "along axis 3"),
    refused("filter_zero_point", Depthwise(filter_zero_point=1), "zero points 0"),
    refused("bias_elements", Depthwise(bias_elements=3), "bias has 3 elements"),
    refused("bias_too_large", Depthwise(bias=2**31 - 1), "may overflow 32 bits"),
    refused("scale_too_large", Depthwise(x_scale=1e30, y_scale=1e-10), "too large"),
    refused("unquantised", Depthwise(x_scale=()), "x must be quantised per tensor"),
)

I16_ONE = Depthwise16(x=(1, 1, 1, 1), window=(1, 1))
I16_TIES = replace(I16_ONE, x_scale=0.5, filter_scale=0.5, y_scale=0.5, filter_value=1, bias=1)
# Sums as near to 32 bits as they get.
I16_FULL = Depthwise16(
    x=(1, 21, 24, 4),
    window=(21, 24),
    padding="VALID",
    filter_scale=0.001,
    y_scale=0.07,
    filter_value=-128,
    bias=4_000_000,
)
I16_CASES = cases(
    "i16",
    same=Depthwise16(),
    valid=Depthwise16(padding="VALID"),
    one_scale=Depthwise16(one_scale=True),
    without_bias=Depthwise16(bias=None),
    **{f"{name.lower()}": Depthwise16(activation=name) for name in ACTIVATIONS},
    channels_8=Depthwise16(x=(1, 5, 5, 8)),
    multipliers_above_half=Depthwise16(x=(2, 5, 4, 7), y_scale=1e-5),
    channels_16=Depthwise16(x=(1, 4, 5, 16)),
    channels_tail=Depthwise16(x=(1, 4, 3, 19)),
    one_element=I16_ONE,
    one_pixel=Depthwise16(x=(1, 1, 1, 5)),
    batches=Depthwise16(x=(3, 4, 5, 9)),
    channels_32_of_3x3=Depthwise16(x=(1, 3, 3, 32), one_scale=True, bias=None, activation="RELU6"),
    multiplier_2=Depthwise16(multiplier=2),
    multiplier_3_above_half=Depthwise16(x=(2, 5, 4, 3), multiplier=3, y_scale=1e-5),
    multiplier_8_of_one=Depthwise16(x=(1, 6, 6, 1), multiplier=8),
    stride_2=Depthwise16(x=(1, 9, 8, 4), stride=(2, 2)),
    stride_2_3_valid=Depthwise16(x=(1, 9, 8, 11), stride=(2, 3), padding="VALID"),
    stride_above_window=Depthwise16(x=(1, 9, 9, 2), window=(2, 2), stride=(4, 3)),
    dilation=Depthwise16(x=(1, 9, 8, 13), dilation=(2, 3)),
    dilation_valid=Depthwise16(x=(1, 9, 9, 4), dilation=(2, 3), padding="VALID"),
    no_tap_inside=Depthwise16(x=(1, 3, 3, 2), window=(2, 2), dilation=(10, 10)),
    window_above_image=Depthwise16(x=(1, 3, 2, 4), window=(7, 8)),
    window_10x4=Depthwise16(x=(1, 25, 5, 3), window=(10, 4), stride=(2, 2)),
    window_1x5=Depthwise16(window=(1, 5)),
    dead_channels=Depthwise16(filter_value=0, filter_scale=1e-9, bias=2**33),
    all_of_32_bits=I16_FULL,
    ties=I16_TIES,
    greatest_multiplier=Depthwise16(x_scale=0.5, filter_scale=1.9999995, y_scale=500.0),
    large_bias=Depthwise16(y_scale=40.0, x_scale=0.001, filter_scale=0.001, bias=2**40),
    saturates=Depthwise16(filter_value=127, y_scale=0.0001),
    saturates_below=Depthwise16(filter_value=-128, y_scale=0.0001),
)
I16_REJECTED = (
    refused(
        "i16_int32_bias",
        Depthwise16(bias_type="int32"),
        "bias int32, y int16 do not go together",
        "MDL012",
    ),
    refused("i16_bias", Depthwise16(bias_elements=3), "bias has 3 elements instead of 4"),
    refused("i16_zero_point", Depthwise16(x_zero_point=1), "x must have zero point 0"),
    refused("i16_bias_too_large", Depthwise16(bias=2**47), "may overflow 48 bits"),
    refused("i16_scale", Depthwise16(x_scale=100.0), "must be below 128"),
    refused("i16_scaled", Depthwise16(x_scale=1.0, bias=2**40), "may overflow 32 bits"),
)

F32_PLAIN = DepthwiseF32()
SAME, HALF, ACROSS = {"padding": "SAME"}, {"stride_h": 2, "stride_w": 2}, {"dilation_w_factor": 3}
RELU, RELU6 = ({"fused_activation_function": each} for each in ("RELU", "RELU6"))


def with_options(y: tuple[int, ...], **options: int | str) -> DepthwiseF32:
    return replace(F32_PLAIN, y=y, options=options)


F32_CASES = cases(
    "f32",
    plain=F32_PLAIN,
    **{f"{a.lower()}": with_options(F32_PLAIN.y, fused_activation_function=a) for a in ACTIVATIONS},
    same=with_options((1, 5, 6, 4), padding="SAME"),
    strides=with_options((1, 3, 3, 4), padding="SAME", stride_h=2, stride_w=2),
    dilated=with_options((1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2),
    multiplier=DepthwiseF32((2, 4, 5, 3), (1, 2, 3, 6), (2, 3, 3, 6)),
    one_element=DepthwiseF32((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    two_filters=DepthwiseF32((2, 4, 5, 5), (1, 2, 3, 10), (2, 4, 5, 10), SAME | RELU6),
    two_filters_strided=DepthwiseF32((1, 5, 7, 8), (1, 3, 1, 16), (1, 3, 4, 16), SAME | HALF),
    four_filters=DepthwiseF32((1, 4, 6, 3), (1, 3, 3, 12), (1, 4, 6, 12), SAME | RELU),
    lines=DepthwiseF32((1, 1, 19, 9), (1, 1, 3, 9), (1, 1, 19, 9), SAME | RELU | ACROSS),
    no_bias=replace(F32_PLAIN, bias=0),
    large=replace(F32_PLAIN, size=1e30),
    **OF_CHANNELS,
)
F32_REJECTED = (
    refused("f32_channels", replace(F32_PLAIN, filter=(1, 3, 3, 6)), "are no multiple of those"),
    refused("f32_bias", replace(F32_PLAIN, bias=3), "bias has 3 elements instead of 4"),
)
DYNAMIC = replace(F32_PLAIN, filter_scales=4)
F32X8_CASES = cases(
    "f32x8",
    plain=DYNAMIC,
    same=replace(DYNAMIC, y=(1, 5, 6, 4), options={"padding": "SAME"}),
    multiplier=DepthwiseF32((2, 4, 5, 3), (1, 2, 3, 6), (2, 3, 3, 6), filter_scales=6),
    one_element=DepthwiseF32((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), filter_scales=1),
    no_bias=replace(DYNAMIC, bias=0),
    halved=DepthwiseF32(
        (1, 7, 6, 3),
        (1, 3, 3, 3),
        (1, 4, 3, 3),
        {"padding": "SAME", "stride_h": 2, "stride_w": 2, "fused_activation_function": "RELU"},
        filter_scales=3,
    ),
)
F32X8_REJECTED = (
    refused("f32x8_scales", replace(DYNAMIC, filter_scales=1), "must have 4 scales"),
    refused("f32x8_zero_point", replace(DYNAMIC, filter_zero_point=1), "zero points 0"),
)
U8_PLAIN = DepthwiseU8()
U8_CASES = cases(
    "u8",
    plain=U8_PLAIN,
    relu=replace(
        U8_PLAIN,
        y=(1, 5, 6, 4),
        options={"padding": "SAME", "fused_activation_function": "RELU"},
    ),
    multiplier=DepthwiseU8((2, 4, 5, 3), (1, 2, 3, 6), (2, 3, 3, 6)),
    multiplier_8=DepthwiseU8(
        (1, 9, 5, 1), (1, 4, 3, 8), (1, 9, 5, 8), {"padding": "SAME"}, y_scale=3.0
    ),
    zero_points_at_ends=replace(U8_PLAIN, x_zero_point=255, filter_zero_point=0),
    product_of_scales=replace(U8_PLAIN, parting=True),
    odd_planes=DepthwiseU8((2, 5, 7, 5), (1, 3, 3, 5), (2, 3, 5, 5), x_zero_point=3),
    strides=DepthwiseU8(
        (1, 6, 9, 3),
        (1, 3, 3, 3),
        (1, 2, 4, 3),
        y_scale=0.4,
        least=0,
        options={"stride_h": 2, "stride_w": 2, "fused_activation_function": "RELU6"},
    ),
    channels=DepthwiseU8((2, 4, 5, 11), (1, 3, 2, 11), (2, 2, 4, 11), y_scale=3.0, least=0),
    weights_below=DepthwiseU8(
        (1, 6, 5, 13), (1, 3, 3, 13), (1, 4, 3, 13), x_zero_point=255, filter_zero_point=255
    ),
    weights_of_bytes=DepthwiseU8(
        (1, 9, 4, 8), (1, 4, 1, 8), (1, 6, 4, 8), filter_zero_point=140, least=12
    ),
    dilated=DepthwiseU8(
        (1, 8, 7, 11), (1, 3, 2, 11), (1, 4, 6, 11), options={"dilation_h_factor": 2}
    ),
)
U8_REJECTED = (
    refused("u8_scales", replace(U8_PLAIN, filter_scales=4), "filter must be quantised per tensor"),
)
CASES = (*I8_CASES, *I16_CASES, *F32_CASES, *F32X8_CASES, *U8_CASES)


class TestDepthwiseConv2d(OpTests):
    cases, instances = CASES, True
    rejected = (*I8_REJECTED, *I16_REJECTED, *F32_REJECTED, *F32X8_REJECTED, *U8_REJECTED)
