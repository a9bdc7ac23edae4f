"""Tables of a TFLite file, read without checks that the schema's generated code always passes.

The checks are a third of reading a large model: flatbuffers asks of every offset whether its type
can hold it. Possible damage of a file is still an error: a place before the file or after it.
"""

import struct
from typing import Any

import numpy as np
from flatbuffers.number_types import to_numpy_type
from flatbuffers.table import Table

from opsmith.ir import Array

_DISTANCE = struct.Struct("<i").unpack_from  # distance of a table from its vtable
_OFFSET = struct.Struct("<H").unpack_from
_NUMBER = struct.Struct("<I").unpack_from


def quick(table: Any) -> Any:
    """Table of the schema, or None, whose fields are now read without these checks."""
    if table is not None:
        table._tab.__class__ = _Table
    return table


class _Table(Table):  # type: ignore[misc] # flatbuffers has no types
    __slots__ = ()

    def Offset(self, field: int) -> int:  # noqa: N802 as flatbuffers calls it
        """Offset of a field, or 0. Raises ValueError and struct.error."""
        offsets = _within(self.Pos - _DISTANCE(self.Bytes, self.Pos)[0])
        if field >= _OFFSET(self.Bytes, offsets)[0]:
            return 0
        offset: int = _OFFSET(self.Bytes, offsets + field)[0]
        return offset

    def Get(self, flags: Any, at: int) -> Any:  # noqa: N802
        """Number at a place in the file. Raises ValueError and struct.error."""
        return flags.py_type(flags.packer_type.unpack_from(self.Bytes, _within(at))[0])

    def GetVectorAsNumpy(self, flags: Any, at: int) -> Array:  # noqa: N802
        """Vector whose place is stored at an offset. Raises ValueError and struct.error."""
        at = _within(at + self.Pos)
        at += _NUMBER(self.Bytes, at)[0]
        (count,) = _NUMBER(self.Bytes, at)
        return np.frombuffer(self.Bytes, to_numpy_type(flags), count, at + 4)


def _within(at: int) -> int:
    """Place in the file, checked since Python takes a negative one for a place from the end."""
    if at < 0:
        raise ValueError(f"there is no byte {at}")
    return at
