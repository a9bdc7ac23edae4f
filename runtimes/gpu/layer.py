"""Kernels of layers on a GPU: layer.cl, and for int8 dot.cl and planes.cl."""

from opsmith.op import *
from runtimes.families.layer import Layer
from runtimes.gpu.dot import dot_kernels, planes_kernel
from runtimes.gpu.layer_kernels import integer_kernel, real_kernel, weights_of


def layer_of(variant: Variant) -> Layer:
    """Layer of which this is a variant."""
    assert variant.kind is not None
    layer: Layer = variant.kind.facts["layer"]
    return layer


def of_integers(variant: Variant) -> Kernel:
    """Kernel of layer.cl for integers, with sums as wide as the bias."""
    layer = layer_of(variant)
    wide = variant.types["B"] == i64
    return integer_kernel(partial(weights_of, layer), layer.rescaling, wide=wide)


def of_floats(variant: Variant) -> Kernel:
    """Kernel of layer.cl for float32."""
    return real_kernel(partial(weights_of, layer_of(variant)))


def dots(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of int8 layers: dot products of four inputs or, where filters have one channel,
    planes.
    """
    layer = layer_of(variant)
    weights = partial(weights_of, layer)
    if layer.axis:  # filters of one channel each
        return (planes_kernel(weights, layer.rescaling),)
    return dot_kernels(weights, layer.rescaling)


KERNELS = (
    KernelsFor("int8", (dots, of_integers)),
    KernelsFor("uint8", (of_integers,)),
    KernelsFor("int16", (of_integers,)),
    KernelsFor("float32", (of_floats,)),
)
