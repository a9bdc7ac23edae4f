"""Weights with a scale for each block of a row, as ai-edge-quantizer's recipes make them.

The scales are a tensor of float16, [rows, blocks], that no operator reads. Operators that read such
weights become ops of their own, which take the scales as an input.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.ir.types import f32
from opsmith.tflite.schema import SchemaReader

_SCALES, _ZERO_POINTS, _SIZE, _SHAPE = 4, 6, 8, 10  # of LiteRT's table BlockwiseQuantization
_BLOCKS = {
    "tflite.FULLY_CONNECTED": "tflite.CUSTOM.OpsmithFullyConnectedBlocks",
    "tflite.EMBEDDING_LOOKUP": "tflite.CUSTOM.OpsmithEmbeddingLookupBlocks",
}
_WEIGHTS = 1  # index of the weights among inputs
_IGNORED = ("asymmetric_quantize_inputs", "quantized_bias_type")


class BlockError(Exception):
    """Raised for weights whose blocks cannot be read; the text is a clause about the tensor."""


def block_scales(
    reader: SchemaReader,
    stored: Any,
    weights: Tensor,
    halves: Callable[[int], Array | None],
) -> tuple[int, Array]:
    """Number of the tensor with the scales of the weights, and the scales as float32.

    `halves` returns the elements of a float16 tensor by its number. Raises BlockError.
    """
    details, shape = stored.Details(), weights.shape
    place, zeros, size = (reader.number(details, at) for at in (_SCALES, _ZERO_POINTS, _SIZE))
    of = f"it has a scale for each block of {size} elements of a channel"
    if not weights.packed:
        raise BlockError(f"{of}, and is no constant of int4 or int2")
    if details is not None and details.Offset(_SHAPE):
        raise BlockError(f"{of}, and blocks of several channels")
    if zeros > 0:
        raise BlockError(f"{of}, and zero points")
    if len(shape) != 2 or stored.QuantizedDimension() or size < 1 or shape[1] % size:
        raise BlockError(f"{of}, which do not divide rows of shape {shape}")
    found, wanted = halves(place), (shape[0], shape[1] // size)
    if found is None:
        raise BlockError(f"{of}, but tensor {place} is no constant of float16 for them alone")
    if found.shape != wanted:
        raise BlockError(f"{of}, but tensor {place} has shape {found.shape}, not {wanted}")
    if not np.isfinite(found).all() or (found < 0).any():
        raise BlockError(f"{of}, some of which are no positive number")
    return place, found.astype(f32.numpy)


def with_blocks(graph: Graph, scales: Mapping[str, str]) -> Graph:
    """Graph with ops for blockwise weights, which read scales; `scales` is by id of the weights."""
    return graph.with_nodes(
        tuple(
            _of_blocks(node, scales[node.inputs[_WEIGHTS] or ""])
            if _takes_blocks(graph, node, scales)
            else node
            for node in graph.nodes
        )
    )


def unread_blocks(graph: Graph, scales: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of blockwise weights and a reader that knows no blocks: an operator, or the outputs."""
    for node in graph.nodes:
        taken = node.inputs[_WEIGHTS] if _takes_blocks(graph, node, scales) else None
        for name in dict.fromkeys(node.inputs):
            if name in scales and name != taken:
                yield name or "", node.source
    yield from ((name, "graph outputs") for name in graph.outputs if name in scales)


def _takes_blocks(graph: Graph, node: Node, scales: Mapping[str, str]) -> bool:
    """True if a node multiplies rows of float32 by blockwise weights, or looks up rows of them."""
    if node.op not in _BLOCKS or len(node.inputs) <= _WEIGHTS:
        return False
    floats = all(graph.tensors[name].dtype == f32 for name in node.outputs)
    others = (*node.inputs[:_WEIGHTS], *node.inputs[_WEIGHTS + 1 :])
    return floats and node.inputs[_WEIGHTS] in scales and not {*others} & {*scales}


def _of_blocks(node: Node, scales: str) -> Node:
    given = (*node.inputs[: _WEIGHTS + 1], scales, *node.inputs[_WEIGHTS + 1 :])
    options = {k: v for k, v in node.attributes.items() if v and k not in _IGNORED}
    return replace(node, op=_BLOCKS[node.op], inputs=given, attributes=options)
