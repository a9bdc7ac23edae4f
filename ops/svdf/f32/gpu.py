"""SVDF on a GPU, of float32: a work-item for each element of y."""

from __future__ import annotations

from opsmith.op import KernelsFor
from opsmith.runtimes.gpu.kernel import each_element, of_reference

from . import F32

KERNELS = (KernelsFor(F32.types, (of_reference(each_element),)),)
