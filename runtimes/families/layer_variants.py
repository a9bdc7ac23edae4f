"""Variants of a layer for each element type, with value ranges, channel hooks, and folding of float
affines.

Float sums are bit-exact with LiteRT's reference kernels: products are summed one by one, in the
order of the weights, from zero, each rounded to float32 and not fused with its addition; then comes
the bias. Where sums leave the range of float32 and become NaN, the NaN's bits depend on the core.
"""

from collections.abc import Iterable
from types import MappingProxyType

from opsmith.op import *
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.channels import select, tied_in_groups
from runtimes.core.accumulator import LIMIT, accumulator_bounds, overflow_problems
from runtimes.core.narrow_requantization import bias_type_problems
from runtimes.core.notebook import OF_FLOATS, OF_UINT8, Rules, unlike, where
from runtimes.core.per_channel import bias_of, bias_problems, singles
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.rescaling import FixedPoint, Scales
from runtimes.families.layer import Layer, weights_zero_point
from runtimes.families.weighted_sums import WeightedSums
from runtimes.families.window import Geometry, spans_inside, taps

NONE = Hooks()
MOST_FACTOR = 256.0  # of XNNPACK
EXACT = 2.0**103  # addends below it leave the greatest float32 as it is
Check = Callable[[NodeView], Iterable[str]]


def int8_variant(
    layer: Layer,
    check: Check,
    reference: Kernel,
    *examples: Example,
    hooks: Hooks = NONE,
    numerics: Rules = MappingProxyType({}),
) -> Variant:
    """int8 variant of a layer, with 32-bit sums; `hooks` are further ones."""
    channels = Channels(
        partial(value_range, layer), partial(live_channels, layer), partial(keep_channels, layer)
    )
    return Variant(
        types={"T": i8, layer.type_variable: i8, "B": i32},
        kernels=(reference,),
        kind=_kind("int8", layer),
        folder="i8",
        check=check,
        evaluate=partial(integers, layer),
        numerics=numerics,
        hooks=hooks | Hooks(channels=channels),
        examples=examples,
    )


def by_xnnpack(of: str, *, biased: bool = True) -> Rules:
    """Rule by which XNNPACK computes an int8 layer whose weights are the operand `of`.

    XNNPACK takes no weights that are int4 or have a zero point, no factors of 256 or more, no bias
    without a scale, and with `biased` no layer without a bias.
    """

    def takes(node: NodeView) -> bool:
        bias = node.get("bias")
        known = not biased if bias is None else bias.quantization is not None
        weights = node[of]
        known = known and not weights.packed and not np.any(weights_zero_point(weights))
        return known and bool((singles(node, of).factors < MOST_FACTOR).all())

    return where(takes)


def uint8_variant(layer: Layer, reference: Kernel, *examples: Example) -> Variant:
    """uint8 variant of a layer, with a zero point of the weights, and 32-bit sums."""
    return Variant(
        types={"T": u8, layer.type_variable: u8, "B": i32},
        kernels=(reference,),
        kind=_kind("uint8", layer),
        folder="u8",
        check=partial(uint8_problems, layer),
        evaluate=partial(integers, layer),
        numerics=unlike(OF_UINT8),
        examples=examples,
    )


def uint8_problems(layer: Layer, node: NodeView) -> Iterator[str]:
    """Problems of a uint8 layer's quantisation, or sums that may overflow."""
    yield from (
        problems := [*per_tensor_problems(node, "x", layer.weights, "y"), *bias_problems(node)]
    )
    if problems:
        return
    rescaling, zero_point = layer.rescaling(node), weights_zero_point(node[layer.weights])
    bounds = accumulator_bounds(node["x"], layer.rows(node), bias_of(node), zero_point)
    shift = rescaling.constants[1] if isinstance(rescaling, FixedPoint) else 0
    yield from (problems := list(overflow_problems(bounds, shift, bias_of(node))))
    if not problems and isinstance(rescaling, Scales) and np.any(bounds * rescaling.slope > LIMIT):
        yield "a scaled sum may overflow 32 bits"


def int16_variant(
    layer: Layer,
    check: Check,
    reference: Kernel,
    *examples: Example,
    bias: DType = i64,
    hooks: Hooks = NONE,
) -> Variant:
    """int16 variant of a layer with int8 weights, all symmetric; sums are as wide as the bias.
    `hooks` are further ones.
    """

    def problems(node: NodeView) -> Iterator[str]:
        yield from bias_type_problems(node)
        yield from check(node)

    return Variant(
        types={"T": i16, layer.type_variable: i8, "B": bias},
        kernels=(reference,),
        kind=_kind("int16", layer),
        folder="i16x8",
        check=problems,
        evaluate=partial(integers, layer),
        hooks=hooks,
        examples=examples,
    )


def float_variant(
    layer: Layer, reference: Kernel, *examples: Example, hooks: Hooks = NONE
) -> Variant:
    """float32 variant of a layer; `hooks` are further ones."""
    return Variant(
        types={"T": f32, layer.type_variable: f32, "B": f32},
        kernels=(reference,),
        kind=_kind("float32", layer),
        folder="f32",
        check=bias_problems,
        numerics=unlike(OF_FLOATS),
        evaluate=partial(floats, layer),
        hooks=hooks | Hooks(affine=Affine(absorbs=partial(taken_in, layer))),
        examples=examples,
    )


def _kind(name: str, layer: Layer) -> Kind:
    return Kind("layer", name, {"layer": layer})


def integers(layer: Layer, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of an integer layer in numpy. Sums wrap at the width of the bias."""
    y = node["y"]
    sums = integer_sums(layer, node, inputs[0].astype(np.int64) - node["x"].zero_point)
    biased = sums + bias_of(node).astype(np.int64)
    wrapped = biased.astype(bias_of(node).dtype).astype(np.int64)
    return [layer.requantized(node, wrapped).astype(y.dtype.numpy).reshape(y.shape)]


def integer_sums(layer: Layer, node: NodeView, x: Array) -> Array:
    """Sums of (x - zero point) times (weight - zero point), in numpy."""
    weights = layer.by_channel(node).astype(np.int64) - weights_zero_point(node[layer.weights])
    groups = layer.groups(node)
    by_group = weights.reshape(groups, -1, *weights.shape[1:])
    sums = np.zeros((), np.int64)
    for row, column, pixels in _taps(layer, node, x):
        apart = pixels.reshape(*pixels.shape[:-1], groups, -1)
        products = np.einsum("...gi,goi->...go", apart, by_group[:, :, row, column])
        sums = sums + products.reshape(*pixels.shape[:-1], -1)
    return sums


def floats(layer: Layer, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of a float32 layer in numpy: by weights, for all pixels and output channels at once."""
    weights, x = layer.by_channel(node), inputs[0]
    outputs, _, _, channels = weights.shape
    # the first input channel of each output channel
    first = np.arange(outputs) // (outputs // layer.groups(node)) * channels
    total = np.zeros((), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for (row, column, pixels), (_, _, there) in zip(
            _taps(layer, node, x), _taps(layer, node, np.ones_like(x)), strict=True
        ):
            for c in range(channels):
                products = pixels[..., first + c] * weights[:, row, column, c]
                total = np.where(there[..., :1] != 0, total + products, total)
        y = real_clamped(node, total + bias_of(node))
    return [y.reshape(node["y"].shape)]


def _taps(layer: Layer, node: NodeView, x: Array) -> Iterator[tuple[int, int, Array]]:
    w = layer.window(node)
    return taps(x.reshape(w.batches, w.input_height, w.input_width, -1), w)


def value_range(layer: Layer, node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y per channel: elements that the least and the greatest sum give."""
    window = layer.window(node)
    sums = _sums(layer, node, window).bounds(_lifted(window, node, ranges))
    low, high = layer.requantized(node, np.stack([sums.low, sums.high]))
    return [Range(low, high)]


def live_channels(layer: Layer, node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Input channels on which live output channels that are not constant depend; with several
    groups, whole groups.
    """
    x, y = node["x"], node["y"]
    if _grouped(layer, node):
        return tied_in_groups(x, y, layer.groups(node), live)
    window = layer.window(node)
    lifted = _lifted(window, node, ranges)
    if len(lifted.low) % channels_of(x):  # rows end inside of pixels
        return {**all_live([x]), y.id: live[y.id]}
    needs = _sums(layer, node, window).needs(live[y.id] & ~ranges[y.id].constant, lifted)
    return {x.id: live[x.id] | needs.reshape(-1, channels_of(x)).any(axis=0), y.id: live[y.id]}


def keep_channels(
    layer: Layer, node: NodeView, live: Masks, ranges: Ranges
) -> Mapping[str, Tensor]:
    """Weights between live channels; the bias takes in constant shares of other input channels."""
    x, y, bias = node["x"], node["y"], node.get("bias")
    weights = select(node[layer.weights], layer.axis, live[y.id])
    bias = None if bias is None else select(bias, 0, live[y.id])
    if _grouped(layer, node):
        return {layer.weights: weights, **({} if bias is None else {"bias": bias})}
    window = layer.window(node)
    lifted = _lifted(window, node, ranges)
    kept, constant = np.resize(live[x.id], len(lifted.low)), ranges[y.id].constant
    data, sums = _sums(layer, node, window).compacted(lifted, kept, live[y.id], constant)
    shape = (len(data), *data.shape[5 - len(weights.shape) :])
    return {
        layer.weights: constant_of(weights, data.reshape(shape), i8),
        "bias": constant_of(bias, sums, i32),
    }


def _grouped(layer: Layer, node: NodeView) -> bool:
    """True if channels can only be dropped in groups, as where filters lie side by side."""
    return layer.axis != 0 or layer.groups(node) != 1


def _sums(layer: Layer, node: NodeView, window: Geometry) -> WeightedSums:
    spans, zero_point = spans_inside(window), weights_zero_point(node[layer.weights])
    return WeightedSums(layer.by_channel(node), zero_point, bias_of(node), *spans)


def _lifted(window: Geometry, node: NodeView, ranges: Ranges) -> Range:
    """Range of each input of a group's sums, less the zero point of x."""
    return ranges[node["x"].id].spread(window.input_channels) - node["x"].zero_point


def taken_in(
    layer: Layer, node: NodeView, affine: ChannelAffine, exactly: bool
) -> Mapping[str, Tensor] | None:
    """Weights and bias with an affine function of y folded in, or None.

    transform/fold_affine.py says why folding an addend after a bias of zeros is exact.
    """
    weights, bias = node[layer.weights], bias_of(node)
    factor = np.ones_like(bias) if affine.factor is None else affine.factor
    addend = np.zeros_like(bias) if affine.addend is None else affine.addend
    exact = affine.factor is None and not bias.any() and bool((np.abs(addend) < EXACT).all())
    if exactly and not exact:
        return None
    along = [-1 if i == layer.axis else 1 for i in range(len(weights.shape))]
    with np.errstate(over="ignore", invalid="ignore"):
        moved = weights.data * factor.reshape(along), bias * factor + addend
    if not all(np.isfinite(each).all() for each in moved):
        return None
    kept = {} if affine.factor is None else {layer.weights: constant_of(weights, moved[0], f32)}
    return {**kept, "bias": constant_of(node.get("bias"), moved[1], f32)}
