"""Nodes of layers for models of tests, with the options that they need."""

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import SubgraphWriter


def conv_2d(
    m: SubgraphWriter,
    x: ModelTensor,
    filters: ModelTensor,
    bias: ModelTensor | None,
    y: ModelTensor,
    *,
    padding: str = "SAME",
    stride: int = 1,
    version: int = 3,
    **options: OptionValue,
) -> ModelTensor:
    """Output y of a new CONV_2D; `options` are further options of the operator."""
    options |= {"padding": padding, "stride_h": stride, "stride_w": stride}
    return m.value("CONV_2D", [x, filters, bias], y, options, version=version)
