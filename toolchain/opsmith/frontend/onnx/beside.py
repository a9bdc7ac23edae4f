"""Files beside an .onnx model that hold elements of its tensors, found without the package onnx: a
build depends on them. The model is untrusted.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

MOST = 1 << 31  # largest file that protobuf reads, in bytes
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types of protobuf
_TO_TENSORS = ((7, 5), (7, 1, 5, 5))  # graph.initializer, graph.node.attribute.t
Place = tuple[int, int]  # position of the first byte, and after the last
_EXTERNAL, _KEY, _VALUE = 13, 1, 2  # fields of a tensor, and of an entry


def files_beside(model: Path) -> tuple[Path, ...]:
    """Files that an .onnx file names and that are in its folder, sorted."""
    try:
        if not model.is_file() or model.stat().st_size >= MOST:
            return ()
        named = {*_places(model.read_bytes())}
    except (OSError, ValueError):  # not protobuf; reading the model reports it
        return ()
    found = {place_beside(model, name) for name in named}
    return tuple(sorted(each for each in found if each is not None))


def place_beside(model: Path, name: str) -> Path | None:
    """File of the given name in the model's folder; None if it is elsewhere, a link or absent."""
    place = PurePosixPath(name)
    if not place.parts or place.is_absolute() or ".." in place.parts or not name.isprintable():
        return None
    found = model.parent
    try:
        for part in place.parts:
            found /= part
            if found.is_symlink():
                return None
        return found if found.is_file() else None
    except OSError:  # the name may be too long
        return None


def _places(data: bytes) -> Iterator[str]:
    for path in _TO_TENSORS:
        for begin, end in _within(data, 0, len(data), path):
            for entry in _within(data, begin, end, (_EXTERNAL,)):
                texts = {field: data[slice(*at)] for field, *at in _fields(data, *entry)}
                if texts.get(_KEY) == b"location":
                    yield texts.get(_VALUE, b"").decode("utf-8", "replace")


def _within(data: bytes, begin: int, end: int, path: Sequence[int]) -> Iterator[Place]:
    """Places in the bytes of the messages to which a path of protobuf fields leads."""
    if not path:
        yield begin, end
        return
    for field, first, last in _fields(data, begin, end):
        if field == path[0]:
            yield from _within(data, first, last, path[1:])


def _fields(data: bytes, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Numbers and places of protobuf fields in bytes. Raises ValueError if they are no message."""
    while begin < end:
        key, begin = _varint(data, begin, end)
        size = {_FIXED64: 8, _FIXED32: 4}.get(key & 7, 0)
        if key & 7 == _VARINT:
            _, begin = _varint(data, begin, end)
        elif key & 7 == _BYTES:
            size, begin = _varint(data, begin, end)
        elif not size:
            raise ValueError(key)
        if begin + size > end:
            raise ValueError(size)
        if key & 7 == _BYTES:
            yield key >> 3, begin, begin + size
        begin += size


def _varint(data: bytes, begin: int, end: int) -> tuple[int, int]:
    """Protobuf varint at `begin`, and the offset after it."""
    found = 0
    for at in range(begin, min(begin + 10, end)):
        found |= (data[at] & 127) << 7 * (at - begin)
        if data[at] < 128:
            return found, at + 1
    raise ValueError(begin)
