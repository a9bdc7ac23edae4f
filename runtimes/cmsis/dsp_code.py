"""Sizes of the functions of dsp_pixels.h, which instances of several kernels and layers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

WHOLE = ((-128, 127), (0, 255))  # ranges of y that saturation alone clamps to
THRESHOLDS, ROUNDING = 826, 954  # bytes, in assembly
CLAMPED = 1130  # as GCC compiles them


class _Outputs(Protocol):
    """Params that tell these functions apart."""

    @property
    def left_shift(self) -> int: ...
    @property
    def right_shift(self) -> int: ...
    @property
    def activation_min(self) -> int: ...
    @property
    def activation_max(self) -> int: ...


def pixel_functions(p: _Outputs) -> Mapping[str, int]:
    """Return what an instance for these params calls: name -> bytes."""
    bounds = (p.activation_min, p.activation_max)
    kind = f"{p.left_shift}, {p.right_shift}, {bounds}"
    if bounds in WHOLE and p.right_shift != 0:
        return {f"four_pixels, thresholds {kind}": THRESHOLDS}
    if bounds == WHOLE[0]:
        return {"four_pixels, rounding": ROUNDING}
    return {f"four_pixels, clamped {kind}": CLAMPED}
