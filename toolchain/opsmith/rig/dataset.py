"""Data sets: samples with labels, one after the other, from an npz file or as MLPerf Tiny's.

SET.npz has an array of samples for each input, along the first axis, and one of labels: the only
integer array of one dimension. If the model has one input, its array may have any name.

A folder has y_labels.csv, with lines FILE, CLASSES, CLASS, and the named files, which contain the
bytes of an input. Lines with two more fields, BYTES and STRIDE, name a window that slides over the
file. `FOLDER:uint8` holds pixels, from which 128 is subtracted for an int8 input; `FOLDER:float32`
real values, which are quantised.
"""

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.reading import UnreadableError, read_bytes
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import PortTensor
from opsmith.rig.npz import Damaged, Header, NpzArchive, opened
from opsmith.text import escaped

LABELS = "y_labels.csv"
STORED = ("", "uint8", "float32")  # element types of a folder's files, given after a colon
_MOST_SHOWN = 10  # problems of one data set
_LINES = "write lines of FILE, CLASSES, CLASS"


@dataclass(frozen=True)
class Sample:
    """A sample: the inputs, the right class if known, and the file of which it is a part."""

    inputs: list[Array]
    label: int | None
    file: str = ""


@dataclass(frozen=True)
class DataSet:
    """A data set whose files exist and fit the model."""

    path: Path
    inputs: Sequence[PortTensor]
    digest: str  # over all files
    count: int
    stored: str = ""
    files: tuple[tuple[Path, int, int], ...] = ()  # of a folder's samples: file, class, stride
    labelled: bool = True

    def samples(self, first: int = 0) -> Iterator[Sample]:
        """Samples from number `first` on. Raises RIG012 for a damaged one."""
        found = self._of_files(first) if self.files else self._of_archive(first)
        try:
            yield from found
        except Damaged as error:
            what, fix = f"cannot be read: {error}", "write it with numpy.savez(path, array, …)"
            raise _error("RIG012", self.path, what, fix) from error

    def _of_archive(self, first: int) -> Iterator[Sample]:
        with opened(self.path) as archive:
            if self.labelled:
                names, name = _roles(archive, self.inputs, self.path)
                labels: Iterable[Array | None] = archive.rows(name)
            else:
                names = arrays.chosen(archive, self.inputs, self.path)
                labels = repeat(None, self.count)
            rows = zip(*(archive.rows(name) for name in names), strict=True)
            for index, (values, label) in enumerate(zip(rows, labels, strict=True)):
                if index >= first:
                    shaped = zip(values, self.inputs, strict=True)
                    known = None if label is None else int(label)
                    yield Sample([v.reshape(t.shape) for v, t in shaped], known)

    def _of_files(self, first: int) -> Iterator[Sample]:
        (tensor,), index = self.inputs, 0
        size = _stored_bytes(tensor, self.stored)
        for file, label, stride in self.files:
            starts = _starts(file.stat().st_size, size, stride)
            for start in starts[max(0, first - index) :]:
                with file.open("rb") as content:
                    content.seek(start)
                    data = content.read(size)
                yield Sample([_converted(data, tensor, self.stored)], label, file.name)
            index += len(starts)


def load_set(name: str, inputs: Sequence[PortTensor], classes: int) -> DataSet:
    """Data set that data=NAME means, for a model of `classes` classes (0: none, such as an
    autoencoder). Raises RIG012, RIG013, and RIG058 where labels are missing or wrong.
    """
    path, stored = Path(name), ""
    if not path.exists() and name.rpartition(":")[2] in STORED:
        path, stored = Path(name.rpartition(":")[0]), name.rpartition(":")[2]
    if path.is_dir():
        return _of_folder(path, stored, inputs, classes)
    try:
        with opened(path) as archive:
            return _of_archive(archive, path, inputs, classes)
    except Damaged as error:
        what, fix = f"cannot be read: {error}", "give an .npz file, or a folder with y_labels.csv"
        raise _error("RIG012", path, what, fix) from error


def load_batch(path: Path, inputs: Sequence[PortTensor]) -> DataSet | None:
    """Samples without labels in a file for input=; None where it holds a single input, or none that
    fits. Raises RIG012, and RIG013 where names differ or inputs have unequal numbers of samples.
    """
    try:
        with opened(path) as archive:
            names = arrays.chosen(archive, inputs, path)
            headers = [archive.header(name) for name in names]
    except Damaged as error:
        raise arrays.unreadable(path, error) from error
    of = [*zip(headers, inputs, strict=False)]
    whole = len(headers) != len(inputs) or all(h.shape == t.shape for h, t in of)
    if not inputs or whole or not all(_fits(header, tensor) for header, tensor in of):
        return None
    counts = {header.shape[0] for header in headers}
    _check_counts(path, counts, "give each input as many samples, at least one")
    return DataSet(path, inputs, _digest([path]), counts.pop(), labelled=False)


def load_samples(path: Path, inputs: Sequence[PortTensor], classes: int) -> DataSet:
    """Samples of an npz file, with labels where it has some and the model has classes. Raises
    RIG012, RIG013, and RIG058 where labels are wrong.
    """
    try:
        with opened(path) as archive:
            others = [name for name in archive.names if name not in arrays.names(inputs)]
            if classes and any(_is_labels(archive.header(name)) for name in others):
                return _of_archive(archive, path, inputs, classes)
            counts = _counts(archive, arrays.chosen(archive, inputs, path), inputs, path)
    except Damaged as error:
        raise arrays.unreadable(path, error) from error
    _check_counts(path, counts, "give each input as many samples, at least one")
    return DataSet(path, inputs, _digest([path]), counts.pop(), labelled=False)


def _of_archive(
    archive: NpzArchive, path: Path, inputs: Sequence[PortTensor], classes: int
) -> DataSet:
    names, labels = _roles(archive, inputs, path)
    counts = _counts(archive, names, inputs, path) | {archive.header(labels).shape[0]}
    _check_counts(path, counts, "give as many labels as samples, at least one")
    _check_classes(path, (int(row) for row in archive.rows(labels)), classes)
    return DataSet(path, inputs, _digest([path]), counts.pop())


def _counts(
    archive: NpzArchive, names: Sequence[str], inputs: Sequence[PortTensor], path: Path
) -> set[int]:
    """Numbers of samples in the arrays of inputs. Raises RIG013 for arrays without samples."""
    if len(names) != len(inputs):
        what, fix = f"{len(names)} arrays for {len(inputs)} inputs", "give one array for each"
        raise _error("RIG013", path, what, fix)
    headers = [archive.header(name) for name in names]
    raise_all(
        Problem("RIG013", f"'{escaped(name)[:80]}' is {header}", str(path), _wanted(tensor))
        for name, header, tensor in zip(names, headers, inputs, strict=True)
        if not _fits(header, tensor)
    )
    return {header.shape[0] for header in headers}


def _roles(archive: NpzArchive, inputs: Sequence[PortTensor], path: Path) -> tuple[list[str], str]:
    """Names of the arrays of inputs, and of labels."""
    wanted, left = arrays.names(inputs), [*archive.names]
    named = [name for name in wanted if name in left]
    left = [name for name in left if name not in named]
    labels = [name for name in left if _is_labels(archive.header(name))]
    if len(labels) != 1:
        what = f"{len(labels)} arrays could be labels" if labels else "there are no labels"
        raise _error("RIG058", path, what, "give one array of integers in one dimension")
    left.remove(labels[0])
    if len(wanted) == 1 and len(left) == 1 and not named:
        named, left = left, []
    if len(named) != len(wanted) or left:
        what = f"arrays {', '.join(escaped(n)[:40] for n in archive.names[:8])}"
        fix = f"name the arrays by input: {', '.join(wanted)}; and labels"
        raise _error("RIG013", path, what, fix)
    return named, labels[0]


def _check_counts(path: Path, counts: Set[int], fix: str) -> None:
    if len(counts) > 1 or counts == {0}:
        what = f"arrays of {' and '.join(map(str, sorted(counts)))} samples"
        raise _error("RIG013", path, what, fix)


def _is_labels(header: Header) -> bool:
    return len(header.shape) == 1 and "int" in header.dtype


def _fits(header: Header, tensor: PortTensor) -> bool:
    """True if an array holds samples: of the tensor's shape, or that without a leading 1."""
    shapes = [tensor.shape, *([tensor.shape[1:]] if tensor.shape[:1] == (1,) else [])]
    return header.dtype == tensor.dtype and header.shape[1:] in shapes and not header.fortran


def _wanted(tensor: PortTensor) -> str:
    return f"give samples of {tensor.dtype}{list(tensor.shape)} along the first axis"


def _of_folder(path: Path, stored: str, inputs: Sequence[PortTensor], classes: int) -> DataSet:
    if len(inputs) != 1:
        what = f"a folder holds samples of one input, and the model has {len(inputs)}"
        raise _error("RIG013", path, what, "give an .npz file")
    table = path / LABELS
    if not table.is_file():
        raise _error("RIG058", path, f"there is no {LABELS}", _LINES)
    found, total, problems = [], 0, list[Problem]()
    size = _stored_bytes(inputs[0], stored)
    for number, line in _lines(table):
        try:
            file, label, stride = _row(path, line)
            windows = _starts(file.stat().st_size, size, stride)
            if not windows:
                raise ValueError(f"its file has {file.stat().st_size} bytes, not {size}")
        except (ValueError, OSError) as error:
            reason = escaped(str(error.strerror if isinstance(error, OSError) else error))[:200]
            problems.append(Problem("RIG013", f"line {number}: {reason}", str(table), _LINES))
            continue
        found.append((file, label, stride))
        total += len(windows)
    raise_all(problems[:_MOST_SHOWN])
    if not found:
        raise _error("RIG058", table, "it has no lines", _LINES)
    _check_classes(table, [label for _, label, _ in found], classes)
    digest = _digest([table, *(file for file, *_ in found)], stored)
    return DataSet(path, inputs, digest, total, stored, tuple(found))


def _lines(table: Path) -> Iterator[tuple[int, list[str]]]:
    """Fields of each line of y_labels.csv that has some, by number. Raises RIG058."""
    try:
        lines = io.StringIO(read_bytes(table, 1 << 26).decode("utf-8", "replace"), newline="")
        yield from filter(all, enumerate(csv.reader(lines, skipinitialspace=True), 1))
    except (UnreadableError, csv.Error) as error:
        raise _error("RIG058", table, f"it is no table: {error}", _LINES) from error


def _digest(files: Sequence[Path], stored: str = "") -> str:
    """Digest of the contents of files, one after the other."""
    whole = hashlib.sha256(stored.encode())
    for file in files:
        with file.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
    return whole.hexdigest()


def _row(folder: Path, line: Sequence[str]) -> tuple[Path, int, int]:
    """File, class and stride of a line of y_labels.csv. Raises ValueError."""
    if len(line) not in (3, 5):
        raise ValueError(f"it has {len(line)} fields")
    name = line[0].strip()
    if not name or "/" in name or "\0" in name or name.startswith("."):
        raise ValueError(f"'{name}' is no file of the folder")
    return folder / name, int(line[2]), int(line[4]) if len(line) == 5 else 0


def _starts(length: int, size: int, stride: int) -> range:
    """Offsets of the windows of a file, which without a stride has exactly one window's size."""
    if stride <= 0:
        return range(1 if length == size else 0)
    return range(0, length - size + 1, stride)


def _check_classes(path: Path, labels: Iterable[int], classes: int) -> None:
    most = max(classes, 2)  # without classes, label 1 means "found"
    wrong = min((label for label in labels if not 0 <= label < most), default=None)
    if wrong is not None:
        what = f"class {wrong} is named, and there are classes 0 to {most - 1}"
        raise _error("RIG058", path, what, "correct the labels, or take the model that has it")


def _stored_bytes(tensor: PortTensor, stored: str) -> int:
    return math.prod(tensor.shape) * np.dtype(stored or tensor.dtype).itemsize


def _converted(data: bytes, tensor: PortTensor, stored: str) -> Array:
    """Input array of a sample's bytes, converted from the stored type."""
    dtype = np.dtype(tensor.dtype)
    if not stored or stored == tensor.dtype:
        return arrays.from_bytes(data, tensor)
    values = np.frombuffer(data, np.dtype(stored).newbyteorder("<")).reshape(tensor.shape)
    if stored == "uint8" and dtype == np.int8:
        return (values.astype(np.int16) - 128).astype(np.int8)
    return arrays.as_input(values, tensor)


def _error(code: str, path: Path, what: str, fix: str) -> ToolchainError:
    return ToolchainError.of(code, what, where=escaped(str(path)), fix=fix)
