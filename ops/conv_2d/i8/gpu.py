"""Conv2D of int8 by gpu.cl: an element of y for each work-item."""

from __future__ import annotations

from runtimes.core.per_channel import Tables
from runtimes.families.convolution import CONVOLUTION
from runtimes.gpu.kernel import each_element, on_gpu

from .params import Params

GPU = on_gpu(CONVOLUTION.reference(Params, Tables, lambda node: {}), each_element)
