"""CONV_2D nodes for tests whose pixels need one or two vectors of inputs, as in mve_held.h."""

from opsmith.runtimes.families.convolution_cases import Conv

SAME = {"padding": "SAME"}
RELU = SAME | {"fused_activation_function": "RELU"}
# Fours and 0 to 3 pixels more, pairs and one more; even and odd channels, some that four do not
# divide; inputs that fill vectors, and not; rows in groups; windows, strides and several images; y
# that is larger than x, so that the walk is backward. The last is left to mve.h.
HELD = {
    f"held_of_{inputs}_to_{channels}": Conv(
        (batches, rows * stride, width * stride, inputs),
        (channels, window, window, inputs),
        (batches, rows, width, channels),
        (RELU if zero_point == -128 else SAME) | {"stride_h": stride, "stride_w": stride},
        filter_scale=(0.004,),
        y_zero_point=zero_point,
    )
    for batches, rows, width, inputs, window, stride, channels, zero_point in (
        (1, 1, 9, 16, 1, 1, 2, 4),
        (2, 3, 5, 8, 1, 1, 5, -128),
        (1, 2, 20, 13, 1, 1, 13, -128),
        (1, 3, 7, 4, 2, 1, 3, -9),
        (2, 2, 3, 1, 3, 2, 6, -128),
        (1, 1, 9, 32, 1, 1, 4, 4),
        (2, 3, 5, 24, 1, 1, 27, -128),
        (1, 7, 9, 20, 1, 1, 9, 5),
        (1, 3, 7, 3, 3, 2, 6, -128),
    )
} | {
    "held_and_clamped": Conv(
        (1, 3, 5, 16),
        (9, 1, 1, 16),
        (1, 3, 5, 9),
        {"fused_activation_function": "RELU_N1_TO_1"},
        y_scale=0.01,
    )
}
