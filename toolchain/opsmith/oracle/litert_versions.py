"""Operators in versions for which LiteRT's reference kernels work, but are not registered."""

import re
import struct

import tflite

from opsmith.tflite.schema import operator_number

_NOT_FOUND = re.compile(r"builtin opcode '(\w+)' version '(\d+)'")
_VERSION = 8  # offset of the version in the vtable of an operator code
_NEWEST = 32  # more versions than any operator has


def with_older_operator(content: bytes, failure: str) -> bytes | None:
    """Model with one version less for the operator that LiteRT does not find; None for version 1.

    A version only gates the types and options that a kernel is asked to take. LiteRT registers some
    reference kernels in older versions than its other kernels, though both take the same.
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
