"""Conv3D: paddings, strides and dilations along each axis, activations, and refused shapes."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.volumes_cases import Volume

X, Y, WEIGHTS = (2, 4, 5, 6, 3), (2, 4, 5, 6, 2), (3, 2, 3, 3, 2)
conv = Volume("CONV_3D")


class TestConv3D(OpTests):
    cases = (
        Case("same", conv(X, WEIGHTS, Y)),
        Case("valid", conv(X, WEIGHTS, (2, 2, 4, 4, 2), padding="VALID")),
        Case("no_bias", conv(X, WEIGHTS, Y, bias=False)),
        Case("steps", conv(X, WEIGHTS, (2, 2, 5, 2, 2), strides=(2, 1, 3))),
        Case("dilated", conv(X, WEIGHTS, Y, dilations=(1, 3, 2))),
        Case(
            "far_taps", conv((1, 2, 2, 2, 1), (3, 3, 3, 1, 1), (1, 2, 2, 2, 1), dilations=(2, 2, 2))
        ),
        Case("relu", conv(X, WEIGHTS, Y, activation="RELU")),
        Case("relu6", conv(X, WEIGHTS, Y, activation="RELU6")),
        Case("one_element", conv((1,) * 5, (1,) * 5, (1,) * 5)),
        Case("computed", conv(X, WEIGHTS, Y, computed=True)),
    )
    rejected = (
        refused("rank_4", conv(X[1:], WEIGHTS, Y), "x f32[4x5x6x3] must have 5 dimensions"),
        refused("channels", conv((2, 4, 5, 6, 4), WEIGHTS, Y), "has 4 channels, weights have 3"),
        refused("large", conv((1, 1, 5, 6, 3), WEIGHTS, Y, padding="VALID"), "does not fit"),
    )
