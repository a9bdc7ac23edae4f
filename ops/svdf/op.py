"""SVDF: a fully connected layer over the last inputs, as filters of features and filters of time.

Each filter multiplies x with its features and appends the result to its memory, a row of the state,
which moves up by one. A unit of y is the sum of as many filters as `rank` says, each the product of
its memory with its weights over time. LiteRT has no activation for int8; y only saturates. A state
of int8 is TensorFlow Lite Micro's, and may have a zero point, which it begins with.
"""

from opsmith.op import *

from .f32 import F32
from .f32x8 import F32X8
from .integers import ByteTables, Tables, integers
from .params import macs


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: [batches, filters / rank]."""
    x, features, time, state = (node[name] for name in ("x", "features", "time", "state"))
    (filters, depth), rank = features.shape, node.attributes["rank"]
    if x.shape[1] != depth:
        raise OpError(f"the rows of x {x.type} do not fit features {features.type}")
    if rank < 1 or filters % rank:
        raise OpError(f"{filters} filters are no multiple of rank {rank}")
    if time.shape[0] != filters:
        raise OpError(f"time {time.type} has other filters than features {features.type}")
    if state.shape != (x.shape[0], time.elements):
        raise OpError(f"state {state.type} is not {x.shape[0]}x{time.elements}")
    return [TensorType(x.dtype, (x.shape[0], filters // rank))]


BYTE_STATE = replace(
    integers(i8, ByteTables),
    departs=Departure(
        "a state of int8", "reads it as int16", "what it is, as in TensorFlow Lite Micro"
    ),
)
OP = Op(
    "svdf",
    legalize=(
        Rename("tflite.SVDF", versions=range(1, 5), attributes=FUSED, inputs=(0, 1, 2, 4, 3)),
    ),
    inputs=(
        Input("x", "T", rank=2),
        Input("features", "F", constant=True, rank=2),
        Input("time", "W", constant=True, rank=2),
        Input("state", "S", state=True, rank=2),
        Input("bias", "B", constant=True, optional=True),
    ),
    attributes=(
        Attribute("rank", int),
        Attribute("activation", str, default="NONE"),
        Attribute("asymmetric_quantize_inputs", bool, default=False),
    ),
    infer=infer,
    hooks=Hooks(macs=macs),
    variants=(integers(i16, Tables), BYTE_STATE, F32, F32X8),
)
