"""Key of a user's entries in a shared cache: any owner of it can write products of other builds."""

import contextlib
import os
import secrets
import stat
from pathlib import Path

from opsmith.errors import ToolchainError

BYTES = 32


def key_file() -> Path:
    """Path of the key; machines that share entries have copies of it."""
    return Path.home() / ".config" / "opsmith" / "cache.key"


def read_key() -> bytes:
    """Content of the key, which is made if it is missing. Raises BLD116."""
    file = key_file()
    try:
        if not file.exists():
            _make(file)
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            found = os.fstat(stream.fileno())
            key = stream.read(BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
    except OSError as error:
        what, fix = f"cannot be read or made: {error.strerror}", "set HOME to a folder of yours"
        raise ToolchainError.of("BLD116", what, where=str(file), fix=fix) from error
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        what, fix = "others may read or write it", f"make a new one: rm {file}"
        raise ToolchainError.of("BLD116", what, where=str(file), fix=fix)
    if len(key) != BYTES:
        what, fix = f"is no key of {BYTES} bytes", f"make a new one: rm {file}"
        raise ToolchainError.of("BLD116", what, where=str(file), fix=fix)
    return key


def _make(file: Path) -> None:
    """Make a key; of two made at once, one stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with open(os.open(new, how, 0o600), "wb") as stream:
        stream.write(secrets.token_bytes(BYTES))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(new, file)
    finally:
        new.unlink()
