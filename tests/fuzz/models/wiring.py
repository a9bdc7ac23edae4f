"""Edits that mostly leave a model well-formed: other edges, inputs and outputs."""

import random
from typing import Any

from tests.fuzz.models.edits import Edit
from tests.fuzz.models.tree import SIZE_OF, TYPES, table

MOST = 1 << 16  # bytes of data that an input becomes


def rewire(model: Any, random: random.Random) -> str:
    """Let a node read a different tensor of the same type, preferably of the same shape."""
    graph = model.subgraphs[0]
    places = [(node, i) for node in graph.operators or () for i in range(len(node.inputs or ()))]
    if not places:
        return ""
    node, place = random.choice(places)
    known = [number for number in range(len(graph.tensors)) if number not in (node.outputs or ())]
    if not 0 <= node.inputs[place] < len(graph.tensors):
        return ""
    old = graph.tensors[node.inputs[place]]
    alike = [i for i in known if graph.tensors[i].type == old.type and i != node.inputs[place]]
    same = [i for i in alike if list(graph.tensors[i].shape or ()) == list(old.shape or ())]
    found = same if same and random.random() < 0.8 else alike
    if not found:
        return ""
    node.inputs[place] = random.choice(found)
    return f"input {place} of a node is tensor {node.inputs[place]}"


def constant_input(model: Any, random: random.Random) -> str:
    """Replace a graph input by a constant."""
    graph = model.subgraphs[0]
    if not list(graph.inputs or ()):
        return ""
    number = random.choice(list(graph.inputs))
    if not 0 <= number < len(graph.tensors):
        return ""
    tensor, count = graph.tensors[number], 1
    for size in tensor.shape or ():
        count *= max(size, 0)
    count *= SIZE_OF.get(tensor.type, 1)
    if count > MOST:
        return ""
    graph.inputs = [each for each in graph.inputs if each != number]
    made = table("Buffer")
    value = random.choice((None, 0, 127, 128))
    content = random.randbytes(count) if value is None else bytes([value]) * count
    made.data = bytearray(_plain(content, tensor.type))
    model.buffers.append(made)
    tensor.buffer = len(model.buffers) - 1
    return f"graph input {number} is constant"


def input_for_constant(model: Any, random: random.Random) -> str:
    """Replace a constant by a graph input."""
    graph = model.subgraphs[0]
    found = [i for i, tensor in enumerate(graph.tensors or ()) if tensor.buffer > 0]
    found = [i for i in found if i not in list(graph.inputs or ())]
    if not found:
        return ""
    number = random.choice(found)
    graph.tensors[number].buffer = 0
    graph.inputs = [*(graph.inputs or ()), number]
    return f"constant {number} is a graph input"


def output(model: Any, random: random.Random) -> str:
    """Make any tensor an output, or remove an output."""
    graph = model.subgraphs[0]
    outputs = list(graph.outputs or ())
    if random.random() < 0.3 and len(outputs) > 1:
        graph.outputs = random.sample(outputs, len(outputs) - 1)
        return f"outputs {graph.outputs}"
    graph.outputs = [*outputs, random.randrange(max(len(graph.tensors or ()), 1))]
    return f"outputs {graph.outputs}"


WIRING_EDITS: dict[Edit, int] = {rewire: 10, constant_input: 6, input_for_constant: 4, output: 5}


def _plain(content: bytes, kind: int) -> bytes:
    """Data of a constant, in which booleans are 0 or 1."""
    return bytes(each & 1 for each in content) if kind == TYPES["BOOL"] else content
