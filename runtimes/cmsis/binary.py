"""Kernels of functions of two tensors, by the DSP extension, Helium and the FPU."""

from opsmith.op import *
from runtimes.cmsis.affine import dsp_pairs
from runtimes.cmsis.dsp_terms import dsp_terms
from runtimes.cmsis.kernel import of_reference
from runtimes.cmsis.mve_elements import mve_pairs
from runtimes.cmsis.words import pairs
from runtimes.families.broadcast import in_place
from runtimes.families.broadcast import pairs as pairs_of

# name of the function that a kind knows -> struct of binary.h, and signs of a and b
SUMS = {"wrapping_sum": ("Sum", (1, 1)), "wrapping_difference": ("Difference", (1, -1))}

# name of the function that a kind knows -> struct of binary.h that fpu_binary.h computes
FLOATS = {
    "wrapping_sum": "Sum",
    "wrapping_difference": "Difference",
    "wrapping_product": "Product",
    "squared_difference": "SquaredDifference",
}
WIDEST = float(np.finfo(np.float32).max)


def sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a variant that adds or subtracts quantised tensors; none for other functions."""
    return tuple(_sums(variant))


def _sums(variant: Variant) -> Iterator[Kernel]:
    assert variant.kind is not None
    struct, signs = SUMS.get(variant.kind.facts["F"], ("", (0, 0)))
    if not struct or variant.evaluate is None:
        return
    if variant.types["T"] != i16:
        yield mve_pairs(variant.evaluate, signs)
        yield dsp_pairs(variant.evaluate, signs)
        yield dsp_terms(signs)
    yield pairs("mve", struct, 5.6)(variant)
    yield pairs("dsp", struct, 17.5)(variant)


def real_sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a sum or a difference of bytes that is computed in float32 and rounded once."""
    assert variant.kind is not None
    assert variant.evaluate is not None
    signs = dict(SUMS.values())[variant.kind.facts["F"]]
    return mve_pairs(variant.evaluate, signs), dsp_pairs(variant.evaluate, signs)


def clamped_floats(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel of a sum, difference or product of float32, for nodes without fused activation."""
    return _floats(variant, "finite_pairs", _activation)


def floats(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel of a float32 function without fused activation; none for other variants."""
    return _floats(variant, "pairs", lambda node: "") if variant.types["T"] == f32 else ()


def _floats(
    variant: Variant, function: str, problem: Callable[[NodeView], str]
) -> tuple[Kernel, ...]:
    assert variant.kind is not None
    struct = FLOATS.get(variant.kind.facts["F"])
    if struct is None:
        return ()
    made = of_reference(
        "fpu",
        _cost,
        problem,
        code=Code(instance=330, general=900, slowdown=1.2),
        header="runtimes/cmsis/fpu_binary.h",
        function=f"opsmith::fpu::{function}<opsmith::binary::{struct}>",
        arguments=("p", "in.a", "in.b", "out.y"),
    )
    return (in_place(made(variant)),)


def _activation(node: NodeView) -> str:
    """Reason against a node whose outputs are clamped to finite bounds, or ""."""
    low, high = real_clamp_range(node)
    return "" if -low == high == WIDEST else f"outputs are clamped to {low} to {high}"


def _cost(node: NodeView) -> float:
    """Instructions for rows of pairs; pairs at the end that fill no vector take longer."""
    p = pairs_of(node)
    eights, ones = divmod(p.size[4], 8)
    return math.prod(p.size[:4]) * (30.0 + 23.0 * eights + 8.0 * ones)


KERNELS = (
    KernelsFor("quantised", (sums,)),
    KernelsFor("real", (real_sums,)),
    KernelsFor("floats", (clamped_floats,)),
    KernelsFor("plain", (floats,)),
)
