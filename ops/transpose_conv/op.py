"""TransposeConv: every pixel of x adds its products with a filter to the pixels of y around it.

An element of y is a sum over the pixels of x whose filter covers it, in the order of x.

An `output_shape` that is known only at run time is assumed to be the shape that the model stores of
y, if the filters can cover that. TensorFlow Lite Micro also takes that shape, whatever the tensor
holds; LiteRT resizes y, so that other sizes at run time give other outputs.
"""

from opsmith.op import *
from opsmith.runtimes.core.narrow_requantization import BIAS_TYPE
from opsmith.runtimes.families.window import PADDINGS

from .geometry import macs, transposed
from .variants import VARIANTS

OP = Op(
    "transpose_conv",
    legalize=(
        Rename(
            "tflite.TRANSPOSE_CONV",
            versions=range(1, 6),
            attributes={
                "stride_h": "stride_height",
                "stride_w": "stride_width",
                "fused_activation_function": "activation",
            },
        ),
    ),
    inputs=(
        Input("output_shape", i32, constant=True, shape_of="y"),
        Input("filter", "F", constant=True, rank=4),
        Input("x", "T", rank=4),
        Input("bias", "B", constant=True, optional=True, first=True),
    ),
    attributes=(
        Attribute("padding", str, choices=PADDINGS),
        Attribute("stride_height", int),
        Attribute("stride_width", int),
        BIAS_TYPE,
        *CLAMP_ATTRIBUTES,
    ),
    traits={"fuses_activation"},
    infer=transposed,
    hooks=Hooks(macs=macs),
    variants=VARIANTS,
)
