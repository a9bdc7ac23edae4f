"""Files and folders mistaken for models: their formats, and how to make a model of each."""

import re
import shlex
import zipfile
from itertools import islice
from pathlib import Path, PurePosixPath

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown

START = 1 << 16  # bytes of a file that show its format
MAGIC = b"TFL3"  # of .tflite files, from byte 4 on
_MOST = 8  # names that a message lists
_LFS = re.compile(rb"version https?://\S+\n(?:\S+ .*\n)*size (\d+)\s*\Z")
_HEXADECIMAL = re.compile(rb"(?:\b0[xX][0-9a-fA-F]{1,2}\s*,\s*){8}")
_DECIMAL = re.compile(rb"(?<=\{)\s*(?:\d{1,3}\s*,\s*){8}")
_PAGE = re.compile(rb"\s*<(?:!doctype html|html)", re.IGNORECASE)
_KERAS = (
    "a model of Keras",
    "convert it: tf.lite.TFLiteConverter.from_keras_model(keras.models.load_model(FILE)).convert()",
)
_TENSORFLOW = (
    "a model of TensorFlow",
    "convert its folder: tf.lite.TFLiteConverter.from_saved_model(FOLDER).convert()",
)
_BUILT = "build it by model=FILE, which asks TensorFlow, and give the .tflite of build/prepared/"
_PYTORCH = (
    "a model of PyTorch",
    "convert it by litert_torch.convert(), and export a .tflite",
)
_PT2 = ("a program of torch.export", "rename it so that its name ends with .pt2")
_ONNX = ("a model of ONNX", "rename it so that its name ends with .onnx")
# by suffix of files of other formats: the kind of file, and a way to make a .tflite file
CONVERTERS = {
    "keras": ("a model of Keras", _BUILT),
    "h5": _KERAS,
    "pb": _TENSORFLOW,
    "pt": _PYTORCH,
}
_STARTS = (  # formats, by the first bytes of their files
    (b"\x89HDF\r\n\x1a\n", _KERAS),
    (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19", _PYTORCH),
    (b"\x08\x01\x12", _TENSORFLOW),
    *((bytes([8, version, 0x12]), _ONNX) for version in range(3, 20)),
)
# From C source: the numbers between the pair of braces that are furthest apart.
_OF_ARRAY = (
    "python3 -c \"import re, sys; a = max(re.findall(r'{([^{}]*)}', sys.stdin.read()), key=len); "
    r"n = re.findall(r'\b(0[xX]\w\w?|\d+)\s*(?:,|$)', a); "
    'sys.stdout.buffer.write(bytes(int(i, 0) for i in n))"'
)


def check_known(path: Path, start: bytes, but: str = "") -> None:
    """Raise MDL034 where a file, by its first bytes `start`, holds something other than a model.
    `but` is a format that the caller reads and that is not refused.
    """
    for find in (_empty, _pointer, _archive, _other_format, _page, _array):
        found = find(path, start)
        if found is not None and found[0] != but:
            what, fix = found
            fix = fix.replace("FILE", repr(str(path)))
            what = f"this is {what}, not {but or 'a TFLite model'}"
            raise ToolchainError.of("MDL034", what, where=str(path), fix=fix)


def folder_problem(path: Path) -> tuple[str, str]:
    """Description of a folder that is mistaken for a model, and what to give instead."""
    if is_saved_model(path):
        return "is a SavedModel of TensorFlow", _BUILT.replace("FILE", _quoted(path))
    if (path / "data").is_dir() and (path / "Manifest.json").is_file():
        return "is a model of Core ML", "give a .tflite of the model that it was made of"
    names = sorted(each.name for each in islice(path.glob("*.tflite"), 999))
    if names:
        return "is a folder", f"give one of its files: {_listed(names)}"
    return "is a folder", "give a file; relative paths start at the SConstruct's folder"


def is_of_tensorflow(path: Path) -> bool:
    """True if TensorFlow's converter reads a path, by its name: a Keras file or a SavedModel."""
    return path.suffix.lower() == ".keras" or is_saved_model(path)


def is_saved_model(path: Path) -> bool:
    """True if a path is the folder of a SavedModel."""
    return (path / "saved_model.pb").is_file()


def _empty(path: Path, start: bytes) -> tuple[str, str] | None:
    return None if start else ("an empty file", "export or copy the model again")


def _pointer(path: Path, start: bytes) -> tuple[str, str] | None:
    found = _LFS.match(start)
    if found is None:
        return None
    what = f"a pointer of Git LFS, in the place of a file of {int(found[1][:18])} bytes"
    return what, "fetch the file: `git lfs pull` in the repository that it is of"


def _archive(path: Path, start: bytes) -> tuple[str, str] | None:
    if start.startswith(b"\x1f\x8b"):
        return "compressed by gzip", f"unpack it: gunzip -c {_quoted(path)} > model.tflite"
    if not start.startswith(b"PK\x03\x04"):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return "a damaged zip archive", "export or copy it again"
    if "config.json" in names and any(name.endswith(".weights.h5") for name in names):
        return _renamed(path, ".keras")
    if any(PurePosixPath(name).name == "data.pkl" for name in names):
        return _PYTORCH
    if any(PurePosixPath(name).name == "saved_model.pb" for name in names):
        return "a zip archive with a SavedModel of TensorFlow", f"unpack it. {_TENSORFLOW[1]}"
    if any(name.endswith("/archive_format") for name in names):
        return _PT2
    models = [name for name in names if name.lower().endswith(".tflite")]
    if models:
        what = f"a zip archive with {_listed(models)}"
        return what, f"unpack it, and give what it holds: unzip {_quoted(path)} '*.tflite'"
    return "a zip archive without a .tflite file", "give a model, or an archive's content"


def _other_format(path: Path, start: bytes) -> tuple[str, str] | None:
    kind = next((kind for head, kind in _STARTS if start.startswith(head)), None)
    return _renamed(path, ".h5") if kind is _KERAS else kind


def _renamed(path: Path, suffix: str) -> tuple[str, str]:
    """Description and fix for a Keras model, which Keras reads only with this suffix."""
    what, fix = _KERAS
    if path.suffix == suffix:
        return _KERAS
    renamed = path.with_suffix(suffix)
    return what, f"rename it to {renamed.name}, and {fix.replace('FILE', repr(str(renamed)))}"


def _page(path: Path, start: bytes) -> tuple[str, str] | None:
    if not _PAGE.match(start):
        return None
    return "a page of the web", "download the file itself: of GitHub, what its button 'Raw' gives"


def _array(path: Path, start: bytes) -> tuple[str, str] | None:
    for pattern in (_HEXADECIMAL, _DECIMAL):
        found = pattern.search(start)
        if found is not None:
            numbers = (int(each, 0) % 256 for each in found[0].decode().split(",")[:8])
            if bytes(numbers)[4:] != MAGIC:
                return "source code", "give the .tflite file that it was made of"
            if not _ends(path):
                what = "C source code with the beginning of a model: its array has no end"
                return what, "copy or export the file again"
            made = path.with_suffix(".tflite" if path.suffix != ".tflite" else ".model.tflite")
            fix = f"convert it: {_OF_ARRAY} < {_quoted(path)} > {_quoted(made)}"
            return "C source code with a model", fix
    return None


def _ends(path: Path) -> bool:
    """True if the last array of a source file is closed."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - START, 0))
        tail = file.read(START)
    return tail.rfind(b"}") > tail.rfind(b"{")


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(shown(name) for name in names[:_MOST]) + more
