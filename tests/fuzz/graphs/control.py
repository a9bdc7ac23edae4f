"""Branches and loops: nodes that run subgraphs of a few nodes, which nest and use variables."""

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
NESTED, OF_VARIABLES = 0.15, 0.2  # of the nodes of a body
CONSTANTS = 0.2  # of what it is passed, and as many of its own
MOST_TURNS = 3  # of a loop
COUNT = ModelTensor(0, "count", (), "int32")
REINTERPRETED = 0.2  # of what a body returns of another quantisation: bytes are copied as they are


def branch(build: Builder, op: str, dtype: str) -> None:
    """Two bodies that return tensors of the same types."""
    condition = _condition(build)
    given = _given(build, dtype)
    then, otherwise = _body(build, given), _body(build, given)
    known = _in_time(then)
    count = build.chance.randint(1, min(3, len(known)))
    returned = build.chance.sample(known[-2 * count :], count)
    then.model.output(*returned)
    _return(otherwise, _in_time(otherwise), returned)
    bodies = [then.model.content, otherwise.model.content]
    options = ("then_subgraph_index", "else_subgraph_index")
    _add(build, op, [condition, *given], returned, dict(zip(options, bodies, strict=True)))


def loop(build: Builder, op: str, dtype: str) -> None:
    """A body that runs until a boolean does not hold, but a few times at most."""
    given = [_condition(build), *_given(build, dtype)]
    test, body = _inner(build, [COUNT, *given]), _body(build, [COUNT, *given])
    count, more, *_ = test.tensors
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
    inner.variables = [*build.variables]
    for x in given:
        inner.input(x.dtype, x.shape, of(x))
    return inner


def _body(build: Builder, given: list[ModelTensor]) -> Builder:
    """A subgraph of a few nodes that fit, or of none, which may read constants of its own."""
    body = _inner(build, given)
    own = [x for x in given if body.chance.random() < CONSTANTS]
    body.tensors += [body.constant(body.values(x.dtype, x.shape), of(x)) for x in own]
    for _ in range(body.one(*NODES)):
        chance = body.chance.random()
        if chance < NESTED and body.depth < DEEPEST:
            body.one(*KINDS).add(body)
        elif chance < NESTED + OF_VARIABLES and body.variables:
            access(body, body.one(*body.variables))
        else:
            types = {each.dtype for each in body.tensors}
            body.one(*(kind for kind in INNER if kind.types[0] in types)).add(body)
    return body


def _return(
    body: Builder,
    known: list[ModelTensor],
    wanted: list[ModelTensor],
    inputs: list[ModelTensor] | None = None,
) -> None:
    """Return tensors of the given types from a body, each once; a loop's inputs only in their own
    places.
    """
    returned: list[ModelTensor] = []
    for place, like in enumerate(wanted):
        kept = [] if inputs is None else [*inputs[:place], *inputs[place + 1 :]]
        free = [t for t in known if t not in kept and t not in returned]
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
            if of(x) == of(like) or body.chance.random() < REINTERPRETED:
                return x
            return body.node("QUANTIZE", [x], x.shape, x.dtype, of(like))
        if np.prod(x.shape) == np.prod(like.shape) and x.dtype == like.dtype and of(x) == of(like):
            return body.like("RESHAPE", x, like.shape, body.numbers(like.shape))
        if x.shape == like.shape and like.dtype not in QUANTISED:
            made = body.converted(x, like.dtype)
            if made is not None:
                return made
    return body.constant(body.values(like.dtype, like.shape), of(like))


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
