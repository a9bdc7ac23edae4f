"""Records of samples in a file, one a line, so that an interrupted run can be continued."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from opsmith.errors import cannot_write

Record = dict[str, Any]
_END = b'{"end": true}\n'


@contextmanager
def recorded(
    file: Path, head: Mapping[str, Any], add: Callable[[Record], None]
) -> Iterator[tuple[int, Callable[[Record], None]]]:
    """Number of records in a file of an interrupted run with an equal head, each of which is passed
    to `add`, and a function that appends a record and passes it to `add`. Any other file, or that
    of a finished run, is begun anew; the run is finished at the end of the context. Raises BLD002.
    """
    with _written(file):
        content = file.open("r+b" if file.is_file() else "w+b")
    with content:
        with _written(file):
            count = _taken_up(content, _line(head), add)

        def write(record: Record) -> None:
            with _written(file):
                content.write(_line(record))
                content.flush()
            add(record)

        yield count, write
        with _written(file):
            content.write(_END)
            content.flush()


@contextmanager
def _written(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(file, error) from error


def _taken_up(content: IO[bytes], head: bytes, add: Callable[[Record], None]) -> int:
    """Number of whole records in the file; anything after them is cut off."""
    whole = content.readline() == head and not _ended(content)
    content.seek(len(head) if whole else 0)
    if not whole:
        content.truncate()
        content.write(head)
        content.flush()
        return 0
    count, at = 0, len(head)
    for line in content:
        try:
            record = json.loads(line) if line.endswith(b"\n") else None
            if not isinstance(record, dict):
                break
            add(record)
        except (ValueError, KeyError, TypeError, IndexError):
            break
        count, at = count + 1, at + len(line)
    content.seek(at)
    content.truncate()
    return count


def _ended(content: IO[bytes]) -> bool:
    content.seek(-min(len(_END), content.seek(0, 2)), 2)
    return content.read() == _END


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"
