"""The operators that are refused are those of LiteRT that no op claims, and say what they are."""

import tflite
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from opsmith.legalize.refused import KINDS, RANDOM, REFUSED
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal

# Operators that the front end takes away.
TAKEN = {"CALL_ONCE", "CUSTOM", "DENSIFY", "IF", "IMAG", "REAL", "STABLEHLO_COMPOSITE"}
TAKEN |= {"VAR_HANDLE", "WHILE"}
NO_OPERATORS = {"DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"}


def use(operator: str) -> bytes:
    """Model with a node of the given operator."""
    m = ModelWriter()
    x = m.input("x", (1,), "float32")
    m.output(m.value(operator, [x], m.tensor("y", (1,), "float32")))
    return m.bytes()


def has_reference(operator: str) -> bool:
    """Whether LiteRT's reference kernels have this operator."""
    resolver = OpResolverType.BUILTIN_REF
    try:
        Interpreter(model_content=use(operator), experimental_op_resolver_type=resolver)
    except (RuntimeError, ValueError) as failure:
        return "Didn't find op" not in str(failure)
    return True


def test_each_operator_of_litert_is_claimed_or_has_a_reason() -> None:
    claimed = shipped_ops().by_source
    names = {each for each in vars(tflite.BuiltinOperator) if each.isupper()} - NO_OPERATORS - TAKEN
    unclaimed = {each for each in names if f"tflite.{each}" not in claimed and has_reference(each)}
    refused = {each.removeprefix("tflite.") for each in REFUSED}
    assert unclaimed == {each for each in refused if not each.startswith("CUSTOM.")}
    assert not {*REFUSED} & {*claimed}
    assert sum(len(names.split()) for names in KINDS.values()) == len(REFUSED)


def test_random_numbers_are_refused_as_a_part_of_training() -> None:
    (problem,) = refusal(legal, use("RANDOM_UNIFORM"), shipped_ops()).problems
    assert problem.what == f"{RANDOM.name} is not supported: no op claims RANDOM_UNIFORM"
    assert problem.fix == RANDOM.fix
