"""CONV_2D kernels that call CMSIS-NN."""

from opsmith.op.kernel import Refused
from opsmith.op.view import NodeView
from runtimes.cmsis.cmsis_nn import NnConvolution, convolution_buffer, nn_convolution
from runtimes.families.convolution import CONVOLUTION, refused_groups


def _refused(node: NodeView) -> Refused | None:
    """Reason against nodes with several groups, which releases of CMSIS-NN compute differently. For
    filters of one row, some functions take the rows of y for rows of x; for filters of 1x1, the
    pixels.
    """
    if node["filter"].shape[1] == 1 and any(node.attributes["border"]):
        return Refused("a filter of one row reaches a border")
    return refused_groups(node)


KERNELS = nn_convolution(
    CONVOLUTION,
    NnConvolution,
    _refused,
    convolution_buffer,
    {"mve": (0.188, 15.4), "dsp": (1.67, 41.4)},
)
