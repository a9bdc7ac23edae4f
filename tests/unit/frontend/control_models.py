"""Models with IF and WHILE, for tests."""

from collections.abc import Callable, Sequence

import numpy as np

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter

Build = Callable[[ModelWriter], None]
Body = Callable[[SubgraphWriter], None]


def vector(m: SubgraphWriter, name: str = "x") -> ModelTensor:
    return m.input(name, (2,), "float32")


def summed(m: SubgraphWriter, *terms: ModelTensor, name: str = "sum") -> ModelTensor:
    return m.value("ADD", [terms[0], terms[-1]], m.tensor(name, (2,), "float32"), {})


def doubles(m: SubgraphWriter) -> None:
    """Body that doubles its input."""
    m.output(summed(m, vector(m)))


def passes(m: SubgraphWriter) -> None:
    """Body that returns its input."""
    m.output(vector(m))


def branch(then: Body, otherwise: Body, condition: str = "bool") -> Build:
    """Model of one IF."""

    def build(m: ModelWriter) -> None:
        c, x = m.input("c", (), condition), vector(m)
        bodies = [m.subgraph("then"), m.subgraph("else")]
        for body, each in zip(bodies, (then, otherwise), strict=True):
            each(body)
        m.output(run_if(m, c, [x], [body.number for body in bodies]))

    return build


def run_if(
    m: SubgraphWriter, c: ModelTensor, given: Sequence[ModelTensor], bodies: Sequence[int]
) -> ModelTensor:
    y = m.tensor("y", (2,), "float32")
    options = {"then_subgraph_index": bodies[0], "else_subgraph_index": bodies[1]}
    m.node("IF", [c, *given], [y], options)
    return y


def loop(body: Body, test: Body | None = None, outputs: int = 3) -> Build:
    """Model of one WHILE over a count, x and y, which are its body's inputs."""

    def build(m: ModelWriter) -> None:
        given = carried(m)
        bodies = [m.subgraph("test"), m.subgraph("body")]
        (test or below_three)(bodies[0])
        body(bodies[1])
        made = [m.tensor(f"{x.name}_end", x.shape, x.dtype) for x in given][:outputs]
        options = {"cond_subgraph_index": 1, "body_subgraph_index": 2}
        m.node("WHILE", given, made, options)
        m.output(*made)

    return build


def carried(m: SubgraphWriter) -> list[ModelTensor]:
    return [m.input("count", (), "int32"), vector(m), vector(m, "y")]


def below_three(m: SubgraphWriter) -> None:
    count, more = carried(m)[0], m.tensor("more", (), "bool")
    m.node("LESS", [count, m.constant("three", np.array(3, np.int32))], [more])
    m.output(more)


def counted(m: SubgraphWriter, count: ModelTensor) -> ModelTensor:
    after = m.tensor("after", (), "int32")
    m.node("ADD", [count, m.constant("one", np.array(1, np.int32))], [after], {})
    return after


def swaps(m: SubgraphWriter) -> None:
    """Body whose two vectors change places."""
    count, x, y = carried(m)
    m.output(counted(m, count), y, x)


def adds(m: SubgraphWriter) -> None:
    """Body that adds y to x, and returns y unchanged."""
    count, x, y = carried(m)
    m.output(counted(m, count), summed(m, x, y), y)
