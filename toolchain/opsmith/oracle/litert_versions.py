"""Operators in versions that LiteRT's reference kernels take, but are not registered for."""

import re
import struct

import tflite

from opsmith.tflite.schema import operator_number

_NOT_FOUND = re.compile(r"builtin opcode '(\w+)' version '(\d+)'")
_VERSION = 8  # offset of the field in the vtable of an operator code
_NEWEST = 32  # no operator has as many versions


def with_older_operator(content: bytes, failure: str) -> bytes | None:
    """The model with the operator that LiteRT says it does not find in the version before.

    A version only gates which types and options a kernel is asked to take. LiteRT registers some
    reference kernels in older versions than the other kernels, though they take the same. None
    where there is no older version.
    """
    found = _NOT_FOUND.search(failure)
    number = getattr(tflite.BuiltinOperator, found[1], None) if found else None
    if found is None or number is None or (version := int(found[2])) < 2:
        return None
    changed = bytearray(content)
    model = tflite.Model.GetRootAs(changed, 0)
    for code in map(model.OperatorCodes, range(model.OperatorCodesLength())):
        if operator_number(code) == number and code.Version() == version:
            at = code._tab.Pos + code._tab.Offset(_VERSION)
            struct.pack_into("<i", changed, at, min(version - 1, _NEWEST))
    return bytes(changed)
