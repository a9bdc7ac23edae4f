"""Sentences about tensors that have to be quantised per tensor."""

from opsmith.op import *


def per_tensor_problems(node: NodeView, *names: str) -> Iterator[str]:
    """Sentence for each tensor of `names` that is not quantised per tensor."""
    for name in names:
        quantization = node[name].quantization
        if quantization is None or quantization.per_channel:
            yield f"{name} must be quantised per tensor{_instead(node[name])}"


def _instead(x: Tensor) -> str:
    """Words for the quantisation of a tensor that is not per tensor."""
    return f": the model has min and max of '{x.name}', but no scale" if x.ranged else ""


def zero_problems(node: NodeView, *names: str) -> Iterator[str]:
    """Sentence for each tensor of `names`, all quantised per tensor, whose zero point is not 0."""
    for name in names:
        if node[name].zero_point:
            yield f"{name} must have zero point 0"


def symmetric_problems(node: NodeView, *names: str) -> Iterator[str]:
    """Sentence, with type and zero point, for each tensor of `names`, all quantised per tensor,
    whose zero point is not 0.
    """
    for name in names:
        x = node[name]
        if x.zero_point != 0:
            kind = x.dtype.numpy.name
            yield f"{name} is {kind} with zero point {x.zero_point}, which must be 0"
