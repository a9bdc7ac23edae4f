"""Relations, whose outputs are bool; Where, which selects by bool; arithmetic of integers."""

from dataclasses import dataclass

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.operands import aligned
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.frontend.onnx.values import refuse
from opsmith.ir.types import DType, boolean, f32, i32, i64

NUMBERS = (f32, i32, i64)
WHOLE = (i32, i64)


@dataclass(frozen=True)
class Relation:
    """Op for a relation or for arithmetic, and types of its operands except a condition."""

    op: str
    types: tuple[DType, ...] = NUMBERS
    operands: int = 2
    keeps: bool = False  # its output is of the type of its operands, not bool


OF_INTEGERS = {
    kind: Relation(op, WHOLE, keeps=True)
    for kind, op in (
        *(("Add", "ADD"), ("Sub", "SUB"), ("Mul", "MUL")),
        *(("Max", "MAXIMUM"), ("Min", "MINIMUM")),
    )
}
RELATIONS = {
    "And": Relation("LOGICAL_AND", (boolean,)),
    "Equal": Relation("EQUAL", (boolean, *NUMBERS)),
    "Greater": Relation("GREATER"),
    "GreaterOrEqual": Relation("GREATER_EQUAL"),
    "Less": Relation("LESS"),
    "LessOrEqual": Relation("LESS_EQUAL"),
    "Not": Relation("LOGICAL_NOT", (boolean,), operands=1),
    "Or": Relation("LOGICAL_OR", (boolean,)),
    "Mod": Relation("FLOOR_MOD", WHOLE, keeps=True),
    "Where": Relation("SELECT_V2", (boolean, *NUMBERS), operands=3, keeps=True),
    "Xor": Relation("NOT_EQUAL", (boolean,)),  # for two bool inputs
}


def relation(reader: Reader, operator: Operator) -> None:
    """Write an operator of RELATIONS or OF_INTEGERS. Raises MDL012 for operands of other types."""
    found = (RELATIONS | OF_INTEGERS)[operator.type]
    if operator.attributes.get("fmod"):
        raise refuse(operator, "its remainder has the sign of the dividend")
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
    dtype = compared[0] if found.keeps else boolean
    target = OperatorOutput(operator.outputs[0], "NONE", None, dtype)
    arithmetic = operator.type in ("Add", "Sub", "Mul")
    options = {"fused_activation_function": "NONE"} if arithmetic else {}
    reader.write(operator, found.op, [*names], target, order, shape, options)


def of_integers(reader: Reader, operator: Operator) -> bool:
    """True if a computed operand is of int32 or int64; or of bool, which relation() refuses."""
    computed = [reader.values[name] for name in operator.inputs if name in reader.values]
    return any(reader.tensors[each.tensor].dtype in (*WHOLE, boolean) for each in computed)
