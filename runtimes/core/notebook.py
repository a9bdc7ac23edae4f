"""Rules of LiteRT's default interpreter on x86-64: whether its delegate XNNPACK takes an int8 node,
and XNNPACK's arithmetic (tflite/delegates/xnnpack/xnnpack_delegate.cc; XNNPACK's
src/microparams-init.c).
"""

from opsmith.op import *

NOT_TAKEN = "XNNPACK does not take it, and LiteRT's optimised kernel is not reproduced"
NOT_OPTIMISED = "LiteRT's optimised kernel is not reproduced"
MOST_AXES = 6  # of a tensor that XNNPACK takes
OF_FLOATS = "LiteRT's default interpreter adds float32 in another order"
OF_UINT8 = "XNNPACK's elements of uint8 are not reproduced"
Rules = Mapping[Numerics, Callable[[NodeView], str | None]]  # type of Variant.numerics
Ints = NDArray[np.int64]


def where(takes: Callable[[NodeView], bool]) -> Rules:
    """Rules by which nodes that XNNPACK takes follow its arithmetic, and other nodes are not
    reproduced. XNNPACK takes no node with a subnormal scale.
    """
    return {Numerics.NOTEBOOK: lambda node: "" if takes(node) and _normal(node) else NOT_TAKEN}


def _normal(node: NodeView) -> bool:
    tensors = (each for each in node.tensors.values() if isinstance(each, Tensor))
    scales = (each.quantization.scales for each in tensors if each.quantization is not None)
    return all(np.float32(scale) >= np.finfo(np.float32).tiny for each in scales for scale in each)


def unlike(why: str) -> Rules:
    """Rules by which no node is reproduced, for the reason `why`."""
    return {Numerics.NOTEBOOK: lambda node: why}


ALWAYS = where(lambda node: True)
OPTIMISED = unlike(NOT_OPTIMISED)
OTHER_FORMULA = unlike("LiteRT's default interpreter has another formula for float32")


def single_quotient(x: float, y: float) -> float:
    """x / y in single precision, infinite on overflow."""
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        return float(np.float32(x) / np.float32(y))


def few_axes(node: NodeView) -> bool:
    """True if y has no more axes than XNNPACK takes."""
    return len(node["y"].shape) <= MOST_AXES


def by_256ths(lifted: Ints, ratio: float) -> Ints:
    """Elements times a ratio, rounded to 256ths, to the nearest integer, halves up."""
    return (lifted * round(256 * ratio) + 128) >> 8


def by_single(sums: Ints, factor: float, addend: float = 0.0) -> Ints:
    """sums * factor + addend in single precision, to the nearest integer, halves to even."""
    products = sums.astype(np.float32) * np.float32(factor)
    rounded: Ints = np.rint(products + np.float32(addend)).astype(np.int64)
    return rounded


def sum_multipliers(node: NodeView) -> tuple[list[int], int]:
    """XNNPACK's multipliers of a and b, the larger of 21 bits, and the right shift of their sum."""
    ratios = [single_quotient(node[name].scale, node["y"].scale) for name in "ab"]
    shift = 21 - math.frexp(max(ratios))[1]
    return [round(ratio * 2.0**shift) for ratio in ratios], shift


def pair_slopes(node: NodeView) -> list[float]:
    """Growth of a sum's y per element of a, and of b, by the node's rule of numerics."""
    if node.numerics == Numerics.NOTEBOOK:
        multipliers, shift = sum_multipliers(node)
        return [math.ldexp(each, -shift) for each in multipliers]
    return scale_ratios(node)


def scale_ratios(node: NodeView) -> list[float]:
    """Growth of a sum's y per element of a, and per element of b, unrounded."""
    return [node[name].scale / node["y"].scale for name in "ab"]


def element_slope(node: NodeView) -> float:
    """Growth of a rescaled y per element of x, by the node's rule of numerics."""
    ratio = node["x"].scale / node["y"].scale
    return round(256 * ratio) / 256 if node.numerics == Numerics.NOTEBOOK else ratio
