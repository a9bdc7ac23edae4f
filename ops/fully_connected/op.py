"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation."""

from opsmith.op import *
from runtimes.core.per_channel import BIAS, BIAS_TYPE
from runtimes.families.matmul import KEEP_NUM_DIMS, MATMUL, columns, multiplied, or_zeros

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8, I16X8_32
from .u8 import U8

ASYMMETRIC = Attribute("asymmetric_quantize_inputs", bool, default=False)
OP = Op(
    "fully_connected",
    legalize=(Rename("tflite.FULLY_CONNECTED", range(1, 15), FUSED),),
    inputs=(Input("x", "T"), Input("weights", "W", constant=True), BIAS),
    outputs=(Output("y", "T"),),
    attributes=(*CLAMP_ATTRIBUTES, KEEP_NUM_DIMS, ASYMMETRIC, BIAS_TYPE),
    traits={"fuses_activation", "from_nothing"},
    infer=multiplied,
    hooks=Hooks(macs=MATMUL.macs, permutations=Permutations(columns=columns)),
    variants=tuple(map(or_zeros, (I8, I16X8, I16X8_32, F32, F32X8, U8))),
)
