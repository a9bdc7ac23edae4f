"""Writes several files so that a reader sees all old or all new contents, never a mixture."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from opsmith.errors import cannot_write

NEW = ".new"  # suffix of files until all are written


def check_writable(folder: Path, name: str = "") -> None:
    """Raise OSError where no file can be made in a folder, or none of a name by replace_files."""
    tempfile.TemporaryFile(dir=folder).close()
    if name:
        with suppress(FileNotFoundError):
            (folder / f"{name}{NEW}").lstat()


def replace_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write each content beside its target, then rename all new files. Raises BLD002 on failure."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            written = folder / f"{name}{NEW}"
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(content.encode() if isinstance(content, str) else content)
        for name in files:
            (folder / f"{name}{NEW}").replace(folder / name)
    except OSError as error:
        raise cannot_write(folder, error) from error
