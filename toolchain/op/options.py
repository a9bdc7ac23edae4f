"""Decode the options of CUSTOM ops: flexbuffers, the format that TFLite's converters write."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from flatbuffers import flexbuffers

from toolchain.op.describe import OpError


def flexbuffer(data: bytes) -> Mapping[str, Any]:
    """The options of a flexbuffer map by name; none for no bytes. Raises OpError for others."""
    if not data:
        return {}
    try:
        root = flexbuffers.Loads(data)
    except (ValueError, TypeError, KeyError, IndexError, struct.error, RecursionError) as error:
        raise OpError(f"the options are no flexbuffer: {type(error).__name__}: {error}") from error
    if not isinstance(root, dict) or not all(isinstance(key, str) for key in root):
        raise OpError("the options are no flexbuffer map")
    return root
