"""Decodes the options of CUSTOM ops: flexbuffers, the format that TFLite's converters write."""

from collections.abc import Mapping
from typing import Any

from flatbuffers import flexbuffers

from opsmith.op.declare import OpError

_FACTOR = 16  # values that a byte may stand for: vectors can be shared, and multiply when decoded


def flexbuffer(data: bytes) -> Mapping[str, Any]:
    """Options of a flexbuffer map by name; empty for no bytes. Raises OpError for invalid data."""
    if not data:
        return {}
    try:
        root = _Decoder(_FACTOR * len(data) + 1024).value(flexbuffers.GetRoot(data))
    except OpError:
        raise
    except Exception as error:  # the package raises various types for broken bytes
        raise OpError(f"the options are no flexbuffer: {type(error).__name__}: {error}") from error
    if not isinstance(root, dict) or not all(isinstance(key, str) for key in root):
        raise OpError("the options are no flexbuffer map")
    return root


class _Decoder:
    """Decoder of a flexbuffer that reads at most `left` values and characters."""

    def __init__(self, left: int) -> None:
        self._left = left

    def value(self, ref: Any) -> Any:
        """Value of a reference, as the package's `ref.Value`. Raises OpError beyond the limit."""
        self._spend(1)
        if ref.IsMap:
            pairs = zip(ref.AsMap.Keys, ref.AsMap.Values, strict=False)
            return {self.value(key): self.value(value) for key, value in pairs}
        if ref.IsVector:
            return [self.value(each) for each in ref.AsVector]
        found = ref.Value
        self._spend(len(found) if isinstance(found, str | bytes | list) else 0)
        return found

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise OpError("the options are a flexbuffer that multiplies when decoded")
