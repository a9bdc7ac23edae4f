"""LSTM over a sequence: gates of the input and of the previous output update a state of cells.

Both states are variable tensors of the model: a sequence goes on where the last one ended.
"""

from opsmith.op import *

from .cell import BIASES, NORMS, PEEPHOLES, RECURRENT, SIZES, WEIGHTS, macs, operand_problems
from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8

# The constants in TFLite. Those of the input gate are optional, so here they follow the others.
SOURCES = (2, 3, 4, 6, 7, 8, 13, 14, 15, 1, 5, 12, 9, 10, 11, 20, 21, 22, 23, 16, 17)


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with the cells along its last axis."""
    x, forget = node["x"], node["forget_weights"]
    cells, batches = forget.shape[0], SIZES["batches"](node)
    wanted = {
        **dict.fromkeys(WEIGHTS, (cells, x.shape[2])),
        **dict.fromkeys(RECURRENT, (cells, cells)),
        **dict.fromkeys(BIASES, (cells,)),
    }
    for name, shape in wanted.items():
        tensor = node.get(name)
        if tensor is not None and tensor.shape != shape:
            raise OpError(f"{name} {tensor.type} is not {'x'.join(map(str, shape))}")
    for name in ("output_state", "cell_state"):
        if node[name].elements != batches * cells:
            raise OpError(f"{name} {node[name].type} has not {batches * cells} elements")
    return [TensorType(x.dtype, (*x.shape[:2], cells))]


OP = Op(
    "unidirectional_sequence_lstm",
    legalize=(
        Rename(
            "tflite.UNIDIRECTIONAL_SEQUENCE_LSTM",
            versions=range(1, 5),
            inputs=(0, 18, 19, *SOURCES),
            attributes=FUSED,
            ignore=("proj_clip",),  # of a projection, which is refused
        ),
    ),
    inputs=(
        Input("x", "T", rank=3),
        Input("output_state", "T", state=True),
        Input("cell_state", "C", state=True),
        *(Input(name, "W", constant=True, rank=2) for name in (*WEIGHTS[1:], *RECURRENT[1:])),
        *(Input(name, "B", constant=True) for name in BIASES[1:]),
        *(Input(names[0], "W", constant=True, optional=True) for names in (WEIGHTS, RECURRENT)),
        Input(BIASES[0], "B", constant=True, optional=True),
        *(Input(name, "C", constant=True, optional=True) for name in (*PEEPHOLES, *NORMS)),
        Input("projection_weights", "W", constant=True, optional=True),
        Input("projection_bias", "B", constant=True, optional=True),
    ),
    attributes=(
        Attribute("activation", str, default="TANH"),
        Attribute("cell_clip", float, default=0.0),
        Attribute("time_major", bool, default=False),
        Attribute("asymmetric_quantize_inputs", bool, default=False),  # of float32 by int8
        Attribute("intermediate_scales", ListOf(float), default=()),
        Attribute("intermediate_zero_points", ListOf(int), default=()),
    ),
    infer=infer,
    check=operand_problems,
    hooks=Hooks(macs=macs),
    variants=(I8, I16X8, F32, F32X8),
)
