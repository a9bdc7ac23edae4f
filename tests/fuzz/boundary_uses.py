"""Uses of the quantised variants of ops: the small cases of the ops' own tests, by variant."""

import importlib
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.ir.types import i8, i16, u8
from opsmith.op.describe import Variant
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.op_tests import OpTests
from opsmith.tflite.emitter import ModelSubgraph
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.coverage import variant_name
from tests.fuzz.graphs.trial import legal

LARGEST = 2000  # elements of a tensor; more where no use of a variant is so small
MOVED = 0.8  # of variants whose kernels only move bytes are left out
QUANTISED = {i8, u8, i16}


@dataclass(frozen=True)
class Use:
    """A graph of one node; LiteRT may have no reference kernel for it."""

    content: ModelSubgraph
    optimised: bool


@cache
def variants() -> Mapping[str, tuple[str, Variant]]:
    """Op and variant of all variants with elements of small integers, by the variant's name."""
    return {
        variant_name(op, variant): (op, variant)
        for op, found in sorted(shipped_ops().by_name.items())
        for variant in found.op.variants
        if QUANTISED & {*variant.types.values()}
    }


def chosen(chance: random.Random) -> tuple[str, Use]:
    """A variant and a use of it; seldom a variant whose kernels see no element types."""
    while True:
        name = chance.choice([*variants()])
        left_out = variants()[name][1].untyped and chance.random() < MOVED
        if uses(name) and not left_out:
            return name, chance.choice(uses(name))


@cache
def uses(name: str) -> tuple[Use, ...]:
    """Uses of a variant: small quantised graphs of one node for which LiteRT has an answer."""
    found = sorted(_uses_of_op(variants()[name][0]).get(name, ()), key=_elements)
    return tuple(each for i, each in enumerate(found) if i == 0 or _elements(each) <= LARGEST)


def _elements(use: Use) -> int:
    return max(math.prod(tensor.shape) for tensor in use.content.tensors)


def unserved() -> Mapping[str, list[str]]:
    """Names of variants without a use, by the reason."""
    found: dict[str, list[str]] = {}
    for name in (each for each in variants() if not uses(each)):
        asked = any(each.oracle in ("litert", "optimised") for each in _tests(variants()[name][0]))
        reason = "no case of one node has scales" if asked else "LiteRT does not have the op"
        found.setdefault(reason, []).append(name)
    return found


@cache
def _uses_of_op(op: str) -> Mapping[str, list[Use]]:
    found: dict[str, list[Use]] = {}
    for tests in _tests(op):
        if tests.oracle not in ("litert", "optimised"):
            continue
        for case in tests._of_litert:
            writer = ModelWriter()
            case.build(writer)
            if (name := _variant_of(op, writer.content)) is not None:
                found.setdefault(name, []).append(Use(writer.content, tests.oracle == "optimised"))
    return found


def _variant_of(op: str, content: ModelSubgraph) -> str | None:
    """The name of the variant that the graph is a use of, with scales."""
    scales = any(tensor.scale for tensor in content.tensors)
    if not scales or len(content.nodes) != 1:
        return None
    try:
        graph = legal(model(content), "use")
    except ToolchainError:  # what only the merged model of all cases may have
        return None
    return variant_name(op, _variant(graph)) if [n.op for n in graph.nodes] == [op] else None


def _variant(graph: Graph) -> Variant:
    (node,) = graph.nodes
    return shipped_ops().of(graph, node).variant


def _tests(op: str) -> list[type[OpTests]]:
    module = importlib.import_module(f"ops.{op}.test_{op}")
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    return [each for each in classes if issubclass(each, OpTests) and each is not OpTests]
