"""Branches and loops: nodes that run subgraphs of a few nodes, which nest and use variables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from opsmith.frontend.tflite.departures import AT_ONCE, OF_KNOWN, ONCE
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from tests.fuzz.graphs import elementwise, indexing, layers, movement, reductions, sequences, window
from tests.fuzz.graphs.builder import QUANTISED, Builder, of
from tests.fuzz.graphs.calls import call
from tests.fuzz.graphs.kind import ANY, Kind, kinds
from tests.fuzz.graphs.variables import access

INNER: tuple[Kind, ...] = tuple(
    kind
    for each in (elementwise, movement, indexing, layers, window, reductions, sequences)
    for kind in each.KINDS
    if not kind.apart
)
NODES = (0, 1, 2, 3, 4)  # of a body
DEEPEST = 2
OF_VARIABLES = 0.2  # of the nodes of a body
CONSTANTS = 0.2  # of what it is passed, and as many of its own
EMPTY = 0.1  # of branches take nothing, where bodies are not plain
MOST_TURNS = 3  # of a loop
REINTERPRETED = 0.2  # of what a body returns of another quantisation: bytes are copied as they are
COUNT = ModelTensor(0, "count", (), "int32")


@dataclass(frozen=True)
class Ran:
    """Node that ran bodies, which another may run."""

    op: str
    depth: int  # of subgraphs around it
    given: list[ModelTensor]
    returned: list[ModelTensor]
    bodies: dict[str, ModelSubgraph]


def branch(build: Builder, op: str, dtype: str) -> None:
    """Two bodies that return tensors of the same types."""
    condition, plain = _condition(build), build.bodies.plain
    if again := _again(build, op):
        given = _like(build, again.given)
        return _add(build, op, [condition, *given], again.returned, again.bodies)
    given = _given(build, dtype) if plain or build.chance.random() >= EMPTY else []
    then, otherwise = _body(build, given), _body(build, given)
    known = _in_time(then) if plain else then.tensors
    count = build.chance.randint(int(plain), min(3, len(known)))
    drawn = build.chance.sample if plain else build.chance.choices  # some of them twice
    returned = drawn(known[-2 * count :], k=count)
    then.model.output(*returned)
    _return(otherwise, _in_time(otherwise) if plain else otherwise.tensors, returned)
    bodies = [then.model.content, otherwise.model.content]
    options = ("then_subgraph_index", "else_subgraph_index")
    named = dict(zip(options, bodies, strict=True))
    _add(build, op, [condition, *given], returned, named)
    build.bodies.ran.append(Ran(op, build.depth, given, returned, named))


def loop(build: Builder, op: str, dtype: str) -> None:
    """A body that runs until a boolean does not hold, but a few times at most."""
    if again := _again(build, op):
        first, given = build.numbers(build.chance.randint(0, 1)), _like(build, again.given)
        return _add(build, op, [first, *given], [first, *again.given], again.bodies)
    given = [_condition(build), *_given(build, dtype)]
    test, body = _inner(build, [COUNT, *given]), _body(build, [COUNT, *given])
    count, more, *_ = test.tensors
    if build.bodies.in_tests:
        grow(test, build.one(*build.bodies.in_tests))
    few = test.node("LESS", [count, test.numbers(build.chance.randint(0, MOST_TURNS))], (), "bool")
    test.model.output(test.node("LOGICAL_AND", [few, more], (), "bool"))
    count, *inputs = body.tensors[: 1 + len(given)]
    body.tensors.remove(count)
    body.model.output(body.node("ADD", [count, body.numbers(1)], (), "int32"))
    del body.tensors[-1]
    _return(body, body.tensors, given, inputs)
    bodies = {"cond_subgraph_index": test.model.content, "body_subgraph_index": body.model.content}
    first = build.numbers(build.chance.randint(0, 1))
    _add(build, op, [first, *given], [first, *given], bodies)
    build.bodies.ran.append(Ran(op, build.depth, given, given, bodies))


def _again(build: Builder, op: str) -> Ran | None:
    """Earlier node, at no deeper place, whose bodies a new one runs, too."""
    if not build.bodies.reused:
        return None
    found = [each for each in build.bodies.ran if each.op == op and each.depth >= build.depth]
    again = bool(found) and build.chance.random() < build.bodies.reused
    return build.chance.choice(found) if again else None


def _like(build: Builder, given: list[ModelTensor]) -> list[ModelTensor]:
    """Tensors of the shapes and element types of the given ones, whatever their quantisation."""
    return [build.pick(x.dtype, fits=partial(_has_shape, x.shape), scalars=True) for x in given]


def _has_shape(shape: Sequence[int], x: ModelTensor) -> bool:
    return x.shape == shape


def _condition(build: Builder) -> ModelTensor:
    """One boolean: whether all or any of a tensor's elements hold."""
    scalars = [each for each in build.tensors if (each.dtype, each.shape) == ("bool", ())]
    if scalars and build.one(True, False):
        return build.chance.choice(scalars)
    x = build.pick("bool", fits=lambda t: len(t.shape) <= 4)
    axes = build.numbers([*range(len(x.shape))])
    op = build.one("REDUCE_ANY", "REDUCE_ALL")
    return build.node(op, [x, axes], (), "bool", options={"keep_dims": False})


def _given(build: Builder, dtype: str) -> list[ModelTensor]:
    """Tensors passed to bodies: one of the given type and random further ones, some constant."""
    found = [build.pick(dtype, scalars=True)]
    for _ in range(build.chance.randint(0, 2)):
        x = build.one(*build.tensors[-8:])
        constant = build.chance.random() < CONSTANTS
        found.append(build.constant(build.values(x.dtype, x.shape), of(x)) if constant else x)
    build.chance.shuffle(found)
    return found


def _inner(build: Builder, given: list[ModelTensor]) -> Builder:
    """New subgraph whose inputs have the types of the given tensors."""
    inner = Builder(build.chance)
    inner.most_inputs, inner.depth = len(given), build.depth + 1
    inner.variables, inner.bodies, inner.alone = [*build.variables], build.bodies, build.alone
    for x in given:
        scales = build.bodies.scales if x.scale else ()
        inner.input(x.dtype, x.shape, build.one(*scales) if scales else of(x))
    return inner


def _body(build: Builder, given: list[ModelTensor]) -> Builder:
    """A subgraph of a few nodes that fit, or of none, which may read constants of its own."""
    body = _inner(build, given)
    own = [x for x in given if body.chance.random() < CONSTANTS]
    body.tensors += [body.constant(body.values(x.dtype, x.shape), of(x)) for x in own]
    grow(body, body.one(*NODES))
    return body


def grow(body: Builder, count: int) -> None:
    """Add N nodes that fit: some run subgraphs, and some read or write a variable."""
    for _ in range(count):
        chance, drawn = body.chance.random(), body.bodies
        types = {each.dtype for each in body.tensors}
        if chance < drawn.nested and body.depth < DEEPEST:
            body.one(*([k for k in drawn.calls if k.types[0] in types] or KINDS)).add(body)
        elif chance < drawn.nested + OF_VARIABLES and body.variables:
            access(body, body.one(*body.variables))
        elif fitting := [k for k in drawn.kinds or INNER if k.types[0] in types]:
            body.one(*fitting).add(body)


def _return(
    body: Builder,
    known: list[ModelTensor],
    wanted: list[ModelTensor],
    inputs: list[ModelTensor] | None = None,
) -> None:
    """Return tensors of the given types from a body; where it is plain, each once, and a loop's
    inputs only in their own places.
    """
    returned: list[ModelTensor] = []
    for place, like in enumerate(wanted):
        kept = [] if inputs is None else [*inputs[:place], *inputs[place + 1 :]]
        free = [t for t in known if not body.bodies.plain or t not in (*kept, *returned)]
        returned.append(_as(body, free, like))
    body.model.output(*returned)


def _in_time(body: Builder) -> list[ModelTensor]:
    """Tensors that a branch may return, except constants: LiteRT loses results that it computes
    once, or before the branch runs.
    """
    content = body.model.content
    constant = {each.index for each in content.tensors if each.data is not None}
    known, early = {*constant}, set[int]()
    for node in content.nodes:
        if node.op in ONCE and constant.issuperset({*node.inputs}):
            early.update(node.outputs)
        if node.op in AT_ONCE or (node.op in OF_KNOWN and known.issuperset({*node.inputs})):
            early.update(node.outputs)
            known.update(node.outputs)
    return [each for each in body.tensors if each.index not in early | constant]


def _as(body: Builder, free: list[ModelTensor], like: ModelTensor) -> ModelTensor:
    """Tensor of a body like `like`: a free one, perhaps requantised, reshaped or converted, or a
    constant.
    """
    order = body.chance.sample(free, len(free)) if body.one(True, False) else free[::-1]
    for x in order:
        if (x.dtype, x.shape) == (like.dtype, like.shape):
            if of(x) == of(like) or _copied(body):
                return x
            return body.node("QUANTIZE", [x], x.shape, x.dtype, of(like))
        if np.prod(x.shape) == np.prod(like.shape) and x.dtype == like.dtype and of(x) == of(like):
            return body.like("RESHAPE", x, like.shape, body.numbers(like.shape))
        if x.shape == like.shape and like.dtype not in QUANTISED:
            made = body.converted(x, like.dtype)
            if made is not None:
                return made
    return body.constant(body.values(like.dtype, like.shape), of(like))


def _copied(body: Builder) -> bool:
    """Whether a tensor is returned as it is, in the place of one of another quantisation."""
    return bool(body.bodies.scales) or body.chance.random() < REINTERPRETED


def _add(
    build: Builder,
    op: str,
    inputs: list[ModelTensor],
    returned: list[ModelTensor],
    bodies: dict[str, ModelSubgraph],
) -> None:
    """Add the node that runs the bodies, with outputs of the types that bodies return, then read a
    variable.
    """
    made = [build.tensor(op, each.shape, each.dtype, of(each)) for each in returned]
    numbers = tuple(each.index for each in inputs), tuple(each.index for each in made)
    build.model.content.nodes.append(call(op, *numbers, bodies))
    build.tensors += made
    if build.variables and build.one(True, False):
        access(build, build.one(*build.variables))


KINDS = (*kinds(branch, IF=ANY), *kinds(loop, WHILE=ANY))
