"""Kernels of layer.cl for float32 inputs and int8 weights."""

from opsmith.op import *
from runtimes.families.dynamic_range import weight_scales
from runtimes.gpu.layer_kernels import dynamic_kernel, vector_kernel, weights_of


def dynamic(variant: Variant) -> Kernel:
    """Kernel that quantises x as LiteRT does for the variant."""
    assert variant.kind is not None
    layer, way = variant.kind.facts["layer"], variant.kind.facts["dynamic"]

    def scale(node: NodeView) -> NDArray[np.float32]:
        return weight_scales(node[layer.weights], node["y"].shape[-1])

    facts = partial(weights_of, layer), scale, way.asymmetric
    return vector_kernel(*facts) if way.of_vectors else dynamic_kernel(*facts, way.one_by_one)


KERNELS = (KernelsFor("float32", (dynamic,)),)
