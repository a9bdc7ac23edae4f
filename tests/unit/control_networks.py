"""Random models whose IF and WHILE nest, with variables, states and values of several types.

LiteRT differs from TensorFlow Lite Micro where a body returns one tensor twice or passes an input
on in the place of another; `plain` networks do neither, and each IF has inputs and outputs.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter

SHAPE = (1, 4)
DEEPEST = 2
MEMORY = 3  # invocations that an SVDF remembers
REUSED = 0.5  # of bodies are those of another operator, too
SHUFFLED = 0.6  # of bodies of loops return their inputs alone, each in any place
SIZES = (0, 1, 2, 3, 4, 6)  # of bodies, in operators
CONSTANTS = 0.2  # of operands are constants


@dataclass(frozen=True)
class Type:
    """Element type and scale of a vector."""

    dtype: str
    scale: float | tuple[()] = ()


@dataclass(frozen=True)
class Body:
    """A subgraph that IF or WHILE runs."""

    number: int
    takes: Sequence[Type]
    makes: Sequence[Type]
    depth: int  # of subgraphs that may be in it
    test: int = 0  # of a loop, the number of the subgraph that says whether it goes on


INT, BOOLEAN, FLOAT = Type("int32"), Type("bool"), Type("float32")
BYTES = (Type("int8", 0.5), Type("int8", 0.25))  # which calls reinterpret as each other
TYPES = (INT, BOOLEAN, FLOAT, *BYTES)
OPERATORS = {
    "int32": "ADD SUB MAXIMUM MINIMUM GREATER LESS CAST SELECT_V2 RESHAPE",
    "float32": "ADD SUB MAXIMUM MINIMUM GREATER LESS CAST SELECT_V2 RESHAPE SVDF SVDF SVDF SVDF",
    "bool": "LOGICAL_AND LOGICAL_OR LOGICAL_NOT CAST SELECT_V2 RESHAPE",
    "int8": "MAXIMUM MINIMUM GREATER LESS SELECT_V2 RESHAPE DEQUANTIZE DEQUANTIZE",
}
CASTS = {"int32": (BOOLEAN, FLOAT), "bool": (INT, FLOAT), "float32": (BOOLEAN,), "int8": (FLOAT,)}
SECOND = ("MAXIMUM", "MINIMUM", "DEQUANTIZE")  # versions that take int8


def type_of(tensor: ModelTensor) -> Type:
    """Type of a vector: its element type and scale."""
    return Type(tensor.dtype, tensor.scale[0] if tensor.scale else ())


def values(chance: np.random.Generator, dtype: str) -> Array:
    """Random vector of a type; sums of its floats are exact."""
    if dtype == "bool":
        return chance.random(SHAPE) < 0.4
    return chance.integers(-40, 40, SHAPE, endpoint=True).astype(dtype)


class ControlNetwork:
    """A random model, whose graphs have names of their own for everything."""

    def __init__(self, seed: int, *, plain: bool, stateless: bool = False) -> None:
        self.model = ModelWriter()
        self._count, self._plain, self._stateless = 0, plain, stateless
        self._random, self._values = random.Random(seed), np.random.default_rng(seed)
        self._bodies: list[Body] = []
        few = self._random.sample([*OPERATORS], 3)  # so that operators have vectors to choose from
        self._types = [its for its in TYPES if its.dtype in few]
        names = [f"v{i}" for i in range(0 if stateless else self._random.randint(0, 3))]
        self._variables = {name: self._random.choice(self._types) for name in names}
        start = self.model.subgraph("start")
        for name, its in self._variables.items():
            first = self._constant(start, its)
            start.node("ASSIGN_VARIABLE", [self._handle(start, name), first], [])
        self.model.node("CALL_ONCE", [], [], {"init_subgraph_index": start.number})
        types = self._random.choices(self._types, k=self._random.randint(2, 4))
        given = self._inputs(self.model, types)
        known = self._body(self.model, given, self._random.randint(8, 16), DEEPEST)
        known += [self._read(self.model, name) for name in names]
        read = {index for node in self.model.content.nodes for index in node.inputs}
        self.model.output(*(x for x in known if x.index not in read or x not in given))

    def _body(
        self, m: SubgraphWriter, known: Sequence[ModelTensor], count: int, depth: int
    ) -> list[ModelTensor]:
        """Add N operators to a graph; returns all vectors known afterwards."""
        found = list(known)
        for _ in range(count):
            kinds = [self._operator, self._access, self._branch, self._loop]
            weights = (50, 15 if self._variables else 0, 18 if depth else 0, 17 if depth else 0)
            (add,) = self._random.choices(kinds, weights)
            found += add(m, found, depth)
        return found

    # operators

    def _operator(
        self, m: SubgraphWriter, known: Sequence[ModelTensor], _: int
    ) -> list[ModelTensor]:
        x = self._recent(known) if known else self._constant(m, INT)
        its, op = type_of(x), self._random.choice(OPERATORS[x.dtype].split())
        op = "RESHAPE" if op == "SVDF" and self._stateless else op
        version = 2 if x.dtype == "int8" and op in SECOND else 1
        operands = [x]
        match op:
            case "RESHAPE":
                return [self._reshaped(m, x)]
            case "SVDF":
                return [self._delayed(m, x)]
            case "SELECT_V2":
                operands = [self._operand(m, known, BOOLEAN), x, self._operand(m, known, its)]
            case "CAST" | "DEQUANTIZE":
                its = self._random.choice(CASTS[x.dtype])
            case "GREATER" | "LESS":
                operands, its = [x, self._operand(m, known, its)], BOOLEAN
            case "ADD" | "SUB" if its == FLOAT:  # by constants, so that none is infinite
                operands = [x, self._constant(m, its)]
            case "LOGICAL_NOT":
                pass
            case _:
                operands = [x, self._operand(m, known, its)]
        y = self._vector(m, its)
        m.node(op, operands, [y], {}, version=version)
        return [y]

    def _reshaped(self, m: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        """Elements of x, reshaped to a different shape and back."""
        flat, y = m.tensor(self._name(), (4,), x.dtype, x.scale), self._vector(m, type_of(x))
        for a, b in ((x, flat), (flat, y)):
            m.node("RESHAPE", [a, self._numbers(m, b.shape)], [b], {"new_shape": b.shape})
        return y

    def _delayed(self, m: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        """Tensor with x's elements of some invocations ago, reordered and perhaps negated."""
        signs = self._values.choice(np.array([1, -1], np.float32), (4, 1))
        weights = m.constant(self._name(), signs * self._values.permutation(np.eye(4, dtype="f4")))
        delays = np.eye(MEMORY, dtype=np.float32)[self._values.integers(0, MEMORY, 4)]
        state = m.tensor(self._name(), (1, 4 * MEMORY), "float32", variable=True)
        inputs = [x, weights, m.constant(self._name(), delays), None, state]
        y = self._vector(m, FLOAT)
        m.node("SVDF", inputs, [y], {"rank": 1, "fused_activation_function": "NONE"})
        return y

    def _access(self, m: SubgraphWriter, known: Sequence[ModelTensor], _: int) -> list[ModelTensor]:
        name, its = self._random.choice([*self._variables.items()])
        if self._random.random() < 0.5:
            return [self._read(m, name)]
        m.node("ASSIGN_VARIABLE", [self._handle(m, name), self._operand(m, known, its)], [])
        return []

    def _read(self, m: SubgraphWriter, variable: str) -> ModelTensor:
        y = self._vector(m, self._variables[variable])
        m.node("READ_VARIABLE", [self._handle(m, variable)], [y])
        return y

    # branches and loops

    def _branch(
        self, m: SubgraphWriter, known: Sequence[ModelTensor], depth: int
    ) -> list[ModelTensor]:
        takes, makes = self._some_types(), self._some_types()
        fitting = [body for body in self._bodies if body.depth < depth and not body.test]
        then = self._random.choice(fitting) if fitting and self._random.random() < REUSED else None
        if then is None:
            then = self._branch_body(takes, makes, depth - 1)
        otherwise = then if self._random.random() < REUSED / 2 else None
        if otherwise is None:
            otherwise = self._branch_body(then.takes, then.makes, depth - 1)
        options = {"then_subgraph_index": then.number, "else_subgraph_index": otherwise.number}
        condition = self._condition(m, self._operand(m, known, BOOLEAN))
        given = [self._operand(m, known, self._reinterpreted(its)) for its in then.takes]
        outputs = [self._vector(m, self._reinterpreted(its)) for its in then.makes]
        m.node("IF", [condition, *given], outputs, options)
        return outputs

    def _some_types(self) -> list[Type]:
        least = 1 if self._plain else 0
        return self._random.choices(self._types, k=self._random.randint(least, 3))

    def _branch_body(self, takes: Sequence[Type], makes: Sequence[Type], depth: int) -> Body:
        body = self.model.subgraph(self._name())
        inner = self._inputs(body, takes)
        inner = self._body(body, inner, self._random.choice(SIZES), depth)
        body.output(*self._returned(body, inner, makes, []))
        self._bodies.append(Body(body.number, takes, makes, depth))
        return self._bodies[-1]

    def _loop(
        self, m: SubgraphWriter, known: Sequence[ModelTensor], depth: int
    ) -> list[ModelTensor]:
        fitting = [body for body in self._bodies if body.depth < depth and body.test]
        body = self._random.choice(fitting) if fitting and self._random.random() < REUSED else None
        if body is None:
            types = self._random.choice((self._random.sample(self._types, 1), self._types))
            takes = self._random.choices(types, k=self._random.randint(1, 3))
            body = self._loop_body(takes, depth - 1)
        options = {"cond_subgraph_index": body.test, "body_subgraph_index": body.number}
        given = [self._operand(m, known, self._reinterpreted(its)) for its in body.takes]
        outputs = [self._vector(m, self._reinterpreted(its)) for its in body.takes]
        first = self._numbers(m, self._random.randint(0, 1))
        m.node("WHILE", [first, *given], [m.tensor(self._name(), (), "int32"), *outputs], options)
        return outputs

    def _loop_body(self, takes: Sequence[Type], depth: int) -> Body:
        test = self._loop_test(takes, depth)
        body = self.model.subgraph(self._name())
        count = body.input(self._name(), (), "int32")
        inputs = self._inputs(body, takes)
        inner = self._body(body, inputs, self._random.choice(SIZES), depth)
        following = body.tensor(self._name(), (), "int32")
        body.node("ADD", [count, self._numbers(body, 1)], [following], {})
        body.output(following, *self._returned(body, inner, takes, inputs))
        self._bodies.append(Body(body.number, takes, takes, depth, test))
        return self._bodies[-1]

    def _loop_test(self, takes: Sequence[Type], depth: int) -> int:
        """The number of a subgraph that says whether a loop goes on, and may do more."""
        test = self.model.subgraph(self._name())
        count = test.input(self._name(), (), "int32")
        inner = self._inputs(test, [self._reinterpreted(its) for its in takes])
        inner = self._body(test, inner, self._random.choice((0, 0, 1, 2)), depth)
        few, more = (test.tensor(self._name(), (), "bool") for _ in range(2))
        test.node("LESS", [count, self._numbers(test, self._random.randint(0, 4))], [few])
        holds = [each for each in inner if each.dtype == "bool"]
        if holds:
            test.node("LOGICAL_AND", [few, self._condition(test, self._recent(holds))], [more])
        test.output(more if holds else few)
        return test.number

    def _returned(
        self,
        m: SubgraphWriter,
        known: Sequence[ModelTensor],
        makes: Sequence[Type],
        inputs: Sequence[ModelTensor],
    ) -> list[ModelTensor]:
        """Tensors that a body returns; `inputs` are those of a loop, in their places."""
        if inputs and not self._plain and self._random.random() < SHUFFLED:
            known = self._random.sample(inputs, len(inputs))
        found: list[ModelTensor] = []
        for place, its in enumerate(makes):
            free = [each for each in known if each.dtype == its.dtype]
            if self._plain:
                taken = (*inputs[:place], *inputs[place + 1 :], *found)
                free = [each for each in free if each not in taken]
            constant = not free or self._random.random() < CONSTANTS / 2
            found.append(self._constant(m, its) if constant else self._recent(free))
        return found

    def _condition(self, m: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        """Boolean tensor: whether a random element of x is true."""
        found, y = self._vector(m, BOOLEAN), m.tensor(self._name(), (), "bool")
        place = m.constant(self._name(), np.eye(4, dtype=bool)[[self._random.randrange(4)]])
        m.node("LOGICAL_AND", [x, place], [found])
        m.node("REDUCE_ANY", [found, self._numbers(m, (0, 1))], [y], {"keep_dims": False})
        return y

    # tensors

    def _operand(self, m: SubgraphWriter, known: Sequence[ModelTensor], its: Type) -> ModelTensor:
        """Known vector of the given type, or a new constant."""
        found = [each for each in known if type_of(each) == its]
        constant = not found or self._random.random() < CONSTANTS
        return self._constant(m, its) if constant else self._recent(found)

    def _recent(self, known: Sequence[ModelTensor]) -> ModelTensor:
        """Random vector of the known ones, often a late one, so that most have an effect."""
        return self._random.choice(known[-self._random.choice((1, 2, len(known))) :])

    def _reinterpreted(self, its: Type) -> Type:
        """Different type whose vectors can have the same bytes."""
        return self._random.choice([each for each in TYPES if each.dtype == its.dtype])

    def _inputs(self, m: SubgraphWriter, types: Sequence[Type]) -> list[ModelTensor]:
        return [m.input(self._name(), SHAPE, its.dtype, its.scale) for its in types]

    def _vector(self, m: SubgraphWriter, its: Type) -> ModelTensor:
        return m.tensor(self._name(), SHAPE, its.dtype, its.scale)

    def _constant(self, m: SubgraphWriter, its: Type) -> ModelTensor:
        return m.constant(self._name(), values(self._values, its.dtype), its.scale)

    def _numbers(self, m: SubgraphWriter, numbers: object) -> ModelTensor:
        return m.constant(self._name(), np.array(numbers, np.int32))

    def _handle(self, m: SubgraphWriter, variable: str) -> ModelTensor:
        made = m.tensor(self._name(), (), "resource")
        m.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": variable})
        return made

    def _name(self) -> str:
        self._count += 1
        return f"t{self._count}"
