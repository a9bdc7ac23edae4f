"""CONV_2D nodes for tests whose neighbouring outputs share columns, or reach beyond the image."""

from runtimes.families.convolution_cases import Conv

SAME = {"padding": "SAME"}
# Quads and 1 to 3 outputs more, none more, and each number of vectors at which the loop may be
# entered.
LINES = {
    f"quads_of_{taps}_taps": Conv(
        (1, 2, width, inputs),
        (channels, height, taps, inputs),
        (1, 2, width, channels),
        SAME | {"fused_activation_function": activation},
        filter_scale=(0.002,),
        y_zero_point=zero_point,
    )
    for taps, width, height, inputs, channels, activation, zero_point in (
        (3, 5, 3, 16, 4, "RELU", -128),
        (5, 6, 1, 32, 2, "NONE", 4),
        (7, 7, 2, 16, 18, "RELU", -128),
        (9, 8, 1, 48, 2, "NONE", -9),
    )
}
# All phases of a dilated row, and one at a time; rows in groups; y that is larger than x, so that
# the walk is backward; strides down, and several images.
QUADS = {
    **LINES,
    **{
        f"quads_of_{inputs}_inputs": Conv(
            (1, 1, 6, inputs), (2, 1, 3, inputs), (1, 1, 4, 2), filter_scale=(0.002,)
        )
        for inputs in (64, 80)
    },
    "quads_forward": Conv((1, 4, 8, 32), (16, 3, 3, 32), (1, 4, 8, 16), SAME),
    "quads_backward": Conv(
        (2, 4, 8, 16),
        (24, 3, 3, 16),
        (2, 4, 8, 24),
        SAME | {"fused_activation_function": "RELU"},
        y_zero_point=-128,
    ),
    "quads_of_batches": Conv(
        (2, 7, 7, 16),
        (4, 3, 3, 16),
        (2, 3, 5, 4),
        {"stride_h": 2, "fused_activation_function": "RELU6"},
    ),
    "quads_of_phases": Conv(
        (1, 3, 11, 16), (18, 2, 5, 16), (1, 3, 11, 18), SAME | {"dilation_w_factor": 2}
    ),
    "quads_of_groups": Conv((1, 2, 38, 32), (2, 2, 3, 32), (1, 2, 38, 2), SAME),
    "quads_of_single_phases": Conv(
        (1, 3, 50, 16), (2, 2, 9, 16), (1, 3, 50, 2), SAME | {"dilation_w_factor": 3}
    ),
}

OF_LINES = {
    # Taps beyond the image, of groups of pixels that are full and not, of all taps, and extremes.
    "dilated_line": Conv(
        (2, 11, 1, 8), (5, 9, 1, 8), (2, 11, 1, 5), SAME | {"dilation_h_factor": 4}
    ),
    "no_tap_inside": Conv(
        (1, 6, 1, 4),
        (2, 2, 1, 4),
        (1, 6, 1, 2),
        SAME | {"dilation_h_factor": 8},
        x_zero_point=127,
    ),
    "most_less_their_zero_point": Conv(
        (1, 3, 5, 12),
        (4, 3, 3, 12),
        (1, 3, 5, 4),
        SAME | {"fused_activation_function": "RELU"},
        x_zero_point=-128,
        y_zero_point=-128,
        weights=(127, -127, 127),
    ),
    # Nine taps of a line; groups of pixels that are full and not, and units of channels.
    "large_line": Conv(
        (1, 16, 1, 8), (2, 9, 1, 8), (1, 8, 1, 2), x_zero_point=-128, weights=(127, -127, 127)
    ),
    "large_line_strided": Conv(
        (1, 13, 1, 12),
        (6, 9, 1, 12),
        (1, 7, 1, 6),
        SAME | {"stride_h": 2, "fused_activation_function": "RELU"},
        y_zero_point=-128,
    ),
    "large_line_dilated_by_2": Conv(
        (1, 1, 10, 36),
        (4, 1, 9, 36),
        (1, 1, 10, 4),
        SAME | {"dilation_w_factor": 2, "fused_activation_function": "RELU6"},
    ),
}
