"""A template of Jinja, whose bytecode is stored beside that of Python: compiling the page took half
of the time of a link.

An installed Opsmith, whose folder is not written, compiles its templates each time.
"""

import contextlib
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from opsmith.home import INSTALLED
from opsmith.text import escaped

_DIGEST = hashlib.sha256().digest_size
Filters = Mapping[str, Callable[..., Any]]


def load_template(file: Path, filters: Filters) -> Any:
    """Template in a file, with every text escaped; it raises UndefinedError for unknown names."""
    import jinja2

    class KeptBytecode(jinja2.BytecodeCache):
        """Bytecode of the one template of an environment."""

        def get_source_checksum(self, source: str) -> str:
            # Options of the environment decide the bytecode, too.
            parts = [source, Path(__file__).read_text(encoding="utf-8"), jinja2.__version__]
            return hashlib.sha256("\0".join(parts).encode()).hexdigest()

        def load_bytecode(self, bucket: Any) -> None:
            if (content := stored(file)) is not None:
                bucket.bytecode_from_string(content)

        def dump_bytecode(self, bucket: Any) -> None:
            store(file, bucket.bytecode_to_string())

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(file.parent),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=KeptBytecode(),
    )
    environment.filters.update(filters)
    return environment.get_template(file.name)


def _printable(value: object) -> object:
    """Text in which no character of a name reverses the words after it; other values unchanged."""
    return escaped(value) if type(value) is str else value


def stored(file: Path) -> bytes | None:
    """Bytecode that was stored for a template; None where there is none, or a damaged one."""
    try:
        content = _place(file).read_bytes()
    except OSError:
        return None
    code, bytecode = content[:_DIGEST], content[_DIGEST:]
    return bytecode if hashlib.sha256(bytecode).digest() == code else None


def store(file: Path, bytecode: bytes) -> None:
    """Store the bytecode of a template, where Python may store bytecode."""
    if INSTALLED or sys.dont_write_bytecode:
        return
    place = _place(file)
    new = place.with_name(f"{place.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        new.write_bytes(hashlib.sha256(bytecode).digest() + bytecode)
        new.replace(place)  # atomically


def _place(file: Path) -> Path:
    """Path of a template's bytecode: `page.html.jinja` has `page.html.jinja.cpython-311.pyc`."""
    return Path(importlib.util.cache_from_source(f"{file}.py", optimization=""))
