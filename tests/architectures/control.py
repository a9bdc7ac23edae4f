"""Networks with branches, loops and variables."""

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.architectures.layers import Layers

STEPS = 6


def early_exit(n: Layers) -> None:
    """A classifier that computes its deeper layers only where the first are not sure."""
    features = n.convolution(n.input(1, 8, 8, 2), 4, stride=2)
    quick = n.softmax(n.dense(n.mean(features, [1, 2], keep=False), 3))
    highest, sure = n.like(quick, "highest", ()), n.model.tensor("sure", (), "bool")
    n.model.node("REDUCE_MAX", [quick, n.numbers([0, 1])], [highest], {"keep_dims": False})
    n.model.node("GREATER", [highest, _filled(n, highest, 0.6)], [sure])
    leave, (_, scores) = _body(n, "leave", features, quick)
    deeper, (image, _) = _body(n, "deeper", features, quick)
    leave.output(scores)
    deep = deeper.dense(deeper.mean(deeper.convolution(image, 6), [1, 2], keep=False), 3)
    deeper.output(deeper.softmax(deep))
    y = n.like(quick, "scores", quick.shape)
    options = {f"{a}_subgraph_index": _number(b) for a, b in (("then", leave), ("else", deeper))}
    n.model.node("IF", [sure, features, quick], [y], options)
    n.output(y)


def recurrent(n: Layers) -> None:
    """A cell that a loop runs for each step of a sequence, whose states change places."""
    x, first = n.input(1, STEPS, 4), n.model.constant("first", np.array(0, np.int32))
    state = n.unary("TANH", n.dense(n.reshape(n.moved("SLICE", x, (1, 1, 4), *_STEP), 1, 4), 5))
    test, (i, *_) = _body(n, "test", first, x, state, state)
    more = test.model.tensor("more", (), "bool")
    test.model.node("LESS", [i, test.model.constant("steps", np.array(STEPS, np.int32))], [more])
    test.output(more)
    body, (i, whole, h, before) = _body(n, "body", first, x, state, state)
    row = body.like(x, "row", (1, 4))
    body.model.node("GATHER", [whole, i], [row], {"axis": 1})
    gates = body.binary("ADD", body.dense(row, 5), body.dense(h, 5))
    new = body.unary("TANH", body.binary("SUB", gates, before))
    after = body.model.tensor("after", (), "int32")
    body.node("ADD", [i, body.model.constant("one", np.array(1, np.int32))], after, {})
    body.output(after, whole, new, body.reshape(body.reshape(h, 5), 1, 5))
    made = [n.model.tensor("count", (), "int32"), n.like(x, "same", x.shape)]
    made += [n.like(state, name, state.shape) for name in ("last", "last_but_one")]
    options = {f"{a}_subgraph_index": _number(b) for a, b in (("cond", test), ("body", body))}
    n.model.node("WHILE", [first, x, state, state], made, options)
    n.output(n.dense(made[2], 3), made[3])


def moving_average(n: Layers) -> None:
    """Sums of an input and of half the sum before, which a variable keeps; the first is given."""
    x = n.input(1, 7)
    y = n.made("y", (1, 7))
    before = n.like(y, "before", (1, 7))
    start = Layers(_writer(n).subgraph("start"), n.scheme)
    n.model.node("CALL_ONCE", [], [], {"init_subgraph_index": _number(start)})
    value = _filled(start, y, np.linspace(-2, 2, 7).reshape(1, 7))
    start.model.node("ASSIGN_VARIABLE", [_handle(start), value], [])
    n.model.node("READ_VARIABLE", [_handle(n)], [before])
    n.node("ADD", [x, n.binary("MUL", before, n.constant(0.5))], y, {})
    n.model.node("ASSIGN_VARIABLE", [_handle(n), y], [])
    after = n.like(y, "after", y.shape)
    n.model.node("READ_VARIABLE", [_handle(n)], [after])
    n.output(before, n.unary("RELU", after))


_STEP = ((0, 0, 0), (1, 1, 4))  # where the first step of a sequence begins, and its sizes


def _writer(n: Layers) -> ModelWriter:
    assert isinstance(n.model, ModelWriter)
    return n.model


def _number(n: Layers) -> int:
    return n.model.number


def _body(n: Layers, name: str, *passed: ModelTensor) -> tuple[Layers, list[ModelTensor]]:
    """New subgraph, and its inputs, which are like the given tensors."""
    model: SubgraphWriter = _writer(n).subgraph(name)
    inputs = [
        model.input(f"{name}_{i}", x.shape, x.dtype, x.scale, x.zero_point or None)
        for i, x in enumerate(passed)
    ]
    return Layers(model, n.scheme), inputs


def _filled(n: Layers, like: ModelTensor, values: object) -> ModelTensor:
    """Constant of the given floats, in the element type and quantisation of tensor `like`."""
    floats = np.array(values, np.float32)
    if not like.scale:
        return n.model.constant("values", floats)
    elements = np.round(floats / like.scale[0] + like.zero_point[0]).astype(like.dtype)
    return n.model.constant("values", elements, like.scale, like.zero_point[0])


def _handle(n: Layers) -> ModelTensor:
    made = n.model.tensor("handle", (), "resource")
    n.model.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": "sum"})
    return made
