"""Edits of how a model is stored: weights of fewer bits, sizes left open, functions by name."""

import copy
import math
import random
from typing import Any

import numpy as np

from tests.fuzz.models import values
from tests.fuzz.models.edits import Edit
from tests.fuzz.models.tree import OPERATORS, TYPES, renumber, table
from tests.unit.frontend.sparse_models import encoded, encoding


def dynamic_range(model: Any, random: random.Random) -> str:
    """Store a constant of float32 as int8, per tensor or per channel."""
    tensor, data = _constant(model, random, "FLOAT32")
    if tensor is None or not list(tensor.shape or ()):
        return ""
    axis = random.choice((None, 0, len(tensor.shape) - 1))
    count = 1 if axis is None else tensor.shape[axis]
    tensor.type = TYPES["INT8"]
    tensor.quantization = table("QuantizationParameters")
    tensor.quantization.scale = [random.choice((0.1, 0.5, 1e-3)) for _ in range(count)]
    tensor.quantization.zeroPoint = [0] * count
    tensor.quantization.quantizedDimension = axis or 0
    data[:] = random.randbytes(len(data) // 4).replace(b"\x80", b"\x81")
    return f"a constant of float32 as int8 with {count} scales"


def four_bits(model: Any, random: random.Random) -> str:
    """Store a constant of int8 as int4."""
    tensor, data = _constant(model, random, "INT8")
    if tensor is None:
        return ""
    tensor.type = TYPES["INT4"]
    data[:] = random.randbytes((len(data) + random.choice((1, 1, 1, 1, 0))) // 2)
    return "a constant of int8 as int4"


def half_floats(model: Any, random: random.Random) -> str:
    """Store a constant of float32 as float16, with a node that widens it."""
    graph = model.subgraphs[0]
    tensor, data = _constant(model, random, "FLOAT32")
    if tensor is None or len(data) % 4 or tensor not in graph.tensors:
        return ""
    halves, buffer, code, node = map(table, ("Tensor", "Buffer", "OperatorCode", "Operator"))
    with np.errstate(all="ignore"):
        buffer.data = bytearray(np.frombuffer(bytes(data), "<f4").astype("<f2").tobytes())
    halves.name, halves.shape, halves.type = b"halves", list(tensor.shape or ()), TYPES["FLOAT16"]
    halves.buffer, tensor.buffer = len(model.buffers), 0
    renumber(code, OPERATORS["DEQUANTIZE"], random)
    code.version, node.opcodeIndex = 3, len(model.operatorCodes)
    node.inputs, node.outputs = [len(graph.tensors)], [graph.tensors.index(tensor)]
    model.buffers.append(buffer)
    model.operatorCodes.append(code)
    graph.tensors.append(halves)
    graph.operators.insert(0 if random.random() < 0.95 else len(graph.operators), node)
    return "a constant of float32 as float16"


def sparse(model: Any, random: random.Random) -> str:
    """Store a constant as its elements other than zero, with a node that makes it dense."""
    graph = model.subgraphs[0]
    dtype = random.choice((np.float32, np.int8))
    tensor, data = _constant(model, random, np.dtype(dtype).name.upper())
    shape = tuple(tensor.shape or ()) if tensor is not None else ()
    if tensor not in graph.tensors or len(data) != math.prod(shape) * np.dtype(dtype).itemsize:
        return ""
    values = np.frombuffer(bytes(data), dtype).reshape(shape)
    found, stored = encoded(values, encoding(shape, random))
    if not len(stored):
        return ""
    held, buffer, code, node = (
        copy.copy(tensor), *(table(each) for each in ("Buffer", "OperatorCode", "Operator")),
    )  # fmt: skip
    buffer.data, held.name, held.sparsity = bytearray(stored.tobytes()), b"sparse", found
    held.buffer, tensor.buffer = len(model.buffers), 0
    renumber(code, OPERATORS["DENSIFY"], random)
    node.opcodeIndex = len(model.operatorCodes)
    node.inputs, node.outputs = [len(graph.tensors)], [graph.tensors.index(tensor)]
    model.buffers.append(buffer)
    model.operatorCodes.append(code)
    graph.tensors.append(held)
    graph.operators.insert(0, node)
    return f"a constant of {shape} stored sparsely"


def open_sizes(model: Any, random: random.Random) -> str:
    """Leave the size of an input's axis open, and of all tensors with that size there."""
    graph = model.subgraphs[0]
    inputs = [graph.tensors[i] for i in graph.inputs or () if 0 <= i < len(graph.tensors)]
    shaped = [each for each in inputs if len(each.shape or ())]
    if not shaped:
        return ""
    tensor = random.choice(shaped)
    axis = random.choice((0, 0, random.randrange(len(tensor.shape))))
    size, stored = tensor.shape[axis], random.choice((1, 1, 1, -1, tensor.shape[axis]))
    written = {number for node in graph.operators or () for number in node.outputs or ()}
    for number, each in enumerate(graph.tensors):
        shape = list(each.shape or ())
        alike = number in written and axis < len(shape) and shape[axis] == size
        if each is tensor or alike:
            each.shape = [*shape[:axis], stored, *shape[axis + 1 :]]
            each.shapeSignature = [*shape[:axis], -1, *shape[axis + 1 :]]
    return f"axis {axis} of size {size} is open, {stored} is stored"


def functions(model: Any, random: random.Random) -> str:
    """Give each subgraph a signature, mostly after adding a copy of a subgraph."""
    if random.random() < 0.7:
        model.subgraphs = [*model.subgraphs, copy.deepcopy(random.choice(model.subgraphs))]
    model.signatureDefs = []
    for number in range(len(model.subgraphs)):
        made = table("SignatureDef")
        made.signatureKey = values.name(random) if random.random() < 0.2 else b"f%d" % number
        made.inputs, made.outputs, made.subgraphIndex = [], [], number
        model.signatureDefs.append(made)
    return f"{len(model.subgraphs)} functions"


STORAGE_EDITS: dict[Edit, int] = {
    dynamic_range: 5, four_bits: 5, half_floats: 5, sparse: 5, open_sizes: 7, functions: 3,
}  # fmt: skip


def _constant(model: Any, random: random.Random, dtype: str) -> tuple[Any, bytearray]:
    """Random constant of a type whose data no other tensor shares; None without one."""
    graphs = model.subgraphs or ()
    tensors = [each for graph in graphs for each in graph.tensors or () if each.buffer]
    uses = [each.buffer for each in tensors]
    found = [
        each
        for each in tensors
        if each.type == TYPES[dtype]
        and uses.count(each.buffer) == 1
        and each.buffer < len(model.buffers)
        and model.buffers[each.buffer].data
    ]
    if not found:
        return None, bytearray()
    tensor = random.choice(found)
    return tensor, model.buffers[tensor.buffer].data
