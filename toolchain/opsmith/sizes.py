"""Sizes in bytes with units, as people write them."""

import re

_UNITS = {"": 1, "K": 1024, "M": 1024 * 1024}
_SIZE = re.compile(r"([0-9]{1,12}(?:_[0-9]{1,12})*) ?([KM]?)")


def parse_size(value: object) -> int | None:
    """Bytes for 4096, "4096", "64K" or "1M"; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) * _UNITS[match[2]] if match and len(match[1]) < 40 else None
