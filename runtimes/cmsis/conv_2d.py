"""Conv2D by CMSIS-NN."""

from __future__ import annotations

from opsmith.runtimes.cmsis.cmsis_nn import NnConvolution, convolution_buffer, nn_convolution
from opsmith.runtimes.families.convolution import CONVOLUTION, refused_groups

KERNELS = nn_convolution(
    CONVOLUTION,
    NnConvolution,
    refused_groups,  # of more than one, releases differ in what they do
    convolution_buffer,
    {"mve": (0.188, 15.4), "dsp": (1.67, 41.4)},
)
