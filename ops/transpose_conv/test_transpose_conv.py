"""TransposeConv at all its types: geometry, quantisation, activations and biases."""

from opsmith.testing.op_tests import *
from runtimes.families.convolution_cases import TransposeConv

U8 = TransposeConv(x_type="uint8", filter_type="uint8")
I16 = TransposeConv(x_type="int16", bias_type="int64")
I16_BY_32 = replace(I16, bias_type="int32", said="INT32")
F32 = TransposeConv(x_type="float32", filter_type="float32", bias_type="float32")
F32X8 = replace(F32, filter_type="int8")


def given_shape(m: ModelWriter) -> None:
    """Add a node whose output_shape is known only at run time; its stored shape takes 5 filters."""
    x, shape = m.input("x", (1, 3, 4, 2)), m.input("o", (4,), "int32")
    w, y = m.constant("w", np.ones((3, 3, 3, 2), np.int8)), m.tensor("y", (1, 9, 8, 3))
    m.node("TRANSPOSE_CONV", [shape, w, x], [y], {"stride_h": 2, "stride_w": 2})
    m.output(y)


class TestTransposeConv(OpTests):
    instances = True
    cases = cases(
        plain=TransposeConv(),
        valid=TransposeConv(y=(1, 7, 9, 3), padding="VALID"),
        valid_larger=TransposeConv(y=(1, 8, 10, 3), padding="VALID"),
        no_bias=TransposeConv(bias=None),
        no_bias_unpaired=TransposeConv((1, 2, 3, 24), (6, 3, 3, 24), (1, 4, 6, 6), bias=None),
        per_channel=TransposeConv(scales=3, bias=400),
        stride_1=TransposeConv(y=(1, 3, 4, 3), strides=(1, 1)),
        batches=TransposeConv((2, 2, 2, 5), (2, 2, 4, 5), (2, 6, 3, 2), strides=(3, 2)),
        sparse=TransposeConv((1, 2, 3, 2), (2, 1, 2, 2), (1, 4, 12, 2), strides=(2, 4)),
        no_taps=TransposeConv((1, 2, 3, 4), (5, 2, 3, 4), (1, 5, 14, 5), "VALID", (2, 4)),
        phases_larger=TransposeConv((1, 3, 4, 4), (3, 2, 3, 4), (1, 7, 14, 3), "VALID", (2, 3)),
        strips=TransposeConv((1, 1, 40, 64), (2, 1, 2, 64), (1, 1, 80, 2), strides=(1, 2)),
        tiles=TransposeConv((2, 3, 5, 9), (1, 2, 2, 9), (2, 6, 10, 1)),
        tiles_larger=TransposeConv((1, 2, 3, 4), (3, 4, 2, 4), (1, 6, 6, 3), "VALID", scales=3),
        tile_rows=TransposeConv((1, 3, 4, 5), (3, 2, 3, 5), (1, 6, 9, 3), "VALID", y_scale=4e-4),
        tile_columns=TransposeConv((1, 5, 1, 2), (5, 1, 3, 2), (1, 5, 3, 5), strides=(1, 3)),
        one_element=TransposeConv((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), strides=(1, 1)),
        relu6=TransposeConv(activation="RELU6", y_scale=0.05),
        saturates=TransposeConv(y_scale=0.001),
        round_once=TransposeConv(scales=3, y_scale=0.0004),
        round_once_unpaired=TransposeConv((1, 3, 4, 9), (4, 3, 3, 9), (1, 6, 8, 4), y_scale=2e-4),
        u8=U8,
        u8_no_bias=replace(U8, bias=None),
        u8_round_once=replace(U8, bias=None, y_scale=2e-4),
        u8_product_of_scales=replace(U8, parting=True),
        u8_phases=replace(
            U8, x=(2, 2, 3, 5), filter=(5, 2, 3, 5), y=(2, 6, 9, 5), strides=(3, 3), y_scale=0.02
        ),
        u8_tiles=replace(U8, x=(2, 3, 3, 6), filter=(1, 3, 2, 6), y=(2, 9, 6, 1), strides=(3, 2)),
        u8_no_taps=replace(
            U8,
            x=(1, 2, 3, 4),
            filter=(5, 2, 3, 4),
            y=(1, 5, 14, 5),
            padding="VALID",
            strides=(2, 4),
            activation="RELU",
        ),
        u8_strips=replace(
            U8, x=(1, 1, 40, 64), filter=(2, 1, 2, 64), y=(1, 1, 80, 2), strides=(1, 2), y_scale=0.9
        ),
        i16=replace(I16, scales=3),
        i16_wide=replace(I16, x=(1, 3, 4, 9), filter=(3, 3, 3, 9), y_scale=2e-4),
        i16_relu=replace(I16, bias=None, activation="RELU"),
        i16_batches=replace(
            I16, x=(2, 2, 3, 5), filter=(5, 2, 3, 5), y=(2, 6, 9, 5), strides=(3, 3)
        ),
        i16_no_taps=replace(
            I16,
            x=(1, 2, 3, 4),
            filter=(5, 2, 3, 4),
            y=(1, 5, 14, 5),
            padding="VALID",
            strides=(2, 4),
        ),
        i16_int32=I16_BY_32,
        i16_int32_without=replace(I16_BY_32, bias=None, y_scale=0.0005),
        i16_int32_wraps=replace(I16_BY_32, bias=2**31 - 1),
        f32=F32,
        f32x8=F32X8,
        f32x8_per_channel=replace(F32X8, x=(2, 3, 4, 2), y=(2, 6, 8, 3), scales=3),
        f32_valid=replace(F32, y=(1, 7, 9, 3), padding="VALID", activation="RELU"),
        f32_wide=replace(F32, x=(2, 3, 9, 6), filter=(5, 3, 3, 6), y=(2, 6, 18, 5)),
        f32_no_taps=replace(
            F32,
            x=(1, 2, 7, 4),
            filter=(6, 2, 3, 4),
            y=(1, 5, 29, 6),
            padding="VALID",
            strides=(3, 4),
        ),
    )
    rejected = (
        refused("unknown", given_shape, "'output_shape' must be a constant, but 'unknown/o' is an"),
        refused("rank", TransposeConv((1, 4, 2), y=(1, 6, 8, 3)), "must have 4 dimensions"),
        refused("channels", TransposeConv((1, 3, 4, 3)), "do not fit filter"),
        refused("shape", TransposeConv(y=(1, 6, 8, 4)), "is 1x6x8x4, not 1xHxWx3"),
        refused("size", TransposeConv(y=(1, 9, 8, 3)), "a height of 9 takes 5 filters, not 3"),
        refused("stride", TransposeConv(strides=(0, 2)), "must be positive"),
        refused("bias", TransposeConv(bias_size=2), "bias has 2 elements instead of 3"),
        refused("overflow", TransposeConv(bias=2**31 - 1), "may overflow 32 bits"),
        refused("u8_scales", replace(U8, scales=3), "per tensor"),
        refused("f32x8_zero_point", replace(F32X8, filter_zero_point=1), "zero points 0"),
        refused("bias_type", replace(I16_BY_32, said="FLOAT32"), "is FLOAT32, but bias is int32"),
        refused("wide_bias", replace(I16, said="INT32"), "is INT32, but bias is int64"),
    )
