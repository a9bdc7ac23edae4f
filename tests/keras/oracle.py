"""LiteRT for models whose operators have versions that its reference kernels do not register."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import flatbuffers  # type: ignore[import-untyped, unused-ignore]
from ai_edge_litert import schema_py_generated as schema

from toolchain.errors import ToolchainError
from toolchain.testing.litert import Reference

MISSING = re.compile(r"builtin opcode '(\w+)' version '(\d+)'")


@dataclass(frozen=True)
class LoadedModel:
    """A model in LiteRT, and which kernels run it where they are not its reference kernels."""

    reference: Reference
    remark: str = ""


def loaded(path: Path) -> LoadedModel:
    """The model in LiteRT: its operators in the newest version that has a reference kernel, since
    a version only says which types a kernel takes. Without one, all of LiteRT's other kernels.
    """
    content = path.read_bytes()
    while True:
        try:
            return LoadedModel(Reference(content))
        except ToolchainError as error:
            found = MISSING.search(error.problems[0].what)
            if found is None:
                raise
        operator, version = found[1], int(found[2])
        if version == 1:
            remark = f"(LiteRT's optimised kernels: it has no reference kernel for {operator})"
            return LoadedModel(Reference(path, optimised=True), remark)
        content = _older(content, operator, version - 1)


def _older(content: bytes, operator: str, version: int) -> bytes:
    """The model with an operator in this version."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    for code in model.operatorCodes:
        if code.builtinCode == getattr(schema.BuiltinOperator, operator):
            code.version = min(code.version, version)
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
