"""Convolutions as ops: an image, a filter and a bias, with a fused activation."""

from opsmith.op import *
from runtimes.families.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    FILTER,
    filtered_size,
)


def filtered(
    name: str,
    source: Rename,
    channels: Callable[[NodeView], int],
    macs: Callable[[NodeView], int],
    variants: tuple[Variant, ...],
    attributes: tuple[Attribute, ...] = (),
    **bias: Any,
) -> Op:
    """Convolution op of NHWC images; `channels` gives the number of y's channels.

    `attributes` are further ones, `bias` further fields of the bias input.
    """

    def infer(node: NodeView) -> Sequence[TensorType]:
        x, of_y = node["x"], channels(node)
        return [TensorType(x.dtype, (x.shape[0], *filtered_size(node), of_y))]

    return Op(
        name,
        legalize=(replace(source, attributes=CONVOLUTION_OPTIONS),),
        inputs=(
            Input("x", "T", rank=4),
            Input("filter", "F", constant=True, rank=4),
            Input("bias", "B", constant=True, **bias),
        ),
        attributes=(*CONVOLUTION_ATTRIBUTES, *attributes),
        traits={"fuses_activation"},
        infer=infer,
        hooks=Hooks(macs=macs) | FILTER,
        variants=variants,
    )
