"""Relations of elements, whose outputs are bool, and Where, which selects by a bool."""

from dataclasses import dataclass

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.operands import aligned
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import refuse
from opsmith.ir.types import DType, boolean, f32, i32, i64

NUMBERS = (f32, i32, i64)


@dataclass(frozen=True)
class Relation:
    """Op for a relation, and the types that all its operands except a condition may have."""

    op: str
    types: tuple[DType, ...] = NUMBERS
    operands: int = 2


RELATIONS = {
    "And": Relation("LOGICAL_AND", (boolean,)),
    "Equal": Relation("EQUAL", (boolean, *NUMBERS)),
    "Greater": Relation("GREATER"),
    "GreaterOrEqual": Relation("GREATER_EQUAL"),
    "Less": Relation("LESS"),
    "LessOrEqual": Relation("LESS_EQUAL"),
    "Not": Relation("LOGICAL_NOT", (boolean,), operands=1),
    "Or": Relation("LOGICAL_OR", (boolean,)),
    "Where": Relation("SELECT_V2", (boolean, *NUMBERS), operands=3),
    "Xor": Relation("NOT_EQUAL", (boolean,)),  # for two bool inputs
}


def relation(reader: Reader, operator: Operator) -> None:
    """Write an operator of RELATIONS. Raises MDL012 where its operands are of other types."""
    found = RELATIONS[operator.type]
    constant = [name in reader.weights for name in operator.inputs]
    if len(constant) != found.operands or all(constant):
        raise refuse(operator, f"it has not {found.operands} operands, of which one is computed")
    names, order, shape = aligned(reader, operator)
    condition = operator.type == "Where"
    types = [reader.tensors[name].dtype for name in names]
    compared = types[1:] if condition else types
    wrong = len({*compared}) != 1 or compared[0] not in found.types
    if wrong or (condition and types[0] != boolean):
        raise refuse(operator, f"it is not read of {', '.join(e.name for e in types)}", "MDL012")
    dtype = compared[0] if condition else boolean
    target = OperatorOutput(operator.outputs[0], "NONE", None, dtype)
    reader.write(operator, found.op, [*names], target, order, shape, {})
