"""Edits of one tensor, buffer or name of a model: each says what it did, or nothing at all.

A half of them are made everywhere at once (every tensor with this size, type or scale), for a model
that is wrong in one place alone is mostly refused, and a new one that is consistent is computed.
"""

import random
import struct
from collections.abc import Callable
from typing import Any

from tests.fuzz.models import values
from tests.fuzz.models.tree import SIZE_OF, TYPES, table

Edit = Callable[[Any, random.Random], str]


def shape(model: Any, random: random.Random) -> str:
    """Change the size of an axis, or add or remove one."""
    tensor = _tensor(model, random)
    sizes = list(tensor.shape or [])
    if not sizes or random.random() < 0.2:
        rank = random.choice((0, 1, 2, 4, 5, 6, 8, 9, len(sizes) + 1))
        tensor.shape = (sizes + [1] * 9)[:rank] if random.random() < 0.5 else [1] * rank
        return f"rank {rank} of {_said(tensor)}"
    axis = random.randrange(len(sizes))
    old, new = sizes[axis], values.size_near(random, sizes[axis])
    if random.random() < 0.35 or new < 1:
        tensor.shape = [*sizes[:axis], new, *sizes[axis + 1 :]]
        _fill(model, tensor, random)
        return f"size {new} instead of {old} of {_said(tensor)}"
    for each in _tensors(model):
        each.shape = [new if size == old else size for size in each.shape or []]
        _fill(model, each, random)
    return f"size {new} instead of every {old}"


def element_type(model: Any, random: random.Random) -> str:
    """Change the element type of one tensor, or of all with its type."""
    tensor = _tensor(model, random)
    usual = [TYPES[name] for name in ("INT8", "INT16", "UINT8", "INT32", "FLOAT32", "INT64")]
    old, new = tensor.type, random.choice(usual if random.random() < 0.7 else [*TYPES.values()])
    which = [each for each in _tensors(model) if each.type == old]
    which = [tensor] if random.random() < 0.4 else which
    for each in which:
        each.type = new
        _fill(model, each, random)
    return f"type {new} instead of {old} of {len(which)} tensors, {_said(tensor)} among them"


def scale(model: Any, random: random.Random) -> str:
    """Change the scale of one tensor, or of all with its scale."""
    found = [each for each in _tensors(model) if each.quantization and each.quantization.scale]
    if not found:
        return ""
    tensor = random.choice(found)
    scales = tensor.quantization.scale
    place = random.randrange(len(scales))
    old, new = scales[place], values.float_near(random, scales[place])
    if random.random() < 0.5:
        scales[place] = new
        return f"scale {new} instead of {old} of {_said(tensor)}"
    for each in found:
        kept = each.quantization.scale
        each.quantization.scale = [new if each == old else each for each in kept]
    return f"scale {new} instead of every {old}"


def zero_point(model: Any, random: random.Random) -> str:
    """Change the zero point of one tensor, or of all with its zero point."""
    found = [each for each in _tensors(model) if each.quantization and each.quantization.zeroPoint]
    if not found:
        return ""
    tensor = random.choice(found)
    points = tensor.quantization.zeroPoint
    place = random.randrange(len(points))
    old = points[place]
    limits = (-128, 127, 0, 255, -32768, 1, 2**31 - 1, 2**31, -(2**63), 2**63 - 1)
    new = random.choice((*limits, old + 1, old - 1))
    new = max(-(2**63), min(2**63 - 1, new))
    if random.random() < 0.5:
        points[place] = new
        return f"zero point {new} instead of {old} of {_said(tensor)}"
    for each in found:
        kept = each.quantization.zeroPoint
        each.quantization.zeroPoint = [new if point == old else point for point in kept]
    return f"zero point {new} instead of every {old}"


def quantization(model: Any, random: random.Random) -> str:
    """Change a quantisation: counts of scales and zero points, axis, details, or all."""
    tensor = _tensor(model, random)
    found = tensor.quantization
    if found is None:
        found = tensor.quantization = table("QuantizationParameters")
        found.scale, found.zeroPoint = [0.5], [0]
        return f"quantization of {_said(tensor)} that had none"
    match random.randrange(8):
        case 0:
            tensor.quantization = None
            return f"no quantization of {_said(tensor)}"
        case 1:
            found.zeroPoint = random.choice((None, [], [0] * (len(found.scale or []) + 1)))
        case 2:
            found.scale = random.choice((None, [], [*(found.scale or []), 0.5]))
        case 3:
            found.quantizedDimension = values.near(random, found.quantizedDimension)
        case 4:
            count = random.choice(tensor.shape or [1])
            count = count if 0 < count < 99 else 1
            found.scale = [random.choice((0.1, 0.5, 1e-3)) for _ in range(count)]
            found.zeroPoint = [random.choice((0, 0, 0, 3)) for _ in range(count)]
            found.quantizedDimension = random.randrange(len(tensor.shape or [1]) or 1)
        case 5:
            found.min, found.max = [random.choice(values.FLOATS)], [random.choice(values.FLOATS)]
        case 6:
            found.scale, found.zeroPoint = (found.scale or [])[:1], (found.zeroPoint or [])[:1]
        case _:
            found.detailsType, found.details = 1, table("CustomQuantization")
            found.details.custom = [random.randrange(256) for _ in range(random.randrange(9))]
    return f"other counts, axis or details in the quantization of {_said(tensor)}"


def variable(model: Any, random: random.Random) -> str:
    """Make a tensor variable, or no longer variable."""
    tensor = _tensor(model, random)
    tensor.isVariable = not tensor.isVariable
    return f"variable {tensor.isVariable} of {_said(tensor)}"


def buffer(model: Any, random: random.Random) -> str:
    """Give a tensor a different buffer, or a buffer a different size or place."""
    tensor = _tensor(model, random)
    count = len(model.buffers or [])
    match random.randrange(5):
        case 0:
            tensor.buffer = random.choice((0, count, count + 7, 2**31, 2**32 - 1))
            return f"buffer {tensor.buffer} of {_said(tensor)}"
        case 1:
            tensor.buffer = random.randrange(max(count, 1))
            return f"buffer {tensor.buffer}, of another, of {_said(tensor)}"
        case 2 if count:
            found = random.choice(model.buffers)
            found.offset = random.choice((0, 1, 2, 4, 64, 2**31, 2**63, 2**64 - 1))
            found.size = random.choice((0, 1, 4, 64, 2**31, 2**63, 2**64 - 1))
            return f"a buffer at {found.offset} with {found.size} bytes"
        case 3 if count:
            found = random.choice(model.buffers)
            data = bytearray(found.data or b"")
            found.data = random.choice((data[:-1], data + b"\0", data * 2, bytearray(), None))
            return "a buffer of another size"
    made = table("Buffer")
    model.buffers = [*(model.buffers or []), made]
    tensor.buffer = len(model.buffers) - 1
    made.data = bytearray(b"\0")
    _fill(model, tensor, random)
    return f"data for {_said(tensor)}"


def data(model: Any, random: random.Random) -> str:
    """Change elements of a constant."""
    found = [each for each in _tensors(model) if _data_of(model, each)]
    if not found:
        return ""
    tensor = random.choice(found)
    content, size = _data_of(model, tensor), SIZE_OF.get(tensor.type, 1)
    assert content is not None
    match random.randrange(4):
        case 0:
            element = random.choice((b"\x80", b"\x7f", b"\0", b"\xff"))
            content[:] = element * len(content)
        case 1:
            content[:] = random.randbytes(len(content))
        case _:
            at = random.randrange(max(len(content) // size, 1)) * size
            content[at : at + size] = _element(tensor, size, bytes(content[at : at + size]), random)
    return f"other elements of {_said(tensor)}"


def rename(model: Any, random: random.Random) -> str:
    """Rename a tensor, or give several the same name."""
    named = values.name(random)
    tensors = random.sample(_tensors(model), min(random.randint(1, 3), len(_tensors(model))))
    for tensor in tensors:
        tensor.name = None if random.random() < 0.05 else named
    return f"the name {named[:20]!r} for {len(tensors)} tensors"


def odd_fields(model: Any, random: random.Random) -> str:
    """Change a tensor's field that LiteRT knows and Opsmith does not."""
    tensor = _tensor(model, random)
    match random.randrange(4):
        case 0:
            tensor.shapeSignature = [random.choice((-1, 0, 1, 2)) for _ in tensor.shape or []]
        case 1:
            tensor.hasRank = not tensor.hasRank
        case 2:
            tensor.sparsity = table("SparsityParameters")
            tensor.sparsity.traversalOrder = [0]
        case _:
            tensor.variantTensors = [table("VariantSubType")]
    return f"signature, rank, sparsity or variant of {_said(tensor)}"


TENSOR_EDITS: dict[Edit, int] = {
    shape: 14, element_type: 6, scale: 14, zero_point: 8, quantization: 7, variable: 3, buffer: 5,
    data: 10, rename: 5, odd_fields: 2,
}  # fmt: skip


def _tensors(model: Any) -> list[Any]:
    return [each for graph in model.subgraphs or () for each in graph.tensors or ()]


def _tensor(model: Any, random: random.Random) -> Any:
    found = _tensors(model)
    return random.choice(found) if found else table("Tensor")


def _said(tensor: Any) -> str:
    return repr((tensor.name or b"")[:24].decode("utf-8", "backslashreplace"))


def _data_of(model: Any, tensor: Any) -> bytearray | None:
    buffers = model.buffers or []
    return buffers[tensor.buffer].data if 0 < tensor.buffer < len(buffers) else None


def _fill(model: Any, tensor: Any, random: random.Random) -> None:
    """Make the data of a constant as long as its type and shape say: repeated or cut off."""
    content, count = _data_of(model, tensor), SIZE_OF.get(tensor.type, 1)
    for size in tensor.shape or []:
        count *= max(size, 0)
    if content and count <= 1 << 20 and random.random() < 0.95:
        whole = (bytes(content) * (count // len(content) + 1))[:count]
        content[:] = whole


def _element(tensor: Any, size: int, old: bytes, random: random.Random) -> bytes:
    if tensor.type == TYPES["FLOAT32"]:
        return struct.pack("<f", random.choice(values.FLOATS))
    value = int.from_bytes(old, "little", signed=True)
    limits = (1 << 8 * size - 1) - 1
    made = max(-limits - 1, min(limits, values.near(random, value)))
    return made.to_bytes(size, "little", signed=True)
