"""Arrays for the inputs and outputs of a model: npz files, seeded inputs, raw bytes."""

import errno
import io
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.rig.build import PortTensor
from opsmith.rig.npz import Damaged, NpzArchive, opened
from opsmith.text import escaped

Array = NDArray[Any]
_LONGEST_NAME = 1000  # characters; a zip has room for 65,535 bytes
_MOST_PASSES = 10
_MOST_TOLD = 20  # arrays that are not inputs


def seeded(tensors: Sequence[PortTensor], seed: int = 0) -> list[Array]:
    """Seeded arrays, equal on every call: each dtype's full range (standard normal for floats),
    within the limits of an input that has some, and small counts of loop passes.
    """
    random = np.random.default_rng(seed)
    return [_random(random, tensor) for tensor in tensors]


def load(path: Path, tensors: Sequence[PortTensor]) -> list[Array]:
    """Arrays of an npz file in the order of tensors: by name, or arr_0, arr_1, … in order.

    Data is unpacked only where the headers fit. Raises RIG012 and RIG013.
    """
    try:
        with opened(path) as archive:
            wanted = chosen(archive, tensors, path)
            headers = [archive.header(name) for name in wanted]
            given = [(each.dtype, each.shape) for each in headers]
            _require(given, tensors, escaped(str(path)))
            return [archive.read(name) for name in wanted]
    except Damaged as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> ToolchainError:
    """Error RIG012 for a file that is no npz file."""
    what, fix = f"cannot be read: {error}", "write it with numpy.savez(path, array, …)"
    return ToolchainError.of("RIG012", what, where=escaped(str(path)), fix=fix)


def save(path: Path, tensors: Sequence[PortTensor], arrays: Sequence[Array]) -> None:
    """Write an npz file in one step, with arrays in order and named by tensor. Raises RIG012."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in zip(names(tensors), arrays, strict=True):
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    with _write_errors(path):
        _require_writable(path)
        _replace(path, content.getvalue())


def require_writable(path: Path) -> None:
    """Raise RIG012 if save() could not write the path, before a user waits for results."""
    with _write_errors(path):
        _require_writable(path)


def names(tensors: Sequence[PortTensor]) -> list[str]:
    """Names of tensors, made unique and non-empty, as keys of an npz file."""
    unique: dict[str, None] = {}
    for index, tensor in enumerate(tensors):
        name = escaped(tensor.name)[:_LONGEST_NAME] or f"tensor_{index}"
        while name in unique:
            name = f"{name}_{index}"
        unique[name] = None
    return list(unique)


def check(arrays: Sequence[Array], tensors: Sequence[PortTensor], where: str) -> list[Array]:
    """Return the arrays after a check that their number, dtypes and shapes fit the tensors."""
    _require([(str(array.dtype), array.shape) for array in arrays], tensors, where)
    return list(arrays)


def to_bytes(array: Array) -> bytes:
    """Return the bytes of an array as an MCU stores it: dense, little-endian."""
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def from_bytes(data: bytes, tensor: PortTensor) -> Array:
    """Return the array that a tensor's bytes on an MCU represent."""
    dtype = np.dtype(tensor.dtype).newbyteorder("<")
    return np.frombuffer(data, dtype).reshape(tensor.shape).astype(np.dtype(tensor.dtype))


def as_input(values: Array, tensor: PortTensor) -> Array:
    """Real values converted to an input's type, and quantised where it has a scale."""
    dtype, real = np.dtype(tensor.dtype), values.astype(np.float64)
    if tensor.scale is not None:
        real = np.round(real / tensor.scale) + (tensor.zero_point or 0)
    if dtype.kind in "iu":
        real = np.clip(real, np.iinfo(dtype).min, np.iinfo(dtype).max)
    return real.astype(dtype)


def _random(random: np.random.Generator, tensor: PortTensor) -> Array:
    dtype = np.dtype(tensor.dtype)
    if tensor.expected:
        return np.array(tensor.expected, dtype).reshape(tensor.shape)
    if tensor.count:
        return random.integers(0, _MOST_PASSES, tensor.shape, dtype=dtype, endpoint=True)
    if dtype.kind == "f":
        return random.standard_normal(tensor.shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, tensor.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, tensor.shape, dtype=dtype, endpoint=True)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Context that turns errors of writing into RIG012."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else None
        what, where = f"cannot be written: {reason or error}", escaped(str(path))
        raise ToolchainError.of("RIG012", what, where=where, fix="name another file") from error


def _require_writable(path: Path) -> None:
    """Raise OSError unless the path is an npz file to replace, or new in a writable folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "its folder does not exist") from None
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        raise IsADirectoryError(errno.EISDIR, "it is not a regular file")
    if not os.access(path.parent if mode is None else path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")
    if mode is not None and not _may_be_npz(path):
        raise FileExistsError(errno.EEXIST, "it is not an npz file, and would be replaced")


def _may_be_npz(path: Path) -> bool:
    """True if a file is called .npz, even a damaged one, is an archive of arrays, or is empty."""
    size = path.stat().st_size
    if path.suffix == ".npz" or size == 0:
        return True
    try:
        with opened(path):
            return True
    except Damaged:
        return False


def _replace(path: Path, content: bytes) -> None:
    """Write a temporary file, then rename it, so that an earlier file survives any failure."""
    temporary = path.parent / f".{os.getpid()}.npz.new"
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def chosen(archive: NpzArchive, tensors: Sequence[PortTensor], path: Path) -> list[str]:
    """Names of the archive's arrays in the order of the tensors. Raises RIG013."""
    stored, wanted, where = archive.names, names(tensors), escaped(str(path))
    if stored == [f"arr_{index}" for index in range(len(stored))]:
        return stored
    has, wants = set(stored), set(wanted)
    problems = [
        Problem("RIG013", f"there is no array '{name}'", where, "name the arrays by tensor")
        for name in wanted
        if name not in has
    ]
    unknown = [name for name in stored if name not in wants]
    for name in unknown[:_MOST_TOLD]:
        what = f"no input is named '{escaped(name)[:80]}'{did_you_mean(name[:80], wanted)}"
        problems.append(Problem("RIG013", what, where, f"the inputs are: {', '.join(wanted)}"))
    if len(unknown) > _MOST_TOLD:
        what = f"{len(unknown) - _MOST_TOLD} more arrays are not inputs"
        problems.append(Problem("RIG013", what, where, "leave them out"))
    raise_all(problems)
    return wanted


def _require(
    given: Sequence[tuple[str, tuple[int, ...]]], tensors: Sequence[PortTensor], where: str
) -> None:
    """Raise RIG013 unless the given types and shapes are those of the tensors."""
    if len(given) != len(tensors):
        what = f"{len(given)} arrays for {len(tensors)} tensors"
        raise ToolchainError.of("RIG013", what, where=where, fix=_expected(tensors))
    raise_all(
        Problem(
            "RIG013",
            f"'{escaped(tensor.name)}' is {dtype}{list(shape)}",
            where,
            f"give {tensor.dtype}{list(tensor.shape)}{_turned(shape, tensor.shape)}",
        )
        for (dtype, shape), tensor in zip(given, tensors, strict=True)
        if (dtype, shape) != (tensor.dtype, tensor.shape)
    )


def _turned(given: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Advice for an array with channels first, where an input has them last; "" for others."""
    last = len(given) > 2 and (*given[:1], *given[2:], given[1]) == wanted
    return ", channels last: numpy.moveaxis(array, 1, -1)" if last else ""


def _expected(tensors: Sequence[PortTensor]) -> str:
    listed = (f"'{escaped(each.name)}' {each.dtype}{list(each.shape)}" for each in tensors)
    return f"give {', '.join(listed) or 'none'}"
