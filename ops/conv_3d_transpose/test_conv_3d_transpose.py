"""Conv3DTranspose: paddings, strides, activations, and sizes that do not fit."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.volumes_cases import Volume

X, Y, WEIGHTS = (2, 2, 3, 4, 3), (2, 4, 3, 11, 2), (3, 2, 3, 2, 3)
STEPS = (2, 1, 3)
conv = Volume("CONV_3D_TRANSPOSE", transposed=True)


class TestConv3DTranspose(OpTests):
    cases = (
        Case("same", conv(X, WEIGHTS, Y, strides=STEPS)),
        Case("valid", conv(X, WEIGHTS, (2, 5, 4, 12, 2), strides=STEPS, padding="VALID")),
        Case("no_bias", conv(X, WEIGHTS, Y, strides=STEPS, bias=False)),
        Case("steps_of_1", conv(X, WEIGHTS, (2, 2, 3, 4, 2))),
        Case("relu", conv(X, WEIGHTS, Y, strides=STEPS, activation="RELU")),
        Case("relu6", conv(X, WEIGHTS, Y, strides=STEPS, activation="RELU6")),
        Case("one_element", conv((1,) * 5, (1,) * 5, (1,) * 5)),
        Case("computed", conv(X, WEIGHTS, Y, strides=STEPS, computed=True)),
    )
    rejected = (
        refused("rank_4", conv(X[1:], WEIGHTS, Y), "x f32[2x3x4x3] must have 5 dimensions"),
        refused("channels", conv(X, (3, 2, 3, 2, 4), Y), "do not fit [2, 4, 3, 11, 2]"),
        refused("positions", conv(X, WEIGHTS, Y), "the filter has [4, 3, 11] positions"),
        refused("dilated", conv(X, WEIGHTS, Y, dilations=(1, 2, 1)), "dilations are [1, 2, 1]"),
    )
