"""Files that are no models are named for what they are, with what makes a model of them."""

import gzip
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from opsmith.frontend.find import read_model
from opsmith.frontend.foreign import folder_problem
from tests.refusals import refusal
from tests.unit.frontend.test_tflite import convolution

CONTENT = convolution().bytes()
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 75400\n" % (b"0" * 64)


def archive(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name in names:
            file.writestr(zipfile.ZipInfo(name), b"x")  # of 1980: workers collect one name
    return made.getvalue()


def array(form: str, content: bytes = CONTENT) -> bytes:
    """C source code of an array as tools write it, with further numbers beside."""
    numbers = ", ".join(format(each, form) for each in content)
    before = "// {0x00}\n#define MARK 0xAB, 0xCD\nconst int shape[] = {1, 0x31};\n"
    declared = f"alignas(0x10) const unsigned char m[{len(content)}]"
    return f"{before}{declared} = {{\n{numbers}}};\nconst int size[1] = {{{9}}};\n".encode()


def problem(path: Path) -> tuple[str, str, str]:
    (found,) = refusal(read_model, path, "m").problems
    return found.code, found.what, found.fix


@pytest.mark.parametrize(("content", "what", "fix"), [
    (b"", "an empty file", "export or copy the model again"),
    (POINTER, "Git LFS, in the place of a file of 75400 bytes", "git lfs pull"),
    (gzip.compress(CONTENT, mtime=0), "compressed by gzip", "gunzip -c"),
    (archive("a/model.tflite"), "a zip archive with a/model.tflite", "unzip"),
    (archive("config.json", "model.weights.h5"), "a model of Keras", "m.keras"),
    (archive("a/data.pkl"), "a model of PyTorch", "litert_torch"),
    (archive("m/saved_model.pb"), "with a SavedModel", "from_saved_model"),
    (archive("labels.txt"), "without a .tflite file", "give a model"),
    (archive("labels.txt")[:60], "a damaged zip archive", "copy it again"),
    (b"\x89HDF\r\n\x1a\n" + bytes(99), "a model of Keras", "m.h5"),
    (b"\x08\x08\x12\x07pytorch" + bytes(99), "a model of ONNX", "ends with .onnx"),
    (b"\x08\x01\x12\xff\x01" + bytes(99), "a model of TensorFlow", "from_saved_model"),
    (b"\n<!DOCTYPE html><html>", "a page of the web", "Raw"),
    (array("#04x", bytes(99)), "source code", "that it was made of"),
    (array("#04x").rpartition(b"}")[0].rpartition(b"}")[0], "has no end", "export the file again"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["m.tflite", "m.task", "m"])
def test_what_a_file_is_is_said(
    content: bytes, what: str, fix: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    code, said, advice = problem(path)
    assert code == "MDL034"
    assert what in said
    assert fix in advice


@pytest.mark.parametrize("form", ["#04x", "#x", "#04X", "d"])
@pytest.mark.parametrize("name", ["m.h", "it's mine.cc", "m.tflite"])
def test_the_command_for_an_array_makes_the_model(form: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(array(form))
    code, said, advice = problem(path)
    assert (code, said) == ("MDL034", "this is C source code with a model, not a TFLite model")
    command = advice.removeprefix("convert it: ").replace("python3", sys.executable, 1)
    subprocess.run(["/bin/sh", "-c", command], check=True)
    (made,) = (each for each in tmp_path.iterdir() if each.name != name)
    assert made.suffix == ".tflite"
    assert made.read_bytes() == CONTENT


def test_a_model_of_another_name_is_to_be_renamed(tmp_path: Path) -> None:
    (tmp_path / "m.lite").write_bytes(CONTENT)
    code, said, advice = problem(tmp_path / "m.lite")
    assert (code, advice) == ("MDL033", "rename it so that its name ends with .tflite")
    assert "it holds what '.tflite' files do" in said


@pytest.mark.parametrize("suffix", [".tflite", ".onnx", ".pt2"])
def test_a_link_to_a_device_is_not_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    path.symlink_to("/dev/zero")  # which has no end
    assert problem(path)[:2] == ("MDL002", "cannot read the model: it is a device")


def test_folders_are_named(tmp_path: Path) -> None:
    assert folder_problem(tmp_path)[0] == "is a folder"
    (tmp_path / "a.tflite").write_bytes(CONTENT)
    assert folder_problem(tmp_path) == ("is a folder", "give one of its files: a.tflite")
    (tmp_path / "saved_model.pb").write_bytes(b"")
    what, fix = folder_problem(tmp_path)
    assert what == "is a SavedModel of TensorFlow"
    assert fix.startswith(f"build it by model={tmp_path}, ")
    renamed = tmp_path / "m.tflite"
    renamed.mkdir()
    assert problem(renamed)[:2] == ("MDL002", "it is a folder")
