"""Code sizes of functions of dsp_pixels.h and dsp_rows.h that kernels of several layers share."""

from collections.abc import Mapping
from typing import Protocol

from runtimes.core.dsp_requantization import Owning
from runtimes.families.owning import Unpaired

WHOLE = ((-128, 127), (0, 255))  # ranges of y that saturation alone clamps to
THRESHOLDS, ROUNDING = 800, 924  # bytes, in assembly
OWN_THRESHOLDS, OWN_ROUNDING = 464, 212  # more, where some channels are requantised in another way
APART = 36  # more, where pairs of weights are two bytes
CLAMPED = 1130  # as GCC compiles them
THREE_THRESHOLDS, THREE_OTHERS = 618, 720  # of three pixels
TWO_THRESHOLDS, TWO_ROUNDING = 888, 1000  # of two
EIGHT_CHANNELS = {"rows::eight_channels": 844}  # and products of neighbours
ROW_OF_OUTPUTS = EIGHT_CHANNELS | {"rows::row_of_outputs": 264}


class _Outputs(Protocol):
    """Params that select which instance of a shared function a kernel calls."""

    @property
    def left_shift(self) -> int: ...
    @property
    def right_shift(self) -> int: ...
    @property
    def activation_min(self) -> int: ...
    @property
    def activation_max(self) -> int: ...
    @property
    def output_channels(self) -> int: ...


def pixel_functions(p: _Outputs, *, parts: bool = False) -> Mapping[str, int]:
    """Functions that a kernel with these params calls for single pixels: name -> bytes of code.
    `parts`: functions for parts of windows.
    """
    kind, own, apart = _kind(p), isinstance(p, Owning), isinstance(p, Unpaired)
    windows = ", parts" * parts + ", apart" * apart
    of = windows + ", own" * own
    if _by_thresholds(p) or (own and p.right_shift):
        size = THRESHOLDS + OWN_THRESHOLDS * own + APART * apart
        return {f"four_pixels, thresholds {kind}{of}": size}
    if (p.activation_min, p.activation_max) == WHOLE[0]:
        size = ROUNDING + OWN_ROUNDING * own + APART * apart
        return {f"four_pixels, rounding{of}": size}
    return {f"four_pixels, clamped {kind}" + windows: CLAMPED + APART * apart}


def three_pixel_functions(p: _Outputs) -> Mapping[str, int]:
    """Functions that a kernel calls for groups of three pixels: name -> bytes of code."""
    apart = isinstance(p, Unpaired)
    of = f"{_kind(p)}{', apart' * apart}"
    if _by_thresholds(p) and p.output_channels % 2 == 0:
        return {f"three_pixels, thresholds {of}": THREE_THRESHOLDS + APART * apart}
    return {f"three_pixels, others {of}": THREE_OTHERS + APART * apart}


def two_pixel_functions(p: _Outputs) -> Mapping[str, int]:
    """Functions that a kernel calls for groups of two pixels: name -> bytes of code."""
    if p.right_shift:
        return {f"two_pixels, thresholds {p.left_shift}, {p.right_shift}": TWO_THRESHOLDS}
    return {"two_pixels, rounding": TWO_ROUNDING}


def _kind(p: _Outputs) -> str:
    return f"{p.left_shift}, {p.right_shift}, {(p.activation_min, p.activation_max)}"


def _by_thresholds(p: _Outputs) -> bool:
    return (p.activation_min, p.activation_max) in WHOLE and p.right_shift != 0
