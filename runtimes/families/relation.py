"""Relations of two elements: ops of a and b whose boolean y says of each pair whether the relation
holds.

LiteRT compares bytes, and by some relations int16, by their values, each rounded to fixed point, so
that different elements of small scales can be equal. Elements of other types are compared as they
are, whatever their quantisation.
"""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.core.tflm import unlike_tflm
from runtimes.families.binary import Function, binary, example, pairs_kind
from runtimes.families.broadcast import Pairs, pairs

LEFT_SHIFT = 8  # kLeftShift of relation.h
BYTES = (i8, u8)
NUMBERS = (f32, i16, i32, i64)
EXACT = 0.5  # a scale at which no value of int16 is rounded


def relation(
    name: str,
    source: Rename,
    function: Function,
    plain: tuple[DType, ...] = NUMBERS,
    rescaled: tuple[DType, ...] = BYTES,
    **others: Any,
) -> Op:
    """Op of a relation, whose C++ is the struct of relation.h with the op's name.

    On `rescaled` elements, the relation may depend only on which of both is greater. A relation
    that relation.h lacks is an op of `binary`, with `plain(dtype, function, y=boolean)` and a
    reference.h of its own. `others` are further fields of `binary`.
    """
    variants = (
        *(_plain(dtype, function, name) for dtype in plain),
        *(_rescaled(dtype, function, name) for dtype in rescaled),
    )
    return binary(name, source, variants, y=boolean, **others)


def _plain(dtype: DType, function: Function, name: str) -> Variant:
    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [np.asarray(function(*inputs), bool)]

    kernel = _kernel(Pairs, pairs, _function("plain", name), 8.0)
    kind = pairs_kind("plain", name.upper(), Y="uint8_t")
    return Variant(
        {"T": dtype},
        (kernel,),
        kind=kind,
        evaluate=evaluate,
        numerics=unlike_tflm() if dtype == i16 else {},
        examples=(_example(dtype),),
    )


@dataclass(frozen=True)
class RescaledPairs(Pairs):
    """Walk through pairs of quantised elements, and constants that rescale a and b."""

    a_zero_point: int
    b_zero_point: int
    a_multiplier: int  # Q31
    a_shift: int
    b_multiplier: int
    b_shift: int


def _rescaled(dtype: DType, function: Function, name: str) -> Variant:
    plain = _kernel(Pairs, pairs, _function("plain", name), 9.0, "plain")
    as_they_are = replace(plain, plan=refusing(plain.plan, rounding_problem))

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        a, b = (_value(node[name], x) for name, x in zip("ab", inputs, strict=True))
        return [np.asarray(function(a, b), bool)]

    kernel = _kernel(RescaledPairs, params, _function("rescaled", name), 30.0)
    return Variant(
        {"T": dtype},
        (as_they_are, kernel),
        kind=pairs_kind("values", name.upper()),
        check=_check,
        evaluate=evaluate,
        examples=(_example(dtype), _as_they_are(dtype)),
    )


def rounding_problem(node: NodeView) -> str:
    """Reason why elements do not compare as their values do, or ""."""
    a, b = node["a"], node["b"]
    if _quantisation(a) != _quantisation(b):
        return "a and b are quantised differently"
    low, high = a.dtype.limits
    if (np.diff(_value(a, np.arange(low, high + 1))) > 0).all():
        return ""
    return f"at scale {a.scale:.6g} different elements have equal values"


def _check(node: NodeView) -> Iterator[str]:
    """Problems of scales of 1 or more, at which LiteRT stops and its C++ would be undefined."""
    if node["a"].dtype == i16 and node["a"].quantization is node["b"].quantization is None:
        return
    yield from (problems := list(per_tensor_problems(node, "a", "b")))
    for name in "ab" if not problems else "":
        if not node[name].scale < 1:
            yield f"{name} has scale {node[name].scale}, which must be below 1"


def params(node: NodeView) -> RescaledPairs:
    """Walk, zero points and scales of a node's pairs."""
    (a, a_zero_point), (b, b_zero_point) = (_quantisation(node[name]) for name in "ab")
    (a_multiplier, a_shift), (b_multiplier, b_shift) = (
        quantize_multiplier(a),
        quantize_multiplier(b),
    )
    return RescaledPairs(
        **vars(pairs(node)),
        a_zero_point=a_zero_point,
        b_zero_point=b_zero_point,
        a_multiplier=a_multiplier,
        a_shift=a_shift,
        b_multiplier=b_multiplier,
        b_shift=b_shift,
    )


def _quantisation(x: Tensor) -> tuple[float, int]:
    return (EXACT, 0) if x.quantization is None else (x.scale, x.zero_point)


def _value(x: Tensor, elements: Array) -> NDArray[np.int64]:
    scale, zero_point = _quantisation(x)
    lifted = (elements.astype(np.int64) - zero_point) << LEFT_SHIFT
    return multiply_by_quantized_multiplier(lifted, *quantize_multiplier(scale))


def _function(walk: str, name: str) -> str:
    """C++ function with this walk for the op `name`, whose struct has the same name."""
    struct = "".join(word.title() for word in name.split("_"))
    return f"opsmith::relation::{walk}<opsmith::relation::{struct}>"


def _kernel(
    struct: type,
    params: Callable[[NodeView], Any],
    function: str,
    cost: float,
    name: str = "reference",
) -> Kernel:
    def plan(node: NodeView) -> Plan:
        return Plan(params(node), overlap=partial(elementwise, node))

    return Kernel(
        name,
        struct,
        plan,
        cost=per_element(cost),
        header="runtimes/families/relation.h",
        function=function,
        arguments=("p", "in.a", "in.b", "out.y"),
    )


def _example(dtype: DType) -> Example:
    """Example node of a and b of one type."""
    found = example(dtype)
    return replace(found, tensors={**found.tensors, "y": ExampleTensor(boolean, (4, 5))})


def _as_they_are(dtype: DType) -> Example:
    """Example node whose elements compare as their values do."""
    same = {name: ExampleTensor(dtype, (4, 5), EXACT) for name in "ab"}
    return Example({**same, "y": ExampleTensor(boolean, (4, 5))})
