"""Layers of int8 with weights that fit in no pair of channels: -128 beside a negative weight."""

from dataclasses import replace

from runtimes.families.convolution_cases import Conv
from runtimes.families.trained_cases import RELU, SAME, TrainedConv, TrainedMatMul

WEIGHTS = (-128, -128, -1, 127, -128)  # each comes at each place of a word
LONG = Conv((1, 3, 3, 60), (3, 3, 3, 60), (1, 1, 1, 3), filter_scale=(1e-4,) * 3)
CONVOLUTIONS = {
    **{
        f"unpaired_{name}": replace(case, weights=WEIGHTS)
        for name, case in {
            "pixels": Conv((1, 3, 5, 16), (9, 1, 1, 16), (1, 3, 5, 9)),
            "even": Conv((1, 3, 3, 12), (8, 1, 1, 12), (1, 3, 3, 8), RELU, y_zero_point=-128),
            "odd": Conv((1, 3, 3, 28), (7, 1, 1, 28), (1, 3, 3, 7), RELU, y_zero_point=-128),
            "bounds": Conv((1, 3, 3, 12), (8, 1, 1, 12), (1, 3, 3, 8), RELU),
            "window": Conv((1, 5, 6, 8), (12, 3, 3, 8), (1, 5, 6, 12), SAME),
            "groups": Conv((1, 5, 5, 16), (12, 3, 3, 4), (1, 3, 3, 12)),
            "row": Conv((3, 1, 1, 24), (11, 1, 1, 24), (3, 1, 1, 11)),
            "long": LONG,
        }.items()
    },
    "pairs_beyond_16_bits": Conv((1, 3, 5, 16), (9, 1, 1, 16), (1, 3, 5, 9), weights=(-128, -128)),
    "unpaired_trained": TrainedConv((1, 3, 5, 20), (7, 1, 1, 20), (1, 3, 5, 7), lowest=True),
    "unpaired_trained_relu": TrainedConv(
        (1, 4, 5, 8), (12, 1, 1, 8), (1, 4, 5, 12), RELU, y_zero_point=-128, lowest=True
    ),
    "unpaired_trained_groups": TrainedConv((1, 4, 4, 8), (12, 3, 3, 4), (1, 2, 2, 12), lowest=True),
    "unpaired_trained_window": TrainedConv(
        (1, 4, 4, 8), (7, 3, 3, 8), (1, 4, 4, 7), SAME, lowest=True
    ),
    "unpaired_trained_to_a_pixel": TrainedConv(
        (1, 4, 4, 32), (16, 4, 4, 32), (1, 1, 1, 16), lowest=True
    ),
}
MATMULS = {
    "unpaired": TrainedMatMul((3, 64), 12, same=0.003, lowest=True),
    "unpaired_trained": TrainedMatMul((3, 64), 12, lowest=True),
    "unpaired_rows": TrainedMatMul((6, 64), 24, large=20, lowest=True),
    "unpaired_rows_odd": TrainedMatMul(
        (4, 30), 25, activation="RELU", y_zero_point=-90, large=24, lowest=True
    ),
    "unpaired_rows_alike": TrainedMatMul((5, 30), 25, same=0.003, lowest=True),
    "unpaired_long": TrainedMatMul((1, 1200), 10, same=0.9, lowest=True),
}
