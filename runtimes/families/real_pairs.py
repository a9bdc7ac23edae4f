"""Arithmetic of int8 as ONNX defines: dequantised, computed in float32 and quantised once."""

from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.affine_pairs import affine_pairs
from runtimes.families.binary import Function, activated, example, monotone, zero_points
from runtimes.families.broadcast import Pairs, pairs

FUNCTIONS = {"Sum": np.add, "Difference": np.subtract, "Product": np.multiply}  # by C++'s names
SIGNS = {"Sum": (1, 1), "Difference": (1, -1)}  # of functions that integers may compute
RULES: Mapping[Numerics, Callable[[NodeView], str]] = dict.fromkeys(OTHER_RULES, lambda node: "")


@dataclass(frozen=True, kw_only=True)
class RealPairs(Pairs):
    """Walk through pairs of quantised tensors, their scales as float32, and bounds of y."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_scale: float
    b_scale: float
    y_scale: float
    activation_min: int
    activation_max: int


def _params(node: NodeView) -> RealPairs:
    scales: dict[str, Any] = {f"{name}_scale": node[name].scale for name in "aby"}
    return RealPairs(**vars(pairs(node)), **zero_points(node), **scales, **bounds(node))


# for nodes that no integer arithmetic computes exactly
DEFINITION = reference(_params, numerics=ANY_RULE, cost=per_element(90.0))


def real_pair(name: str, source: str, function: str) -> Op:
    """Op of int8 whose y is a function of the values of a and b.

    The source's option is the name of an activation.
    """

    def options(data: bytes) -> Mapping[str, str]:
        return {"fused_activation_function": data.decode("ascii", "replace") or "NONE"}

    compute, signs = partial(_evaluate, FUNCTIONS[function]), SIGNS.get(function)
    variant = Variant(
        {"T": i8},
        (*([affine_pairs(compute, signs)] if signs else []), DEFINITION),
        check=lambda node: per_tensor_problems(node, "a", "b", "y"),
        evaluate=compute,
        hooks=Hooks(channels=Channels(ranges=monotone(compute))),
        examples=(example(i8, (4, 5), (4, 5)), example(i8, (1,), (4, 5)), example(i8)),
        kind=Kind("binary", "real", {"F": function}) if signs else None,
        numerics=RULES,
    )
    return activated(name, Rename(source, attributes=FUSED, options=options), variants=(variant,))


def _evaluate(function: Function, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    a, b = (_real(node[name], x) for name, x in zip("ab", inputs, strict=True))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        steps = function(a, b) / np.float32(node["y"].scale)
    y = np.rint(np.clip(np.nan_to_num(steps, nan=-512), -512, 512)) + node["y"].zero_point
    return [np.clip(y, *clamp_range(node)).astype(np.int8)]


def _real(tensor: Tensor, x: Array) -> Array:
    """float32 values of elements."""
    lifted = (x.astype(np.int32) - tensor.zero_point).astype(np.float32)
    with np.errstate(over="ignore"):
        return np.asarray(lifted * np.float32(tensor.scale))
