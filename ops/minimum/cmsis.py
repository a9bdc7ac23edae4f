"""Minimum of several elements at a time."""

from __future__ import annotations

from opsmith.runtimes.cmsis.lanes import LANES

KERNELS = LANES
