"""Spec for each unsupported operator of a model, derived from all of its uses."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError, raise_all
from opsmith.frontend import find
from opsmith.frontend.tflite import read_model
from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.types import BY_NAME, DType
from opsmith.legalize.undeclarable import undeclarable
from opsmith.op.declare import OpError
from opsmith.op.index import OpIndex
from opsmith.op.options import flexbuffer
from opsmith.scaffold.names import plain_name
from opsmith.scaffold.options import Options, read_parameters
from opsmith.scaffold.spec import ExampleUse, Given, Spec, SpecValue

MOST_USES = 3  # uses that become cases, the smallest first
WRITTEN_OUT = 16  # limit of written integers of a constant, and of different scales of a tensor


def specs_of_model(model: Path, ops: OpIndex) -> list[Spec]:
    """Spec for each operator of a model that no op claims, if new ops are all that the model lacks.

    Raises MDL0xx, and OPS038 where no folder could help.
    """
    if model.suffix.lower() in (".onnx", ".pt2"):
        claimed = dict.fromkeys(find.unread(model), ()) | dict(ops.by_source)
        found = find.read_model(model, "model", claimed=claimed)
    else:
        found = read_model(model, "model")
    graph = found.sound().graph
    needed = graph.needed_nodes()
    nodes = [node for node in graph.nodes if node.name in needed]
    unclaimed: dict[str, list[Node]] = {}
    for node in nodes:
        if node.op not in ops.by_source:
            unclaimed.setdefault(node.op, []).append(node)
    raise_all(undeclarable(graph, ops, str(model)))
    specs: list[Spec] = []
    for source, uses in unclaimed.items():
        taken = [*ops.by_name, *(spec.name for spec in specs)]
        plain = source.removeprefix("tflite.").removeprefix("CUSTOM.")
        plain = plain.removeprefix("onnx.").removeprefix("aten.")
        name = plain_name(plain, (), "custom")
        name = plain_name(f"custom_{name}" if name in ops.by_name else name, taken)
        others = (source,) if not source.startswith("tflite.") else ()  # tests are of .tflite
        source = f"tflite.CUSTOM.{plain}" if others else source
        specs.append(replace(_spec(graph, name, source, uses), others=others))
    return specs


def _spec(graph: Graph, name: str, source: str, nodes: Sequence[Node]) -> Spec:
    decoded = [_decoded(node) for node in nodes]
    raw = any(isinstance(options, bytes) for options in decoded)
    if raw:
        decoded = [node.attributes["custom_options"] for node in nodes]
        options = Options.of_bytes()
    else:
        maps = [each for each in decoded if isinstance(each, Mapping)]
        options = read_parameters(maps, [node.source for node in nodes])
    versions = [node.version for node in nodes]
    uses = [_use(graph, node, given) for node, given in zip(nodes, decoded, strict=True)]
    inputs = [[_tensor(graph, name) for name in node.inputs] for node in nodes]
    outputs = [[_tensor(graph, name) for name in node.outputs] for node in nodes]
    values = list(_values("x", inputs))
    order = sorted(range(len(values)), key=lambda place: values[place].optional)
    return Spec(
        name=name,
        source=source,
        inputs=tuple(values[place] for place in order),
        outputs=tuple(_values("y", outputs)),
        parameters=options.parameters,
        versions=(min(versions), max(versions)),
        ignored=options.ignored,
        raw_options=raw,
        uses=tuple(_chosen(uses)),
        order=() if order == sorted(order) else tuple(order),
    )


def _decoded(node: Node) -> Mapping[str, Any] | bytes:
    """Return the options by name; CUSTOM options that are no flexbuffer map stay bytes."""
    options = dict(node.attributes)
    data = options.pop("custom_options", None)
    if data is None:
        return options
    try:
        return {**options, **flexbuffer(data)}
    except OpError:
        return bytes(data)


def _tensor(graph: Graph, name: str | None) -> Tensor | None:
    return None if name is None else graph.tensors[name]


def _values(prefix: str, uses: Sequence[Sequence[Tensor | None]]) -> Iterator[SpecValue]:
    """Return the inputs or outputs of all given uses, with every type that occurs."""
    most = max(len(use) for use in uses)
    for place in range(most):
        seen = [use[place] if place < len(use) else None for use in uses]
        present = [tensor for tensor in seen if tensor is not None]
        yield SpecValue(
            prefix if most == 1 else f"{prefix}{place}",
            _types(present),
            optional=len(present) < len(seen),
            state=bool(present) and all(tensor.variable for tensor in present),
        )


def _types(tensors: Sequence[Tensor]) -> tuple[DType, ...]:
    """Return the element types of tensors; int8 for an input that is always absent."""
    found = tuple(dict.fromkeys(BY_NAME[tensor.dtype.name] for tensor in tensors))
    return found or (BY_NAME["int8"],)


def _use(graph: Graph, node: Node, options: Mapping[str, Any] | bytes) -> ExampleUse:
    inputs = [
        _given(tensor) if tensor else None for tensor in (_tensor(graph, n) for n in node.inputs)
    ]
    outputs = [_given(graph.tensors[name]) for name in node.outputs]
    return ExampleUse(node.source, tuple(inputs), tuple(outputs), options, node.version)


def _given(tensor: Tensor) -> Given:
    quantization = tensor.quantization
    scale: float | tuple[float, ...] | None = None
    zero, axis = 0, 0
    if quantization is not None:
        scales = quantization.scales
        many = len(scales) > WRITTEN_OUT
        scale = scales[:1] * len(scales) if many else scales if len(scales) > 1 else scales[0]
        zero, axis = quantization.zero_points[0], quantization.axis
    small = tensor.constant is not None and tensor.elements <= WRITTEN_OUT
    small = small and tensor.dtype.short[0] != "f"
    return Given(
        tensor.dtype.name,
        tensor.shape,
        scale,
        zero,
        axis,
        constant=tensor.constant is not None,
        data=tuple(tensor.data.reshape(-1).tolist()) if small else (),
        variable=tensor.variable,
    )


def _chosen(uses: Sequence[ExampleUse]) -> Iterator[ExampleUse]:
    """Choose the smallest of the uses that differ, and the first use of each type."""
    different: list[ExampleUse] = []
    for use in sorted(uses, key=_elements):
        plain = replace(use, name="")
        if plain not in different:
            different.append(plain)
    seen: set[tuple[str, ...]] = set()
    number = 0
    for use in different:
        types = tuple("" if t is None else t.dtype for t in (*use.inputs, *use.outputs))
        if number < MOST_USES or types not in seen:
            number += 1
            yield replace(use, name=f"use_{number}")
        seen.add(types)


def _elements(use: ExampleUse) -> int:
    return sum(math.prod(given.shape) for given in (*use.inputs, *use.outputs) if given is not None)


def missing(model: Path) -> ToolchainError:
    """Error for a model whose operators are all supported."""
    what = "every operator of the model has an op folder that claims it"
    fix = "name an op: opsmith new-op NAME"
    return ToolchainError.of("OPS038", what, where=str(model), fix=fix)
