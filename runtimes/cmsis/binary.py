"""Kernels of sums and differences of quantised tensors, by the DSP extension and Helium."""

from __future__ import annotations

from collections.abc import Iterator

from opsmith.op import Kernel, KernelsFor, Variant, i16
from opsmith.runtimes.cmsis.affine import dsp_pairs
from opsmith.runtimes.cmsis.mve_elements import mve_pairs
from opsmith.runtimes.cmsis.words import pairs

# name of the function that a kind knows -> struct of binary.h, and signs of a and b
SUMS = {"wrapping_sum": ("Sum", (1, 1)), "wrapping_difference": ("Difference", (1, -1))}


def sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a sum or a difference; none of another function."""
    return tuple(_sums(variant))


def _sums(variant: Variant) -> Iterator[Kernel]:
    assert variant.kind is not None
    struct, signs = SUMS.get(variant.kind.facts["F"], ("", (0, 0)))
    if not struct or variant.evaluate is None:
        return
    if variant.types["T"] != i16:
        yield mve_pairs(variant.evaluate, signs)
        yield dsp_pairs(variant.evaluate, signs)
    yield pairs("mve", struct, 5.0)(variant)
    yield pairs("dsp", struct, 17.5)(variant)


def real_sums(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels of a sum or a difference that is rounded once from float32."""
    assert variant.kind is not None
    assert variant.evaluate is not None
    signs = dict(SUMS.values())[variant.kind.facts["F"]]
    return mve_pairs(variant.evaluate, signs), dsp_pairs(variant.evaluate, signs)


KERNELS = (KernelsFor("quantised", (sums,)), KernelsFor("real", (real_sums,)))
