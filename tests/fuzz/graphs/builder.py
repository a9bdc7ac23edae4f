"""A random graph under construction: nodes read tensors that are there and add others."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter

Array = np.ndarray[Any, np.dtype[Any]]
Fits = Callable[[ModelTensor], bool]
QUANTISED = ("int8", "uint8", "int16")
CAST = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")  # from each other
LARGEST = 1024  # elements of a tensor
INPUTS = 8  # of a model, unless a node whose turn it is needs another
DEEP = 0.1  # of images have as many channels, from which on some kernels are best
CHANNELS = 32
TRIES = 20  # shapes of a new input


class Impossible(Exception):
    """Raised where a node fits no tensor of the graph."""


@dataclass(frozen=True)
class Quantisation:
    """Quantisation of a tensor; without a scale, the tensor is not quantised."""

    scale: float | tuple[()] = ()
    zero_point: int | None = None


NONE = Quantisation()


@dataclass(frozen=True)
class Variable:
    """Variable of the graph that nodes name by a handle, and a tensor like its value."""

    name: str
    like: ModelTensor  # of the same type


@dataclass
class Bodies:
    """Limits within which a graph's branches and loops get random subgraphs, and the nodes that run
    such subgraphs already.
    """

    plain: bool = True  # they return what LiteRT gets right
    kinds: Sequence[Any] = ()  # of nodes in them, if not all that there are
    calls: Sequence[Any] = ()  # of nodes in them that run others, likewise
    nested: float = 0.15  # share of these
    in_tests: Sequence[int] = ()  # numbers of nodes, besides those that count the turns of a loop
    scales: Sequence[Quantisation] = ()  # of what they take, if it may differ from what is given
    reused: float = 0.0  # share of nodes that run those of an earlier node
    ran: list[Any] = field(default_factory=list)


class Builder:
    """Random graph under construction: the model, its tensors, and the source of randomness."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.random = np.random.default_rng(chance.getrandbits(64))
        self.model = ModelWriter()
        self.tensors: list[ModelTensor] = []  # that a node may read
        self.ends: list[ModelTensor] = []  # that none may: LiteRT does not give all of their bits
        self.apart: dict[int, str] = {}  # first output of a node -> why LiteRT has no answer
        self.variables: list[Variable] = []
        self.most_inputs = INPUTS
        self.depth = 0  # of subgraphs around this one
        self.dead = 0.0  # share of the channels of layers whose weights are 0, or that saturate
        self.alone = False  # nodes read what is there, and no new inputs
        self.frames = False  # windows are VALID and of stride 1
        self.bodies = Bodies()

    def one(self, *choices: Any) -> Any:
        return self.chance.choice(choices)

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """Random shape of small sizes, many of which are 1."""
        rank = self.one(1, 2, 3, 4, 4, 4, 5) if rank is None else rank
        sizes = [self.one(1, 2, 3, 4, 5, 8) for _ in range(rank)]
        if rank == 4:
            sizes[0] = self.one(1, 1, 1, 2)
        if rank == 4 and self.chance.random() < DEEP:
            sizes = [1, self.one(3, 4), self.one(3, 4), CHANNELS]
        return tuple(sizes)

    def quantisation(self, dtype: str, scale: float | None = None) -> Quantisation:
        """Random quantisation of a type; symmetric for int16, as LiteRT demands."""
        if dtype not in QUANTISED:
            return NONE
        if dtype == "int16":
            return Quantisation(scale or self.one(1 / 2048, 0.001, 0.0007), 0)
        low, high = (-128, 127) if dtype == "int8" else (0, 255)
        zero = self.one(low, high, (low + high) // 2, self.chance.randint(low, high))
        return Quantisation(scale or self.one(0.5, 0.1, 0.05, 1 / 64, 0.023), zero)

    def pick(
        self,
        dtype: str,
        rank: int | None = None,
        fits: Fits | None = None,
        *,
        scalars: bool = False,
    ) -> ModelTensor:
        """Tensor of a type that fits: an existing one, a converted one, or a new input."""

        def suits(tensor: ModelTensor) -> bool:
            ranks = rank in (None, len(tensor.shape)) and (scalars or tensor.shape != ())
            return ranks and (fits is None or fits(tensor))

        found = [each for each in self.tensors if each.dtype == dtype and suits(each)]
        if found and (self.alone or self.chance.random() < 0.9):
            recent = found[-4:]  # which makes graphs deep
            return self.chance.choice([*recent, *recent, *found])
        if self.alone:
            raise Impossible
        others = [each for each in self.tensors if suits(_unquantised(each, dtype))]
        if others and self.chance.random() < 0.5:
            source = self.chance.choice(others[-8:])
            if (made := self.converted(source, dtype)) is not None:
                return made
        for _ in range(TRIES):
            shape = self.shape(rank)
            if suits(ModelTensor(0, "", shape, dtype)):
                return self.input(dtype, shape)
        raise Impossible

    def converted(self, x: ModelTensor, dtype: str) -> ModelTensor | None:
        """Tensor with the numbers of x in another element type; None if no node converts them."""
        if x.dtype in QUANTISED and x.scale and dtype == "float32":
            return self.node("DEQUANTIZE", [x], x.shape, dtype, version=2)
        if x.dtype == "float32" and dtype in QUANTISED:
            return self.node("QUANTIZE", [x], x.shape, dtype, self.quantisation(dtype))
        if x.dtype in CAST and dtype in (*CAST, "float32"):
            return self.node("CAST", [x], x.shape, dtype, self.quantisation(dtype))
        return None

    def input(
        self, dtype: str, shape: Sequence[int], quantisation: Quantisation | None = None
    ) -> ModelTensor:
        """New input of the model."""
        if len(self.model.content.inputs) >= self.most_inputs:
            raise Impossible
        found = self.quantisation(dtype) if quantisation is None else quantisation
        name = f"x{len(self.model.content.tensors)}"
        made = self.model.input(name, shape, dtype, found.scale, found.zero_point)
        self.tensors.append(made)
        return made

    def constant(self, values: Array, quantisation: Quantisation = NONE) -> ModelTensor:
        name = f"c{len(self.model.content.tensors)}"
        return self.model.constant(name, values, quantisation.scale, quantisation.zero_point)

    def numbers(self, values: object, dtype: str = "int32") -> ModelTensor:
        """A constant of integers, such as axes or sizes."""
        return self.constant(np.asarray(values, dtype))

    def values(self, dtype: str, shape: Sequence[int]) -> Array:
        """Random elements of a constant."""
        if dtype.startswith("float"):
            return self.random.normal(0, 1, shape).astype(dtype)
        if dtype == "bool":
            return self.random.random(shape) < 0.5
        limits = np.iinfo(dtype)
        low, high = (limits.min, limits.max) if dtype in QUANTISED else (max(-9, limits.min), 9)
        return self.random.integers(low, high, shape, endpoint=True).astype(dtype)

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        quantisation: Quantisation = NONE,
        *,
        variable: bool = False,
    ) -> ModelTensor:
        """New tensor that a node computes, or a state; raises Impossible where it has no or too
        many elements.
        """
        if np.prod(shape, dtype=np.int64) > LARGEST or min(shape, default=1) < 1:
            raise Impossible
        number = len(self.model.content.tensors)
        scale, zero_point = quantisation.scale, quantisation.zero_point
        return self.model.tensor(
            f"{name.lower()}_{number}", shape, dtype, scale, zero_point, variable=variable
        )

    def node(
        self,
        op: str,
        inputs: Sequence[ModelTensor | None],
        shape: Sequence[int],
        dtype: str,
        quantisation: Quantisation = NONE,
        options: Mapping[str, OptionValue] | None = None,
        *,
        version: int = 1,
    ) -> ModelTensor:
        """Add a node of one output."""
        made = self.tensor(op, shape, dtype, quantisation)
        self.model.node(op, inputs, [made], options, version=version)
        self.tensors.append(made)
        return made

    def like(
        self,
        op: str,
        x: ModelTensor,
        shape: Sequence[int],
        *operands: ModelTensor,
        **options: OptionValue,
    ) -> ModelTensor:
        """Add a node whose output has elements of x."""
        return self.node(op, [x, *operands], shape, x.dtype, of(x), options)

    def end(self, tensor: ModelTensor) -> None:
        """Make a tensor an output of the model that no node may read."""
        self.tensors.remove(tensor)
        self.ends.append(tensor)

    def undo(self, add: Callable[[], object]) -> bool:
        """Call `add`, and undo what it added to the graph where it raises Impossible."""
        content = self.model.content
        lists: tuple[list[Any], ...] = (
            content.tensors,
            content.nodes,
            content.inputs,
            self.tensors,
            self.ends,
            self.variables,
        )
        lengths = [len(each) for each in lists]
        try:
            add()
        except Impossible:
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            return False
        return True

    def finish(self) -> ModelSubgraph:
        """Finished graph, whose outputs are all tensors that no node reads, and some that nodes
        read.
        """
        content = self.model.content
        read = {index for node in content.nodes for index in node.inputs}
        self.model.output(*self.ends)
        for tensor in self.tensors:
            made = tensor.index not in content.inputs
            if made and (tensor.index not in read or self.chance.random() < 0.05):
                self.model.output(tensor)
        return content


def of(tensor: ModelTensor) -> Quantisation:
    """The quantisation of a tensor."""
    return Quantisation(tensor.scale[0], tensor.zero_point[0]) if tensor.scale else NONE


def _unquantised(tensor: ModelTensor, dtype: str) -> ModelTensor:
    return replace(tensor, dtype=dtype, scale=(), zero_point=())
