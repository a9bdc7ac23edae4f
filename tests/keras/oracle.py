"""LiteRT's reference kernels for models with operators that these do not register."""

import re
from dataclasses import dataclass
from pathlib import Path

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Reference

MISSING = re.compile(r"Didn't find op for builtin opcode '(\w+)'")
STAND_IN = "RELU"  # takes one tensor of any type that is not of integers


@dataclass(frozen=True)
class Oracle:
    """Oracle of a model: its interpreter in LiteRT, and which operators other kernels compute."""

    reference: Reference
    optimised: Reference | None = None  # for the operators that have no reference kernel,
    replaced: frozenset[str] = frozenset()  # which are others in `reference`

    @property
    def remark(self) -> str:
        """Remark on the operators that are compared with other kernels than the reference's."""
        names = " and ".join(sorted(self.replaced))
        return f"{names} by LiteRT's optimised kernels" if names else ""


def oracle(path: Path) -> Oracle:
    """Oracle of a model file."""
    content, replaced = path.read_bytes(), set[str]()
    while True:
        try:
            reference = Reference(content)
            break
        except ToolchainError as error:
            found = MISSING.search(error.problems[0].what)
            if found is None or found[1] == STAND_IN:
                raise
        replaced.add(found[1])
        content = _without(content, found[1])
    optimised = Reference(path, optimised=True) if replaced else None
    return Oracle(reference, optimised, frozenset(replaced))


def _without(content: bytes, operator: str) -> bytes:
    """Model file in which one operator is replaced by a different one."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    for code in model.operatorCodes:
        number = max(code.builtinCode, code.deprecatedBuiltinCode)
        if number == getattr(schema.BuiltinOperator, operator):
            code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RELU
            code.version = 1
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
