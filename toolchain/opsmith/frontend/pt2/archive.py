"""Reads an archive of torch.export: its program as JSON, and tensors as raw bytes.

The file is untrusted. Sizes are checked before anything is unpacked, and no pickle is loaded.
"""

import json
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.ir import Array

MEMBERS = 1 << 16  # files of an archive
UNPACKED = 1 << 31  # bytes of all its files
SMALL = 1 << 26  # unpacked bytes that are allowed whatever the ratio
DENSEST = 100  # unpacked bytes per packed byte; torch.export.save() does not compress
TEXT = 1 << 25  # bytes of a file of JSON
NEWEST = 0  # archive_version
SCHEMA = 8  # major number of the program's schema
# torch.ScalarType as numbered in the schema
TYPES = {1: "uint8", 2: "int8", 4: "int32", 5: "int64", 7: "float32", 8: "float64", 12: "bool"}
OTHERS = {3: "int16", 6: "float16", 13: "bfloat16"}
SAVE = "export the program again: torch.export.save(torch.export.export(MODEL, INPUTS), FILE)"


def error(code: str, what: str, path: Path, fix: str = SAVE) -> ToolchainError:
    """Error about the whole file."""
    return ToolchainError.of(code, what, where=str(path), fix=fix)


def kind_of(number: object) -> str:
    """Name of an element type by torch's number for it."""
    known = {**TYPES, **OTHERS}
    return known.get(number, "an unknown type") if isinstance(number, int) else "an unknown type"


class Archive:
    """An open archive, all of whose names and sizes have been checked."""

    def __init__(self, path: Path, file: zipfile.ZipFile) -> None:
        self.path, self.file = path, file
        infos = file.infolist()
        unpacked = sum(info.file_size for info in infos)
        if len(infos) > MEMBERS or unpacked > UNPACKED:
            raise error("MDL001", f"it unpacks to more than {UNPACKED >> 20} MiB", path)
        if unpacked > max(SMALL, DENSEST * path.stat().st_size):
            what = f"it unpacks to {unpacked >> 20} MiB, more than {DENSEST} times its size"
            raise error("MDL001", what, path)
        for info in infos:
            self._check(info)
        self.members = {info.filename: info for info in infos}
        if len(self.members) != len(infos):
            raise error("MDL001", "the archive has two files of one name", path)
        roots = {name.partition("/")[0] for name in self.members}
        if len(roots) != 1:
            self._refuse_older()
            raise error("MDL001", "its files are not in one folder of torch.export", path)
        self.root = roots.pop()
        if self.text("archive_format") != "pt2":
            self._refuse_older()
            raise error("MDL001", "the archive is none of torch.export", path)
        version = self.text("archive_version")
        if not version.isdecimal() or len(version) > 9 or int(version) > NEWEST:
            self._future(f"version {shown(version)} of the archive")
        if (order := self.text("byteorder")) != "little":
            raise error("MDL006", f"its byte order is {shown(order)}, not little", path)

    def _check(self, info: zipfile.ZipInfo) -> None:
        """Raise MDL001 for a name that leads outside, a link, encryption or a rare compression."""
        parts, name = info.filename.split("/"), shown(info.filename)
        if ".." in parts or "" in parts[:-1] or "\\" in info.filename or "\0" in info.orig_filename:
            raise error("MDL001", f"the archive has a file '{name}' outside of it", self.path)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise error("MDL001", f"'{name}' of the archive is a link", self.path)
        if info.flag_bits & 1 or info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            raise error("MDL001", f"'{name}' of the archive is encrypted or packed", self.path)

    def _refuse_older(self) -> None:
        """Raise an error for older layouts, whose weights are pickles."""
        names = {name.rpartition("/")[2] for name in self.members}
        older = {"serialized_exported_program.json", "serialized_state_dict.pt", "data.pkl"} & names
        older |= {n for n in self.members if n.endswith(".pt") and "/data/weights/" in n}
        if older:
            what = f"'{shown(min(older))}' is a pickle, which could run code and is never loaded"
            raise error("MDL042", what, self.path, f"with torch 2.9 or newer, {SAVE}")

    def _future(self, what: str) -> None:
        fix = f"save it by a PyTorch whose schema is {SCHEMA}, such as 2.9 to 2.13"
        raise error("MDL043", f"{what} is not known to this reader", self.path, fix)

    def read(self, name: str, most: int = UNPACKED) -> bytes:
        """Content of a file below the archive's folder."""
        info = self.members.get(f"{self.root}/{name}")
        if info is None:
            raise error("MDL001", f"the archive has no '{shown(name)}'", self.path)
        if info.file_size > most:
            raise error("MDL001", f"'{shown(name)}' has more than {most} bytes", self.path)
        try:
            with self.file.open(info) as member:
                found = member.read(info.file_size + 1)
        except Exception as wrong:  # errors of zipfile and of its decompressors
            what = f"'{shown(name)}' of the archive is damaged"
            raise error("MDL001", what, self.path) from wrong
        if len(found) != info.file_size:
            raise error("MDL001", f"'{shown(name)}' has another size than said", self.path)
        return found

    def text(self, name: str) -> str:
        """Short text of a file in the archive; "" where the file does not exist."""
        if f"{self.root}/{name}" not in self.members:
            return ""
        return self.read(name, 64).decode("ascii", "replace").strip()

    def json(self, name: str) -> Any:
        """Content of a JSON file in the archive."""
        try:
            return json.loads(self.read(name, TEXT))
        except (ValueError, RecursionError) as wrong:
            raise error("MDL001", f"'{shown(name)}' is no JSON", self.path) from wrong

    def program(self) -> tuple[str, Mapping[str, Any]]:
        """Name of the only program, and its JSON, after a check of the schema version."""
        start = f"{self.root}/models/"
        found = [
            n[len(start) : -5] for n in self.members if n.startswith(start) and n[-5:] == ".json"
        ]
        if len(found) != 1:
            self._refuse_older()
            fix = "save a file for each program by torch.export.save()"
            raise error("MDL001", f"it has {len(found)} programs instead of one", self.path, fix)
        program = self.json(f"models/{found[0]}.json")
        version = program["schema_version"]
        major, minor = version["major"], version["minor"]
        if major != SCHEMA or not isinstance(minor, int):
            self._future(f"version {shown(f'{major}.{minor}')} of the program's schema")
        return found[0], program

    def payloads(self, model: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Folder and description of each tensor, by its full name."""
        found: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for kind in ("constants", "weights"):
            name = f"data/{kind}/{model}_{kind}_config.json"
            if f"{self.root}/{name}" not in self.members:
                if kind == "weights":
                    self._refuse_older()
                continue
            found |= {
                key: (f"data/{kind}", meta) for key, meta in self.json(name)["config"].items()
            }
        return found

    def tensor(self, name: str, folder: str, payload: Mapping[str, Any]) -> Array:
        """Elements of a tensor that is stored as raw bytes. Raises MDL042 for a pickle."""
        if payload["use_pickle"]:
            what = f"'{shown(name)}' is a pickle, which could run code and is never loaded"
            fix = "export with plain tensors: no subclass of torch.Tensor, no quantised tensor"
            raise error("MDL042", what, self.path, fix)
        meta = payload["tensor_meta"]
        if meta["dtype"] not in TYPES:
            fix = "export elements of float32, int8 or int32"
            raise error("MDL012", f"'{shown(name)}' is of {kind_of(meta['dtype'])}", self.path, fix)
        data = self.read(f"{folder}/{payload['path_name']}")
        dtype = np.dtype(TYPES[meta["dtype"]])
        sizes, strides = ([each["as_int"] for each in meta[key]] for key in ("sizes", "strides"))
        offset = meta["storage_offset"]["as_int"]
        if not all(isinstance(n, int) and n >= 0 for n in (*sizes, *strides, offset)):
            raise error("MDL006", f"'{shown(name)}' has a negative size", self.path)
        count = 1
        for size in sizes:
            count *= size
        last = offset + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
        flat = np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype)
        if len(data) % dtype.itemsize or count > flat.size or (count and last >= flat.size):
            what = f"the elements of '{shown(name)}' do not fit its type and shape"
            raise error("MDL006", what, self.path)
        steps = [
            step * dtype.itemsize if n > 1 else 0 for n, step in zip(sizes, strides, strict=True)
        ]
        if not count:
            return np.zeros(sizes, dtype)
        return np.lib.stride_tricks.as_strided(flat[offset:], sizes, steps, writeable=False).copy()
