"""Arrays that go into and come out of a model: npz files, seeded inputs, raw bytes."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolchain.errors import Problem, ToolchainError, did_you_mean, raise_all
from toolchain.rig.build import Tensor

Array = NDArray[Any]


def seeded(tensors: Sequence[Tensor], seed: int = 0) -> list[Array]:
    """Arrays over each dtype's full range (floats: standard normal), the same on every call."""
    random = np.random.default_rng(seed)
    return [_random(random, tensor) for tensor in tensors]


def load(path: Path, tensors: Sequence[Tensor]) -> list[Array]:
    """The arrays of an npz file in the order of tensors: by name, or arr_0, arr_1, … in order."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("it is no npz file")
            stored = {name: np.asarray(file[name]) for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        fix = "write it with numpy.savez(path, array, …)"
        raise ToolchainError.of(
            "RIG012", f"cannot be read: {error}", where=str(path), fix=fix
        ) from error
    return check(_by_name(stored, names(tensors), path), tensors, str(path))


def save(path: Path, tensors: Sequence[Tensor], arrays: Sequence[Array]) -> None:
    """Write an npz file, arrays in this order and named by tensor, all at once."""
    temporary = path.with_name(path.name + ".new")
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in zip(names(tensors), arrays, strict=True):
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as entry:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
        os.replace(temporary, path)
    except OSError as error:
        raise ToolchainError.of(
            "RIG012",
            f"cannot be written: {error.strerror}",
            where=str(path),
            fix="name another file",
        ) from error


def names(tensors: Sequence[Tensor]) -> list[str]:
    """The tensors' names, made unique and not empty, as keys of an npz file."""
    unique: list[str] = []
    for index, tensor in enumerate(tensors):
        name = tensor.name or f"tensor_{index}"
        unique.append(f"{name}_{index}" if name in unique else name)
    return unique


def check(arrays: Sequence[Array], tensors: Sequence[Tensor], where: str) -> list[Array]:
    """The arrays, when their number, dtypes and shapes fit the tensors."""
    if len(arrays) != len(tensors):
        what = f"{len(arrays)} arrays for {len(tensors)} tensors"
        raise ToolchainError.of("RIG013", what, where=where, fix=_expected(tensors))
    problems = []
    for array, tensor in zip(arrays, tensors, strict=True):
        if array.dtype != np.dtype(tensor.dtype) or array.shape != tensor.shape:
            what = f"'{tensor.name}' is {array.dtype}{list(array.shape)}"
            fix = f"give {tensor.dtype}{list(tensor.shape)}"
            problems.append(Problem("RIG013", what, where, fix))
    raise_all(problems)
    return list(arrays)


def to_bytes(array: Array) -> bytes:
    """The array as an MCU stores it: dense, little-endian."""
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def from_bytes(data: bytes, tensor: Tensor) -> Array:
    """The array that these bytes are."""
    dtype = np.dtype(tensor.dtype).newbyteorder("<")
    return np.frombuffer(data, dtype).reshape(tensor.shape).astype(np.dtype(tensor.dtype))


def _random(random: np.random.Generator, tensor: Tensor) -> Array:
    dtype = np.dtype(tensor.dtype)
    if dtype.kind == "f":
        return random.standard_normal(tensor.shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, tensor.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, tensor.shape, dtype=dtype, endpoint=True)


def _by_name(stored: dict[str, Array], wanted: Sequence[str], path: Path) -> list[Array]:
    if list(stored) == [f"arr_{index}" for index in range(len(stored))]:
        return list(stored.values())
    problems = [
        Problem("RIG013", f"there is no array '{name}'", str(path), "name the arrays by tensor")
        for name in wanted
        if name not in stored
    ]
    for name in stored:
        if name not in wanted:
            what = f"no input is named '{name}'{did_you_mean(name, wanted)}"
            fix = f"the inputs are: {', '.join(wanted)}"
            problems.append(Problem("RIG013", what, str(path), fix))
    raise_all(problems)
    return [stored[name] for name in wanted]


def _expected(tensors: Sequence[Tensor]) -> str:
    listed = (f"'{tensor.name}' {tensor.dtype}{list(tensor.shape)}" for tensor in tensors)
    return f"give {', '.join(listed) or 'none'}"
