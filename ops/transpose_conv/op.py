"""TransposeConv: every pixel of x adds its products with a filter to the pixels of y around it.

An element of y is a sum over the pixels of x whose filter covers it, in the order of x.

An `output_shape` known only at run time is assumed to be the stored shape of y, if the filters can
cover that, as in TensorFlow Lite Micro; LiteRT resizes y, so that other sizes give other outputs.
"""

from opsmith.op import *
from runtimes.core.per_channel import BIAS, BIAS_TYPE
from runtimes.families.window import OPTIONS, STRIDES

from .geometry import macs, transposed
from .variants import VARIANTS

OP = Op(
    "transpose_conv",
    legalize=(Rename("tflite.TRANSPOSE_CONV", range(1, 6), OPTIONS),),
    inputs=(
        Input("output_shape", i32, constant=True, shape_of="y"),
        Input("filter", "F", constant=True, rank=4),
        Input("x", "T", rank=4),
        BIAS,
    ),
    attributes=(*STRIDES, BIAS_TYPE, *CLAMP_ATTRIBUTES),
    traits={"fuses_activation"},
    infer=transposed,
    hooks=Hooks(macs=macs),
    variants=VARIANTS,
)
