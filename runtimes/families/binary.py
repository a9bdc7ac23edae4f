"""Element-by-element functions of two tensors that broadcast: ops of a and b that give y."""

from types import MappingProxyType

from opsmith.op import *
from opsmith.op.channel_affine import ChannelAffine, channel_constant
from runtimes.core.notebook import Rules
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.broadcast import Pairs, broadcast_shape, pairs, repeated_first
from runtimes.families.one_varies import one_varies

# Names by which backends know functions of numpy.
FUNCTIONS: Mapping[object, str] = {
    np.add: "wrapping_sum",
    np.subtract: "wrapping_difference",
    np.multiply: "wrapping_product",
    np.divide: "divided",
}
Function = Callable[[Array, Array], Array]
Evaluate = Callable[[NodeView, Sequence[Array]], Sequence[Array]]


def binary(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    check: Callable[[NodeView], Iterator[str]] | None = None,
    traits: frozenset[str] | set[str] = frozenset(),
    y: DType | str = "T",
    b: DType | str = "T",
    also: tuple[Rename, ...] = (),
    **others: Any,
) -> Op:
    """Op of a and b of type T. `traits` are added to `elementwise`, and `also` to the source.

    `others` are further fields of Op, except inputs, outputs, infer, legalize and decompose.
    """
    return Op(
        name,
        inputs=(Input("a", "T"), Input("b", b)),
        outputs=(Output("y", y),),
        infer=_infer,
        variants=variants,
        legalize=(source, *also),
        check=check,
        traits=traits | {"elementwise"},
        decompose=repeated_first("a", "b"),
        **others,
    )


def _infer(node: NodeView) -> Sequence[TensorType]:
    return [TensorType(node["y"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def activated(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    attributes: tuple[Attribute, ...] = (),
    **others: Any,
) -> Op:
    """Binary op with a fused activation, as TFLite's option says, and the op's traits."""
    renamed = {**source.attributes, **FUSED}
    return binary(
        name,
        replace(source, attributes=renamed),
        variants,
        traits=frozenset({"fuses_activation"}),
        attributes=(*CLAMP_ATTRIBUTES, *attributes),
        **others,
    )


def quantised(
    dtype: DType,
    kernels: tuple[Kernel, ...],
    evaluate: Evaluate,
    value_range: Callable[[NodeView, Ranges], Sequence[Range]] | None = None,
    check: Callable[[NodeView], Iterator[str]] | None = None,
    examples: tuple[Example, ...] = (),
    kind: Kind | None = None,
    numerics: Rules = MappingProxyType({}),
) -> Variant:
    """int8 or int16 variant of a binary op. `check` sees tensors quantised per tensor."""

    def problems(node: NodeView) -> Iterator[str]:
        yield from (found := list(per_tensor_problems(node, "a", "b", "y")))
        if found:
            return
        if dtype == i16:
            yield from symmetric_problems(node, "a", "b", "y")
        if check is not None:
            yield from check(node)

    by_table = () if dtype == i16 else (one_varies(dtype, evaluate),)
    return Variant(
        {"T": dtype},
        (*by_table, *kernels),
        check=problems,
        evaluate=evaluate,
        hooks=Hooks(channels=Channels(ranges=value_range or monotone(evaluate))),
        examples=(*examples, *(example(dtype, (7,), (1,), np.array([50])) for _ in by_table)),
        kind=kind,
        numerics=numerics,
    )


def monotone(evaluate: Evaluate) -> Callable[[NodeView, Ranges], Sequence[Range]]:
    """Range of y for a function that is monotonic in each operand: from the ends of both ranges."""

    def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
        a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in "ab")
        ends = np.stack([a.low, a.low, a.high, a.high]), np.stack([b.low, b.high, b.low, b.high])
        found = evaluate(node, ends)[0].astype(np.int64)
        return [Range(found.min(axis=0), found.max(axis=0))]

    return value_range


def nonzero_divisors(node: NodeView) -> Iterator[str]:
    """Sentence where b is a known integer of zero."""
    b = node["b"]
    if b.constant is not None and b.dtype != f32 and not np.all(b.data):
        yield "b is 0 in places"


def zero_points(node: NodeView) -> dict[str, Any]:
    """Zero points of a, b and y as members of Params."""
    return {f"{name}_zero_point": node[name].zero_point for name in "aby"}


@dataclass(frozen=True)
class IntegerPairs(Pairs):
    """Walk through pairs of integers without quantisation, and bounds of y.

    The limits of int32 stand for those of int64.
    """

    activation_min: int
    activation_max: int


def integers(function: Function, cost: float | None = None, dtype: DType = i32) -> Variant:
    """int32 or int64 variant: results of the function wrap, and are then clamped."""

    def params(node: NodeView) -> IntegerPairs:
        low, high = (min(max(end, i32.limits[0]), i32.limits[1]) for end in clamp_range(node))
        return IntegerPairs(**vars(pairs(node)), activation_min=low, activation_max=high)

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        a, b = (each.astype(np.int64) for each in inputs)
        with np.errstate(over="ignore"):
            return [np.clip(function(a, b).astype(dtype.numpy), *clamp_range(node))]

    kind = pairs_kind("integers", FUNCTIONS.get(function))
    return _defined(dtype, _walked(params, cost), evaluate, kind)


@dataclass(frozen=True)
class FloatPairs(Pairs):
    """Walk through pairs of float32, and bounds of y."""

    real_min: float  # float32
    real_max: float


def floats(function: Function, cost: float | None = None) -> Variant:
    """float32 variant: results of the function are clamped."""

    def params(node: NodeView) -> FloatPairs:
        low, high = real_clamp_range(node)
        return FloatPairs(**vars(pairs(node)), real_min=low, real_max=high)

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        with np.errstate(all="ignore"):
            return [real_clamped(node, function(*inputs))]

    kind = pairs_kind("floats", FUNCTIONS.get(function))
    return _defined(f32, _walked(params, cost), evaluate, kind)


def plain(
    dtype: DType,
    function: Function,
    cost: float | None = None,
    name: str | None = None,
    y: DType | None = None,
    check: Callable[[NodeView], Iterator[str]] | None = None,
) -> Variant:
    """Variant for elements taken as they are, neither quantised nor clamped.

    `name` is the name by which backends know the function, `y` a type other than a's.
    """
    made = y or dtype

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        with np.errstate(all="ignore"):
            return [function(*inputs).astype(made.numpy)]

    kind = pairs_kind("plain", name or FUNCTIONS.get(function), Y=made.c)
    found = _defined(dtype, _walked(pairs, cost), evaluate, kind, y)
    return replace(found, check=check)


def _walked(params: Callable[[NodeView], Any], cost: float | None) -> Kernel:
    """Kernel of the op's reference.h, with `cost` instructions for each element of y."""
    return reference(params, cost=None if cost is None else per_element(cost))


def _defined(
    dtype: DType, kernel: Kernel, evaluate: Evaluate, kind: Kind | None, y: DType | None = None
) -> Variant:
    shown = example(dtype)
    if y is not None:
        shown = replace(shown, tensors={**shown.tensors, "y": ExampleTensor(y, (4, 5))})
    return Variant({"T": dtype}, (kernel,), kind=kind, evaluate=evaluate, examples=(shown,))


def pairs_kind(walk: str, function: str | None, **facts: str) -> Kind | None:
    """Kind of a variant with pairs by `walk`; None where backends know no name of its function."""
    return None if function is None else Kind("binary", walk, {"F": function, **facts})


def example(
    dtype: DType,
    a: tuple[int, ...] = (4, 5),
    b: tuple[int, ...] = (5,),
    data: Array | None = None,
    y_scale: float = 0.07,
    attributes: Mapping[str, Any] = MappingProxyType({}),
) -> Example:
    """Example node with these shapes, of which b may be constant."""
    scales: tuple[float | None, ...] = (None,) * 3
    zeros = {i8: (-3, 7, 4), u8: (125, 135, 132)}.get(dtype, (0, 0, 0))
    if dtype in (i8, u8, i16):
        scales = (0.05, 0.03, y_scale)
    shapes, constants = (a, b, broadcast_shape(a, b)), (None, data, None)
    given = zip("aby", shapes, scales, zeros, constants, strict=True)
    return Example(
        {
            name: ExampleTensor(dtype, shape, scale, zero, data=constant)
            for name, shape, scale, zero, constant in given
        },
        attributes,
    )


def by_channel(member: str) -> Hooks:
    """Hooks of an op where a or b, constant per channel, is field `member` of an affine one."""

    def affine(node: NodeView) -> ChannelAffine | None:
        for x, k in (("a", "b"), ("b", "a")):
            if (found := channel_constant(node, k)) is not None:
                return ChannelAffine(x, **{member: found})
        return None

    return Hooks(affine=Affine(applies=affine))
