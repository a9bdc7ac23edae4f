"""FullyConnected whose weights or bias are computed at run time, or whose weights are int16."""

from opsmith.op import *
from runtimes.core.per_channel import BIAS_TYPE
from runtimes.families.matmul import KEEP_NUM_DIMS, MATMUL, multiplied

from .floats import FLOATS
from .integers import of_bytes
from .narrow import of_halfwords

OP = Op(
    name="fully_connected_runtime",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 15),
            attributes=FUSED,
            ignore=("asymmetric_quantize_inputs",),
            extends="fully_connected",
        ),
    ),
    inputs=(Input("x", "T"), Input("weights", "T"), Input("bias", "B", optional=True, first=True)),
    attributes=(*CLAMP_ATTRIBUTES, KEEP_NUM_DIMS, BIAS_TYPE),
    traits={"fuses_activation"},
    infer=multiplied,
    hooks=Hooks(macs=MATMUL.macs),
    variants=(of_bytes(i8), of_bytes(u8), of_halfwords(i64), of_halfwords(i32), FLOATS),
)
