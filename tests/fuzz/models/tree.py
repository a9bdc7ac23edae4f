"""A model as a tree of Python objects, which need not make sense, and back to bytes."""

import random
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {name: value for name, value in vars(schema.TensorType).items() if isinstance(value, int)}
OPERATORS = {
    name: value for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)
}
OPTIONS = {
    name: value for name, value in vars(schema.BuiltinOptions).items() if isinstance(value, int)
}
SIZES = {
    "FLOAT32": 4, "FLOAT16": 2, "INT32": 4, "UINT8": 1, "INT64": 8, "BOOL": 1, "INT16": 2,
    "INT8": 1, "FLOAT64": 8, "COMPLEX64": 8, "COMPLEX128": 16, "UINT64": 8, "UINT32": 4,
    "UINT16": 2,
}  # fmt: skip
SIZE_OF = {TYPES[name]: size for name, size in SIZES.items()}


def unpacked(content: bytes) -> Any:
    """The `ModelT` of a well-formed file; vectors are lists, so that they can be edited."""
    return _listed(schema.ModelT.InitFromPackedBuf(content, 0))


def packed(model: Any) -> bytes:
    """The file of this tree. Raises what the flatbuffers package raises for an impossible one."""
    for buffer in model.buffers or ():
        if buffer.data is not None:
            buffer.data = np.frombuffer(bytes(buffer.data), np.uint8)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def table(name: str) -> Any:
    """Empty table of the schema, by name."""
    return getattr(schema, f"{name}T")()


def operator_number(code: Any) -> int:
    """Number of an operator: the greater of the two numbers that its table may have."""
    return max(int(code.builtinCode), int(code.deprecatedBuiltinCode))


def renumber(code: Any, number: int, random: random.Random) -> None:
    """Let an operator's table have this number, in a form that some writer of files uses."""
    old = max(0, min(number, 127))
    code.builtinCode, code.deprecatedBuiltinCode = number, old
    if random.random() < 0.3:
        code.deprecatedBuiltinCode = 0
    elif random.random() < 0.3 and old == number < 127:
        code.builtinCode = 0


def _listed(value: Any) -> Any:
    """Tree of a model with lists in place of arrays, except the data of buffers, which is bytes."""
    for name, member in vars(value).items():
        if hasattr(member, "tolist"):
            made = bytearray(member) if type(value).__name__ == "BufferT" else member.tolist()
            setattr(value, name, made)
        elif isinstance(member, list):
            for each in member:
                if hasattr(each, "__dict__"):
                    _listed(each)
        elif hasattr(member, "__dict__"):
            _listed(member)
    return value
