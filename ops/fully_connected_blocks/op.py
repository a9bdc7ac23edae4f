"""FullyConnectedBlocks: rows of float32 times int4 or int2 weights with a scale for each block.

The front end makes this op of a FULLY_CONNECTED whose weights are quantised blockwise. LiteRT's
reference kernel ignores their scales.
"""

from opsmith.op import *
from runtimes.core.block_weights import block_problems
from runtimes.core.notebook import OF_FLOATS, unlike
from runtimes.core.per_channel import BIAS, bias_problems
from runtimes.families.layer_variants import floats
from runtimes.families.matmul import KEEP_NUM_DIMS, MATMUL, multiplied, row_overlap

from .params import LAYER, Params, Tables, params, tables


def check(node: NodeView) -> Iterator[str]:
    """Problems of the scales and the bias."""
    yield from block_problems(node, "weights")
    yield from bias_problems(node)


REFERENCE = Kernel(
    "reference",
    Params,
    every_node(params, tables, row_overlap),
    Tables,
    cost=LAYER.cost(15.2, 20.0),
)
BLOCKS = Variant(
    {"T": f32, "W": i8, "B": f32},
    (REFERENCE,),
    check=check,
    evaluate=partial(floats, LAYER),
    numerics=unlike(OF_FLOATS),
    departs=Departure(
        "weights with a scale for each block",
        "adds nothing to the bias, where it does not fail",
        "products with what the weights stand for",
    ),
    examples=(
        Example.of(
            x=(1, 16),
            weights=ExampleTensor(i8, (5, 16), data=np.arange(80) % 15 - 7),
            scales=np.arange(1, 11).reshape(5, 2) / 8,
            bias=[0.5, -1, 2, 0, 1],
        ),
    ),
)
OP = Op(
    "fully_connected_blocks",
    legalize=(
        Rename(
            "tflite.CUSTOM.OpsmithFullyConnectedBlocks",
            versions=range(1, 15),
            attributes=FUSED,
            options=flexbuffer,
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("weights", "W", constant=True, rank=2),
        Input("scales", f32, constant=True),
        BIAS,
    ),
    attributes=(*CLAMP_ATTRIBUTES, KEEP_NUM_DIMS),
    traits={"fuses_activation"},
    infer=multiplied,
    hooks=Hooks(macs=MATMUL.macs),
    variants=(BLOCKS,),
)
