"""DEPTHWISE_CONV_2D of bytes and float32: channels in the lanes of vectors, two taps of bytes."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.dynamic_range import image_overlap
from runtimes.families.real_convolution import Params as RealParams
from runtimes.families.real_convolution import Tables as RealTables
from runtimes.families.window import Geometry
from runtimes.simd.conv_2d import byte_kernels, real_kernels
from runtimes.simd.dynamic_range import (
    QuantisedImages,
    channel_constants,
    image_cost,
    quantised_images,
)
from runtimes.simd.instruction_sets import InstructionSet, blocks, kernels
from runtimes.simd.overlaps import reread
from runtimes.simd.reals import real_cost
from runtimes.simd.requantization import Requantized, constants, rule_of


@dataclass(frozen=True, kw_only=True)
class DepthwiseParams(Requantized, Geometry):
    """Geometry of one filter for each channel, bounds of y, and the rule of requantisation."""

    input_zero_point: int


@dataclass(frozen=True)
class PackedTaps:
    """Weights and requantisation constants in the order of depthwise_conv_2d.h."""

    weights: NDArray[np.int16]  # [block][pair of taps][vector][lane][tap], as the set interleaves
    constants: NDArray[np.int32]  # [block][vector][constant][lane]


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel; Refused for others."""
    rule = refused_multiplier(node) or rule_of(DEPTHWISE, node)
    if isinstance(rule, Refused):
        return rule
    params = DEPTHWISE.params(DepthwiseParams, node, rule=rule)
    taps = DEPTHWISE.inputs(node)
    scratch = {"border": node["x"].shape[3], "taps": taps + taps % 2}
    over = partial(reread, node, params, params.output_width)  # a line of y at most
    return Plan(params, partial(_tables, isa, node), scratch, over)


@dataclass(frozen=True, kw_only=True)
class QuantisedParams(QuantisedImages, Geometry):
    """Geometry of one filter for each channel, quantisation of images, and bounds of y."""


def quantised_plan(variant: Variant, isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for images of floats and one filter for each channel; Refused for others."""
    assert variant.kind is not None
    if refused := refused_multiplier(node):
        return refused
    images = quantised_images(variant.kind.facts["dynamic"], node, 0)
    params, taps = DEPTHWISE.params(QuantisedParams, node, **images), DEPTHWISE.inputs(node)
    scratch = {
        "border": node["x"].shape[3],
        "taps": taps + taps % 2,
        "image": node["x"].elements // params.batches,
    }
    tables = partial(_quantised_tables, isa, node)
    return Plan(params, tables, scratch, partial(image_overlap, node))


def _quantised_tables(isa: InstructionSet, node: NodeView) -> PackedTaps:
    apart = blocks(channel_constants(DEPTHWISE, node), isa.channels)
    vectors = apart.reshape(-1, isa.lanes, apart.shape[2]).transpose(0, 2, 1)
    weights = _packed(isa, DEPTHWISE.rows(node), _order(isa))
    return PackedTaps(weights, np.ascontiguousarray(vectors).reshape(-1))


def _tables(isa: InstructionSet, node: NodeView) -> PackedTaps:
    order = _order(isa)
    table = constants(DEPTHWISE, node, 0, isa.channels, order)
    return PackedTaps(_packed(isa, DEPTHWISE.lifted_rows(node), order), table)


def _order(isa: InstructionSet) -> NDArray[np.int64]:
    """Channels of a block in the order that unpacking leaves in two vectors of sums."""
    if not isa.interleaved:
        return np.arange(isa.channels)
    fours = np.arange(isa.channels).reshape(-1, 2, 4)
    return fours.transpose(1, 0, 2).reshape(-1)


def _packed(isa: InstructionSet, rows: Array, order: NDArray[np.int64]) -> NDArray[np.int16]:
    filled = np.pad(rows, ((0, 0), (0, rows.shape[1] % 2)))
    apart = blocks(filled, isa.channels)[:, order].reshape(
        -1, isa.channels, filled.shape[1] // 2, 2
    )
    axes = (0, 2, 1, 3) if isa.interleaved else (0, 2, 3, 1)
    return np.ascontiguousarray(apart.transpose(axes)).astype(np.int16).reshape(-1)


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    """Cost of blocks of channels, of which the last may be partly idle."""

    def cost(node: NodeView) -> float:
        channels = node["y"].shape[3]
        lanes = -(-channels // isa.channels) * isa.channels
        return DEPTHWISE.cost(isa.per_tap / isa.channels, isa.per_output)(node) * lanes / channels

    return cost


def _quantised_cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    """Cost of blocks of channels, and of quantising images."""
    return lambda node: _cost(isa)(node) + image_cost(isa, node)


def real_plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """float32 plan for one filter for each channel; Refused for others."""
    if refused := refused_multiplier(node):
        return refused
    params, tables = DEPTHWISE.params(RealParams, node), partial(DEPTHWISE.params, RealTables, node)
    return Plan(params, tables, overlap=partial(reread, node, params, 1))


def of_quantised(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of floats by int8 filters."""
    return kernels(
        "simd/depthwise_conv_2d.h",
        "opsmith::depthwise_conv_2d::simd::convolve_quantised",
        QuantisedParams,
        PackedTaps,
        partial(quantised_plan, variant),
        _quantised_cost,
        lambda isa: {"border": i8, "taps": i32, "image": i8},
        suffix="_taps",
        narrower=True,
    )


def _bytes(dtype: DType, suffix: str = "") -> tuple[Kernel, ...]:
    return kernels(
        "simd/depthwise_conv_2d.h",
        "opsmith::depthwise_conv_2d::simd::convolve",
        DepthwiseParams,
        PackedTaps,
        plan,
        _cost,
        lambda isa: {"border": dtype, "taps": i32},
        suffix=suffix,
        narrower=True,
    )


KERNELS = (
    # One channel of x with several filters is what a convolution of one group has.
    KernelsFor({"T": i8, "F": i8, "B": i32}, byte_kernels(DEPTHWISE, "_rows")),
    KernelsFor({"T": f32, "F": f32, "B": f32}, real_kernels(DEPTHWISE, "_rows")),
    KernelsFor({"T": i8, "F": i8, "B": i32}, _bytes(i8)),
    KernelsFor({"T": u8, "F": u8, "B": i32}, _bytes(u8, "_halves")),
    KernelsFor({"T": f32, "F": i8, "B": f32}, (of_quantised,)),
    KernelsFor(
        {"T": f32, "F": f32, "B": f32},
        kernels(
            "simd/depthwise_conv_2d.h",
            "opsmith::depthwise_conv_2d::simd::convolve_reals",
            RealParams,
            RealTables,
            real_plan,
            partial(real_cost, DEPTHWISE.macs, 5.0),
            suffix="_real",
            narrower=True,
        ),
    ),
)
