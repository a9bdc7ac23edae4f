"""SeparableConv2D against LiteRT's two operators: geometry, tiles, quantisation and activations."""

from opsmith.op import Refused
from opsmith.op.node import view
from opsmith.testing.known_ops import known_beside
from opsmith.testing.legal import legal
from opsmith.testing.op_cases import ops_of
from opsmith.testing.op_tests import *
from runtimes.families.depthwise_cases import Depthwise
from runtimes.families.separable_cases import Separable, of

PAIR = ["separable_conv_2d"]
APART = ["depthwise_conv_2d", "conv_2d"]


class TestSeparableConv2D(OpTests):
    cases = cases(
        plain=Separable(),
        one_pixel=Separable(Depthwise((1, 1, 1, 4), window=(1, 1)), channels=1),
        stride_2=Separable(Depthwise((1, 7, 6, 8), stride=(2, 2)), channels=9),
        stride_2_valid=Separable(Depthwise((1, 9, 7, 4), stride=(2, 2), padding="VALID")),
        border=Separable(Depthwise((1, 7, 7, 4), stride=(2, 2), padding="VALID"), border=1),
        batches=Separable(Depthwise((3, 5, 3, 8)), channels=5),
        dilated=Separable(Depthwise((1, 8, 9, 4), dilation=(2, 3), padding="VALID")),
        window_5x5=Separable(Depthwise((1, 6, 7, 12), window=(5, 5)), channels=10),
        window_of_columns=Separable(Depthwise((1, 9, 1, 4), window=(9, 1), padding="VALID")),
        relu6_and_relu=Separable(
            Depthwise(activation="RELU6", y_scale=6 / 255, y_zero_point=-128),
            activation="RELU",
            y_zero_point=-128,
        ),
        one_scale=Separable(Depthwise(filter_scales=1), filter_scales=1),
        without_inner_bias=Separable(Depthwise(bias=None)),
        saturating=Separable(Depthwise(y_scale=0.01), y_scale=0.02),
        # Where inner channels end in chunks of 16 and steps of 64, and channels of y in tiles.
        inner_16_to_8=Separable(of(16), channels=8),
        inner_20_to_17=Separable(of(20), channels=17),
        inner_64_to_33=Separable(of(64), channels=33, y_scale=2.0),
        inner_68_to_65=Separable(of(68), channels=65, y_scale=2.0),
        many_pixels=Separable(of(4, 9, 5), channels=7),
        many_channels=Separable(of(4, 2, 2), channels=80),
    )


def test_it_takes_the_place_of_pairs_alone() -> None:
    others = {
        "strided": Separable(stride=2),
        "read_elsewhere": Separable(also_read=True),
    }
    assert ops_of(TestSeparableConv2D.folder, Case("pair", Separable())) == PAIR
    for name, build in others.items():
        assert ops_of(TestSeparableConv2D.folder, Case(name, build)) == APART, name


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (Separable(Depthwise(multiplier=2)), "depthwise channels are not one to one, in fours"),
        (Separable(Depthwise((1, 7, 6, 3))), "depthwise channels are not one to one, in fours"),
        (Separable(of(4096, 1, 1)), "4,096 inner channels are too many to share"),
    ],
)
def test_its_kernel_refuses_what_a_group_cannot_share(build: Separable, reason: str) -> None:
    ops = known_beside(TestSeparableConv2D.folder)
    graph = legal(merged_model([Case("apart", build)]), ops)
    (node,) = graph.nodes
    op = ops.of(graph, node)
    assert op.kernels[0].plan(view(graph, node, op)) == Refused(reason)
