"""Functions of one tensor: ops of x that give y in its shape, most element by element."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from opsmith.op import *
from opsmith.op.clamp import ACTIVATIONS, activation_range
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.formula import Traced, traced
from runtimes.core.notebook import Rules
from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.core.tflm import rescaled_otherwise
from runtimes.families.affine_elements import affine_elements, flipped_elements

Ratio = Callable[[NodeView], float]
X_TO_Y = ("p", "in.x", "out.y")
QUANTISED = (i8, u8, i16)
Formula = Callable[[NodeView, Array], Array]  # elements of x -> elements of y


def same_shape(
    name: str, source: Rename, variants: tuple[Variant, ...], y: DType | str = "T", **others: Any
) -> Op:
    """Op of x, whose type is T, with y in the shape of x.

    `others` are further fields of Op, except inputs, outputs, infer and legalize.
    """
    return Op(
        name,
        inputs=(Input("x", "T"),),
        outputs=(Output("y", y),),
        infer=_infer,
        variants=variants,
        legalize=(source,),
        **others,
    )


def unary(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    y: DType | str = "T",
    traits: frozenset[str] | set[str] = frozenset(),
    **others: Any,
) -> Op:
    """Op whose elements are functions of x's elements, with further traits.

    `others` are further fields of Op, except those of `same_shape`.
    """
    return same_shape(name, source, variants, y, traits=traits | {"elementwise"}, **others)


def _infer(node: NodeView) -> Sequence[TensorType]:
    return [TensorType(node["y"].dtype, node["x"].shape)]


def quantised(node: NodeView) -> Iterator[str]:
    """Problems of the quantisation of x and y."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems:
        wide = (name for name in ("x", "y") if node[name].dtype.size > 1)
        yield from symmetric_problems(node, *wide)


class Single(NamedTuple):
    """Cost and error of a formula that uses the functions of elementary.h."""

    cost: float
    ulps: int  # units in the last place that floats are at most from LiteRT's


def by_formula(
    formula: Callable[[Array], Array],
    cost: float,
    single: Single | None = None,
    dtype: DType = f32,
    numerics: Rules = MappingProxyType({}),
) -> Variant:
    """Variant of a formula in numpy, which is translated to C++ and OpenCL C.

    Raises TypeError where it cannot be translated: then the op has a reference.h, and uses
    `by_reference`.
    """
    found = traced(formula, dtype)
    includes = tuple(each for each in sorted(found.files) if each.endswith(".cl"))
    variant = by_reference(
        dtype,
        lambda node, x: formula(x),
        cost,
        kernel=_call(found),
        numerics=numerics,
        kind=Kind("unary", "formula", {"FORMULA": found.opencl, "includes": includes}),
    )
    if single is None:
        return variant
    return replace(variant, kernels=(_in_single_precision(found, single), *variant.kernels))


def _call(found: Traced) -> dict[str, Any]:
    """Fields of a Kernel that computes a formula of each element."""
    includes = tuple(each for each in sorted(found.files) if each.endswith(".h"))
    return {
        "header": "runtimes/families/unary.h",
        "function": "opsmith::unary::of_each",
        "arguments": (*X_TO_Y, f"[]({found.dtype.c} x) {{ return {found.cpp}; }}"),
        "includes": includes,
        "functions": tuple(Path(each).stem for each in includes),
    }


def _in_single_precision(found: Traced, single: Single) -> Kernel:
    """Kernel with functions that are faster on cores without double precision, and not exact."""

    def plan(node: NodeView) -> Plan | Refused:
        within = f"by up to {single.ulps} unit{'s' if single.ulps > 1 else ''} in the last place"
        params = Elements(node["x"].elements)
        return Plan(params, overlap=partial(elementwise, node), inexact=within)

    cpp = re.sub(r"real_(cosine|exponential|logarithm|sine)\b", r"\1", found.cpp)
    short = replace(found, cpp=cpp, files=frozenset({"runtimes/core/elementary.h"}))
    return Kernel("single", Elements, plan, cost=per_element(single.cost), **_call(short))


def by_reference(
    dtype: DType,
    formula: Formula,
    cost: float,
    params: type = Elements,
    fill: Callable[[NodeView], Any] | None = None,
    kernel: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> Variant:
    """Variant whose kernel is the op's reference.h, which takes elements one by one.

    Params are filled by `fill`, else by their `of`, else by the names of their fields. `kernel` has
    further fields of Kernel, `others` of Variant.
    """
    fill = fill or getattr(params, "of", None) or by_name(params)

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        with np.errstate(all="ignore"):
            return [formula(node, inputs[0]).astype(dtype.numpy)]

    plan = every_node(fill, overlap=elementwise)
    reference = Kernel("reference", params, plan, cost=per_element(cost), **kernel)
    x = ExampleTensor(dtype, (200,), scale=0.0123 if dtype in QUANTISED else None)
    others.setdefault("examples", (Example({"x": x, "y": x}),))
    if dtype in QUANTISED:
        others.setdefault("check", quantised)
    return Variant({"T": dtype}, (reference,), evaluate=evaluate, **others)


def clamps(clamp: str, holds: Callable[[NodeView], bool]) -> Hooks:
    """Hook that lets the preceding op clamp instead, if it knows the activation."""
    if clamp not in ACTIVATIONS[1:]:
        return Hooks()
    return Hooks(clamp=lambda node: clamp if holds(node) else None)


@dataclass(frozen=True)
class Rescaling:
    """Params of a conversion from one quantisation to another, with bounds."""

    elements: int
    x_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of x.scale / y.scale
    shift: int
    y_min: int
    y_max: int

    @classmethod
    def of(cls, node: NodeView, ratio: Ratio | None = None, clamp: str = "NONE") -> Rescaling:
        """Params that convert a node's x to y; `ratio` is LiteRT's ratio of their scales."""
        x, y = node["x"], node["y"]
        multiplier, shift = quantize_multiplier((ratio or float_ratio)(node), wraps=True)
        low, high = activation_range(clamp, y)
        return cls(x.elements, x.zero_point, y.zero_point, multiplier, shift, low, high)

    def rescaled(self, x: Array) -> Array:
        """Elements converted to the quantisation of y, in numpy."""
        lifted = x.astype(np.int64) - self.x_zero_point
        y = multiply_by_quantized_multiplier(lifted, self.multiplier, self.shift)
        return np.clip(y + self.y_zero_point, self.y_min, self.y_max)


def float_ratio(node: NodeView) -> float:
    """x.scale / y.scale, rounded to single precision."""
    with np.errstate(over="ignore"):
        return float(np.float32(node["x"].scale) / np.float32(node["y"].scale))


def rescaled(
    types: dict[str, DType],
    ratio: Ratio = float_ratio,
    clamp: str = "NONE",
    check: Callable[[NodeView], Iterable[str]] = quantised,
    numerics: Rules = MappingProxyType({}),
    rules: Mapping[Numerics, Formula] = MappingProxyType({}),
) -> Variant:
    """Variant of integers converted to another quantisation, and clamped; `ratio` is x.scale /
    y.scale as TFLite computes it.

    Where a node clamps and does not rescale, the preceding op can clamp instead. `rules` are the
    formulas of other rules of numerics than the reference's.
    """

    def params(node: NodeView) -> Rescaling:
        return Rescaling.of(node, ratio, clamp)

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        rule = rules.get(node.numerics)
        found = params(node).rescaled(inputs[0]) if rule is None else rule(node, inputs[0])
        return [found.astype(node["y"].dtype.numpy)]

    def keeps_scale(node: NodeView) -> bool:
        return node["x"].quantization == node["y"].quantization

    plan = every_node(params, overlap=elementwise)
    definition = Kernel(
        "reference",
        Rescaling,
        plan,
        cost=per_element(21.0),
        header="runtimes/families/unary.h",
        function="opsmith::unary::rescaled",
        arguments=X_TO_Y,
    )
    used = {*types.values()}
    flipped = (flipped_elements(evaluate),) if used == {i8, u8} else ()
    proved = (*flipped, affine_elements(evaluate)) if used <= {i8, u8} else ()
    return Variant(
        types,
        kernels=(*proved, definition),
        kind=Kind("unary", "rescaled"),
        check=check,
        evaluate=evaluate,
        numerics=numerics,
        hooks=clamps(clamp, keeps_scale),
        examples=tuple(_examples(types)),
    )


def _examples(types: dict[str, DType]) -> Iterator[Example]:
    """Examples of different scales and, between int8 and uint8, of elements with a bit flipped."""
    x, y = types["T"], types.get("U", types["T"])
    zeros = [3 if each.size == 1 else 0 for each in (x, y)]
    yield _example((x, y), (0.0091, 0.0123), zeros)
    if {x, y} == {i8, u8}:
        yield _example((x, y), (0.0123, 0.0123), [each.limits[0] + 131 for each in (x, y)])


def _example(
    types: tuple[DType, DType], scales: tuple[float, float], zeros: Sequence[int]
) -> Example:
    given = zip("xy", types, scales, zeros, strict=True)
    return Example({name: ExampleTensor(t, (200,), scale, zero) for name, t, scale, zero in given})


def ratio_differs(node: NodeView) -> bool:
    """True if x.scale / y.scale in double precision would change some element of y."""
    low, high = (each - node["x"].zero_point for each in node["x"].dtype.limits)
    return rescaled_otherwise(node, float_ratio(node), double_ratio(node), low, high)


def double_ratio(node: NodeView) -> float:
    """x.scale / y.scale in double precision."""
    return node["x"].scale / node["y"].scale
