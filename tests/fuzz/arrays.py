"""Damaged npz files and tensor names: `python -m tests.fuzz.arrays --count=N --seed=S`."""

import sys
from pathlib import Path
from random import Random

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.build import PortTensor
from opsmith.rig.showcase import load_showcase
from tests.fuzz.arrays_damage import HEADERS, MEMBERS, damaged, end, npy
from tests.fuzz.trials import Limits, command
from tests.fuzz.zip_writer import Directory, archive, deflated, stored

LIMITS = Limits(seconds=20.0, mebibytes=48)
TENSORS = (
    PortTensor("images", "int8", (1, 8, 8, 3), 192, None, None),
    PortTensor("a/b:0", "float32", (2, 5), 40, None, None),
    PortTensor("mask", "bool", (7,), 7, None, None),
)
CODES = {"RIG012", "RIG013", "RIG032"}


def trial(chance: Random, folder: Path) -> str:
    """'loaded', or the code of the error; anything else that happens is raised."""
    if chance.random() < 0.1:
        return _saved(chance, folder)
    values = arrays.seeded(TENSORS, chance.randrange(1000))
    content, intact = _content(chance, values)
    path = folder / "x.npz"
    path.write_bytes(content)
    if chance.random() < 0.1:
        return _shown(folder)
    try:
        loaded = arrays.load(path, TENSORS)
    except ToolchainError as error:
        assert not intact, error
        return _code(error)
    for array, tensor, value in zip(loaded, TENSORS, values, strict=True):
        assert (array.dtype, array.shape) == (np.dtype(tensor.dtype), tensor.shape)
        assert not intact or np.array_equal(array, value)
    return "loaded"


def _code(error: ToolchainError) -> str:
    codes = {problem.code for problem in error.problems}
    assert len(codes) == 1, error
    assert codes <= CODES, error
    text = str(error)
    assert len(text) < 20_000
    assert text.replace("\n", "").isprintable(), ascii(text)
    return codes.pop()


def _saved(chance: Random, folder: Path) -> str:
    """Save and load arrays of tensors with odd names, which must come back equal."""
    names = [_tensor_name(chance) for _ in range(3)]
    tensors = [
        PortTensor(name, t.dtype, t.shape, t.bytes, None, None)
        for name, t in zip(names, TENSORS, strict=True)
    ]
    values = arrays.seeded(tensors, chance.randrange(1000))
    arrays.save(folder / "x.npz", tensors, values)
    for array, value in zip(arrays.load(folder / "x.npz", tensors), values, strict=True):
        np.testing.assert_array_equal(array, value)
    with np.load(folder / "x.npz") as file:
        assert file.files == arrays.names(tensors)
    return "saved and loaded"


PIECES = (
    "a", "a_1", "a_2", "", "../", "/", "\0", "\x1b[2J", "\udcff", "\n", "é", "\u202e",
    "x" * 70_000, ".npy", "\\",
)  # fmt: skip


def _tensor_name(chance: Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randrange(4)))


def _shown(folder: Path) -> str:
    """Load the file as the examples of a model."""
    side = 'title = "t"\n[input]\nexamples = "x.npz"\narrays = ["images"]\n'
    (folder / "m.toml").write_text(side)
    try:
        load_showcase(folder / "m.tflite")
    except ToolchainError as error:
        return f"examples {_code(error)}"
    return "examples loaded"


def _content(chance: Random, values: list[arrays.Array]) -> tuple[bytes, bool]:
    """Bytes of an npz file, and whether the file is undamaged."""
    wrong = chance.choice((0, 1, 1, 1, 2, 3))
    names = arrays.names(TENSORS) if chance.random() < 0.8 else ["arr_0", "arr_1", "arr_2"]
    texts = [npy(value) for value in values]
    at_members = [chance.random() < 0.7 for _ in range(wrong)]
    for _ in range(sum(at_members) if chance.random() < 0.5 else 0):
        which = chance.randrange(3)
        texts[which] = chance.choice(HEADERS)(chance, texts[which])
    pack = [chance.choice((stored, deflated)) for _ in texts]
    members = [
        make(f"{name}.npy", text) for make, name, text in zip(pack, names, texts, strict=True)
    ]
    directory = Directory()
    for inner in at_members:
        if inner and members:
            chance.choice(MEMBERS)(chance, members)
        else:
            end(chance, directory)
    content = archive(members, directory)
    if wrong and chance.random() < 0.3:
        content = damaged(chance, content)
    return content, wrong == 0


if __name__ == "__main__":
    sys.exit(command("arrays", trial, LIMITS, sys.argv[1:]))
