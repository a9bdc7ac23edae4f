"""Layers of float32 by int8 weights, quantised at run time: products of bytes in vectors."""

from opsmith.op import *
from runtimes.core.per_channel import bias_of
from runtimes.core.vector_activation import ENDS
from runtimes.families.dynamic_range import Dynamic, image_overlap, weight_scales
from runtimes.families.layer import Layer
from runtimes.families.window import Geometry
from runtimes.simd.instruction_sets import INSTRUCTION_SETS, InstructionSet, blocks
from runtimes.simd.rows import PackedRows, packed_weights

INPUT = 20  # instructions that quantise a vector of inputs


@dataclass(frozen=True, kw_only=True)
class QuantisedImages:
    """Quantisation of images, and bounds of y."""

    origin: int  # added to inputs before they are multiplied
    asymmetric: bool  # from the least to the greatest input
    one_by_one: bool  # sums are multiplied by their channel's scale, and then by the image's
    low: float  # float32
    high: float
    of_vectors: bool  # without bounds infinities stay; with bounds NaN becomes the lower one


@dataclass(frozen=True, kw_only=True)
class RowsParams(QuantisedImages, Geometry):
    """Geometry of windows, quantisation of images, and bounds of y."""

    output_channels: int
    groups: int  # of inputs of a window, whose products are added at once


def dynamic(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel for each instruction set that copies windows to rows."""
    assert variant.kind is not None
    layer, way = variant.kind.facts["layer"], variant.kind.facts["dynamic"]
    return tuple(
        Kernel(
            each.name,
            RowsParams,
            partial(plan, each, layer, way),
            PackedRows,
            scratch={"image": i8, "rows": each.inputs},
            requires={each.name},
            excludes=each.excludes,
            cost=cost(each, layer),
            header="runtimes/simd/dynamic_range.h",
            includes=(each.header,),
            function=f"opsmith::simd::dynamic_layer<opsmith::simd::{each.struct}>",
            arguments=("p", "in.x", "out.y", "tables", "scratch"),
        )
        for each in INSTRUCTION_SETS
    )


def plan(isa: InstructionSet, layer: Layer, way: Dynamic, node: NodeView) -> Plan | Refused:
    """Plan for one group of channels, and biases to which a product of zero may be added."""
    if (count := layer.groups(node)) != 1:
        return Refused(f"{count} groups, not one")
    if way.of_vectors and np.any(np.signbit(bias_of(node)) & (bias_of(node) == 0)):
        return Refused("a bias is -0")
    window = layer.window(node)
    groups = -(-layer.inputs(node) // isa.group)
    params = RowsParams(
        **vars(window),
        **quantised_images(way, node, isa.flipped),
        output_channels=node["y"].shape[-1],
        groups=groups,
    )
    image = node["x"].elements // window.batches
    scratch = {"image": image, "rows": isa.rows * groups * isa.group}
    overlap = partial(image_overlap, node, window.batches)
    return Plan(params, partial(tables, isa, layer, node), scratch, overlap)


def quantised_images(way: Dynamic, node: NodeView, origin: int) -> dict[str, Any]:
    """Fields of QuantisedImages; bounds are those of the activation of vectors, or of layers."""
    activation = node.attributes["activation"]
    low, high = real_clamp_range(node)
    widest = float(np.finfo(np.float32).max)
    if way.of_vectors:
        low, high = ENDS.get(activation, (-widest, widest))
    return {
        "origin": origin,
        "asymmetric": way.asymmetric(node),
        "one_by_one": way.one_by_one(node),
        "low": float(low),
        "high": min(float(high), widest),
        "of_vectors": way.of_vectors,
    }


def tables(isa: InstructionSet, layer: Layer, node: NodeView) -> PackedRows:
    """Weights in the order of rows.h, and constants in that of dynamic_range.h."""
    apart = blocks(channel_constants(layer, node), isa.lanes)
    constants = np.ascontiguousarray(apart.transpose(0, 2, 1)).reshape(-1)
    return PackedRows(packed_weights(isa, layer, node), constants)


def channel_constants(layer: Layer, node: NodeView) -> NDArray[np.int32]:
    """Sum of weights, and bits of scale and bias, of each channel: [channel][constant]."""
    channels = node["y"].shape[-1]
    reals = weight_scales(node[layer.weights], channels), np.asarray(bias_of(node), np.float32)
    bits = [np.ascontiguousarray(each).view(np.int32) for each in reals]
    return np.stack([layer.rows(node).sum(axis=1, dtype=np.int32), *bits], axis=1)


def cost(isa: InstructionSet, layer: Layer) -> Callable[[NodeView], float]:
    """Cost of products, of outputs, and of quantising images."""
    of_layer = layer.cost(isa.per_mac, isa.per_output)
    return lambda node: of_layer(node) + image_cost(isa, node)


def image_cost(isa: InstructionSet, node: NodeView) -> float:
    """Cost of finding the range of images, and of quantising them."""
    return INPUT / isa.lanes * node["x"].elements


KERNELS = (KernelsFor("float32", (dynamic,)),)
