"""Random models whose IF and WHILE nest, with variables, states and values of several types.

Their bodies are those of `tests.fuzz.graphs.control`, of nodes that compute exactly. LiteRT differs
from TensorFlow Lite Micro where a body returns one tensor twice or passes an input on in the place
of another; `plain` networks do neither, and each IF has inputs and outputs.
"""

from random import Random

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from opsmith.tflite.options import OptionValue
from tests.fuzz.graphs.builder import NONE, Bodies, Builder, Quantisation, of
from tests.fuzz.graphs.calls import Call
from tests.fuzz.graphs.control import branch, grow, loop
from tests.fuzz.graphs.kind import kinds
from tests.fuzz.graphs.variables import initialised

SHAPE = (1, 4)
MEMORY = 3  # invocations that an SVDF remembers
NESTED = 0.4  # of nodes run subgraphs
REUSED = 0.5  # of these run the ones of another, too
IN_TESTS = (0, 0, 1, 2)  # nodes of the tests of loops
TYPES = ("bool", "int32", "float32", "int8")
SCALES = (Quantisation(0.5, 0), Quantisation(0.25, 0))  # of int8; calls reinterpret one as another


def control_network(seed: int, *, plain: bool, stateless: bool = False) -> ModelSubgraph:
    """Random network, whose nodes have the subgraphs that they run."""
    build = Builder(Random(seed))
    made = [kind for kind in KINDS if not (stateless and kind.op == "SVDF")]
    build.alone = True
    build.bodies = Bodies(plain, made, CALLS, NESTED, IN_TESTS, SCALES, REUSED)
    types = build.chance.sample(TYPES[1:], 2)  # few, so that nodes have vectors to choose from
    for dtype in ("bool", *types, *build.chance.choices(types, k=build.chance.randint(0, 2))):
        build.input(dtype, SHAPE, build.one(*SCALES) if dtype == "int8" else NONE)
    for _ in range(0 if stateless else build.chance.randint(0, 3)):
        initialised(build, "CALL_ONCE", build.one(*build.tensors).dtype)
    while not any(isinstance(node, Call) and node.outputs for node in build.model.content.nodes):
        grow(build, build.chance.randint(8, 16))
    return build.finish()


def values(chance: np.random.Generator, dtype: str) -> Array:
    """Random vector of a type; sums of its floats are exact."""
    if dtype == "bool":
        return chance.random(SHAPE) < 0.4
    return chance.integers(-40, 40, SHAPE, endpoint=True).astype(dtype)


def _vector(build: Builder, dtype: str, like: ModelTensor | None = None) -> ModelTensor:
    """Vector of a type, with the quantisation of another where one is given."""
    return build.pick(
        dtype, fits=lambda t: t.shape == SHAPE and (like is None or of(t) == of(like))
    )


def function(build: Builder, op: str, dtype: str, to: str) -> None:
    """Add a node of one operand."""
    build.node(op, [_vector(build, dtype)], SHAPE, to, version=2 if op == "DEQUANTIZE" else 1)


def pair(build: Builder, op: str, dtype: str, to: str) -> None:
    """Add a node of two operands; a sum of floats has a constant one, so that none is infinite."""
    x = _vector(build, dtype)
    exact = dtype == "float32" and to == dtype and op in ("ADD", "SUB")
    y = build.constant(values(build.random, dtype)) if exact else _vector(build, dtype, x)
    version = 2 if dtype == "int8" and to == dtype else 1
    build.node(op, [x, y], SHAPE, to, of(x) if to == dtype else NONE, {}, version=version)


def choice(build: Builder, op: str, dtype: str) -> None:
    """Add a SELECT_V2."""
    x = _vector(build, dtype)
    build.node(op, [_vector(build, "bool"), x, _vector(build, dtype, x)], SHAPE, dtype, of(x))


def reshaped(build: Builder, op: str, dtype: str) -> None:
    """Add RESHAPEs of a vector to a different shape and back."""
    flat = build.like(op, _vector(build, dtype), (4,), build.numbers([4]), new_shape=[4])
    build.like(op, flat, SHAPE, build.numbers(SHAPE), new_shape=[*SHAPE])


def delayed(build: Builder, op: str, dtype: str) -> None:
    """Add an SVDF: x's elements of some invocations ago, reordered and perhaps negated."""
    signs = build.random.choice(np.array([1, -1], np.float32), (4, 1))
    weights = build.constant(signs * build.random.permutation(np.eye(4, dtype=np.float32)))
    delays = build.constant(np.eye(MEMORY, dtype=np.float32)[build.random.integers(0, MEMORY, 4)])
    state = build.tensor("state", (1, 4 * MEMORY), dtype, variable=True)
    options: dict[str, OptionValue] = {"rank": 1, "fused_activation_function": "NONE"}
    x = _vector(build, dtype)
    build.node(op, [x, weights, delays, None, state], SHAPE, dtype, options=options)


ALIKE, SUMS = "int32/int32 float32/float32 int8/int8", "int32/int32 float32/float32"
BOTH, TESTS = "bool/bool", "int32/bool float32/bool int8/bool"
KINDS = (
    *kinds(pair, ADD=SUMS, SUB=SUMS, MAXIMUM=ALIKE, MINIMUM=ALIKE, GREATER=TESTS, LESS=TESTS),
    *kinds(pair, LOGICAL_AND=BOTH, LOGICAL_OR=BOTH),
    *kinds(function, CAST="int32/bool int32/float32 bool/int32 bool/float32 float32/bool"),
    *kinds(function, DEQUANTIZE="int8/float32") * 3,
    *kinds(function, LOGICAL_NOT="bool/bool"),
    *kinds(choice, SELECT_V2=" ".join(TYPES)),
    *kinds(reshaped, RESHAPE=" ".join(TYPES)),
    *kinds(delayed, SVDF="float32") * 8,
)
CALLS = (*kinds(branch, IF=" ".join(TYPES)), *kinds(loop, WHILE=" ".join(TYPES)))
