"""Quantisations and biases of a graph of one node next to where its elements step.

Rules of rounding and precisions of scales differ in where that is, and nearly nowhere else. The
ops' numpy models say where they step, by bisection; the neighbours of that are for LiteRT.
"""

import random
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

import numpy as np

from opsmith.ir import Array, Constant, Graph, Numerics
from opsmith.op.node import view
from opsmith.oracle.evaluate import evaluate
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.trial import legal

BYTES = ("int8", "uint8")
# exponents of two by which scales change: mostly little, so that elements are not all saturated
LITTLE, MUCH = 1.5, 24.0
OFTEN, SELDOM = 0.5, 0.15
DEEP = 16.0  # and those of outputs with a bias, so that sums are large
REACHES = (1.0005, 1.05, 4.0)  # between which factors of a scale a step is looked for
LEAST, GREATEST = 1e-30, 1e30
MOST = {"int32": 1 << 29, "int64": 1 << 40}  # magnitudes of biases; larger sums may overflow
STEPS = (-2, -1, 0, 1)  # from the first value after the step


def requantised(chance: random.Random, content: ModelSubgraph, most: float = 1.0) -> ModelSubgraph:
    """The graph with other scales and zero points, of 24 random bits and at the ends of types.

    Often operands that are quantised alike stay so, and outputs keep their quantisation: ops may
    demand it, and always with `most` = 0.
    """
    alike, kept = (chance.random() >= OFTEN * most for _ in range(2))
    spread = MUCH if chance.random() < SELDOM * most else LITTLE
    added = biases(content)
    deep = DEEP * chance.random() if added and chance.random() < OFTEN else 0.0
    seed = chance.getrandbits(32)

    def changed(tensor: ModelTensor) -> ModelTensor:
        output = tensor.index in content.outputs
        if not tensor.scale or (output and kept and not deep):
            return tensor
        key = (tensor.dtype, tensor.scale, tensor.zero_point) if alike else tensor.index
        own = random.Random(f"{seed} {key}")
        scales = [_scale(own, each, spread, deep if output else 0.0) for each in tensor.scale]
        return replace(tensor, scale=tuple(scales), zero_point=_zeros(own, tensor))

    found = replace(content, tensors=[changed(each) for each in content.tensors])
    return _with_bias_scales(found, {each.index for each in added})


def _scale(chance: random.Random, scale: float, spread: float, deep: float) -> float:
    changed = scale * 2.0 ** (chance.uniform(-spread, spread) + deep)
    return float(np.float32(np.clip(changed, LEAST, GREATEST)))


def _zeros(chance: random.Random, tensor: ModelTensor) -> tuple[int, ...]:
    """Zero points of a tensor: for bytes often a new one, such as an end of the type; else those
    given.
    """
    if tensor.dtype not in BYTES or len(tensor.scale) > 1 or chance.random() < OFTEN:
        return tensor.zero_point
    limits = np.iinfo(tensor.dtype)
    return (chance.choice((limits.min, limits.max, 0, chance.randint(limits.min, limits.max))),)


def biases(content: ModelSubgraph) -> list[ModelTensor]:
    """Constants of integers that the op of a node calls biases."""
    graph = legal(model(content), "biases")
    (node,) = graph.nodes
    seen = view(graph, node, shipped_ops().of(graph, node))
    names = {
        each.name
        for name, each in seen.tensors.items()
        if each is not None and not isinstance(each, tuple) and name.endswith("bias")
    }
    return [t for t in content.tensors if t.name in names and t.data and t.dtype in MOST]


def _with_bias_scales(content: ModelSubgraph, added: Container[int]) -> ModelSubgraph:
    """Graph whose biases have the product of input's and weights' scales, as LiteRT demands."""
    others = (
        each
        for each in content.tensors
        if each.scale and each.index not in content.outputs and each.index not in added
    )
    product = float(np.float32(np.prod([each.scale[0] for each in others][:2])))
    tensors = [
        replace(each, scale=(product,), zero_point=(0,)) if each.index in added else each
        for each in content.tensors
    ]
    return replace(content, tensors=tensors)


def _replaced(content: ModelSubgraph, tensor: ModelTensor) -> ModelSubgraph:
    tensors = [tensor if each.index == tensor.index else each for each in content.tensors]
    return replace(content, tensors=tensors)


def at_steps_of_scales(
    chance: random.Random, content: ModelSubgraph, inputs: Sequence[Array], rule: Numerics
) -> Iterator[ModelSubgraph]:
    """Two graphs with neighbouring scales of one tensor, between which an output element changes by
    the rule.
    """
    graph = legal(model(content), "steps", rule)
    seen = {each.name for each in graph.tensors.values() if each.quantization is not None}
    tensor = chance.choice([each for each in content.tensors if each.scale and each.name in seen])
    channel, reach = chance.randrange(len(tensor.scale)), chance.choice(REACHES)

    def with_scale(number: int) -> ModelTensor:
        scales = [*tensor.scale]
        scales[channel] = float(np.uint32(number).view(np.float32))
        return replace(tensor, scale=tuple(scales))

    def outputs(number: int) -> Array:
        return _outputs(_quantised_as(graph, with_scale(number)), inputs)

    ends = [np.float32(tensor.scale[channel] * each) for each in (1 / reach, reach)]
    low, high = (int(each.view(np.uint32)) for each in ends)
    step = _step(chance, outputs, low, high)
    for distance in STEPS if step is not None else ():
        yield _replaced(content, with_scale((step or 0) + distance))


def _step(
    chance: random.Random, outputs: Callable[[int], Array], low: int, high: int
) -> int | None:
    """First number of a range at which an output element changes; None where all stay."""
    first = outputs(low)
    differing = np.flatnonzero(first != outputs(high))
    if not differing.size:
        return None
    element = chance.choice(differing.tolist())
    while high - low > 1:
        middle = (low + high) // 2
        if outputs(middle)[element] == first[element]:
            low = middle
        else:
            high = middle
    return high


def _quantised_as(graph: Graph, tensor: ModelTensor) -> Graph:
    (found,) = (each for each in graph.tensors.values() if each.name == tensor.name)
    assert found.quantization is not None
    quantization = replace(found.quantization, scales=tensor.scale)
    changed = replace(found, quantization=quantization)
    return replace(graph, tensors={**graph.tensors, found.id: changed})


def _outputs(graph: Graph, inputs: Sequence[Array]) -> Array:
    """Elements of all outputs of the graph, concatenated."""
    with np.errstate(all="ignore"):
        values = evaluate(graph, shipped_ops(), inputs)
    return np.concatenate([values[name].reshape(-1) for name in graph.outputs])


def at_steps_of_biases(
    chance: random.Random, content: ModelSubgraph, inputs: Sequence[Array], rule: Numerics
) -> Iterator[ModelSubgraph]:
    """Two graphs with neighbouring biases, between which an output element of each channel changes
    by the rule.
    """
    graph = legal(model(content), "steps", rule)
    channels = content.tensors[content.outputs[0]].shape[-1:]
    fitting = [each for each in biases(content) if each.shape == channels]
    if not fitting:
        return
    bias = chance.choice(fitting)
    (found,) = (each for each in graph.tensors.values() if each.name == bias.name)

    def elements(values: Array) -> Array:
        constant = Constant(values.astype(bias.dtype).reshape(bias.shape))
        tensors = {**graph.tensors, found.id: replace(found, constant=constant)}
        rows = _outputs(replace(graph, tensors=tensors), inputs).reshape(-1, *channels)
        return np.asarray(rows[0])

    step = _steps(chance, elements, channels[0], MOST[bias.dtype])
    for distance in STEPS:
        data = (step + distance).astype(bias.dtype).tobytes()
        yield _replaced(content, replace(bias, data=data))


def _steps(
    chance: random.Random, elements: Callable[[Array], Array], channels: int, most: int
) -> Array:
    """Least bias of each channel at which one of its elements reaches a chosen value."""
    low = np.full(channels, -most, np.int64)
    high, first = -low, elements(low).astype(np.int64)
    last = elements(high).astype(np.int64)
    wanted = [chance.randint(a + 1, max(a + 1, b)) for a, b in zip(first, last, strict=True)]
    while (high - low > 1).any():
        middle = (low + high) // 2
        reached = elements(middle) >= np.array(wanted)
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high
