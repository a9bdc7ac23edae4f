"""Where a name can stand: for each place, what is put there and the command line that names it."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.frontend.names import identifier as tensor_identifier
from opsmith.keywords import identifier
from opsmith.tflite.writer import ModelWriter
from tests.stress.spellings import fitting

MODEL = "sums.tflite"
HOST, SUMS = "board=host", f"model={MODEL}"
APP = "runtimes/apps/runner"


@dataclass(frozen=True)
class Place:
    """Place where a name can stand: the files to write, and the command line."""

    name: str
    arguments: Callable[[str], list[str]]
    prepare: Callable[[Path, str], object] = lambda root, name: None
    plain: Callable[[str], str] = lambda name: "plain"  # what a name is compared with
    compared: bool = True  # it makes a firmware of its own
    writes: Callable[[str], str] = lambda name: ""  # what else it is asked to write


def sums(inner: str = "plain") -> bytes:
    """Model of two additions, whose tensor in the middle has the given name."""
    model = ModelWriter()
    x = model.input("x", (4,), "int8", 0.5)
    inner = inner.encode("utf-8", "replace").decode()
    middle, y = model.tensor(inner, (4,), "int8", 0.5), model.tensor("y", (4,), "int8", 0.5)
    for first, second in ((x, middle), (middle, y)):
        options = {"fused_activation_function": "NONE"}
        model.node("ADD", [first, x], [second], options, version=2)
    model.output(y)
    return bytes(model.bytes())


CONTENT = sums()


def _model(root: Path, name: str) -> None:
    (root / fitting(name, ".tflite")).write_bytes(CONTENT)


def _plain_model(name: str) -> str:
    """Plain name with the same namespace as a given name."""
    return identifier(Path(fitting(name, ".tflite")).stem)


def _in(folder: str, content: bytes) -> Callable[[Path, str], object]:
    def prepare(root: Path, name: str) -> None:
        (root / name).mkdir(exist_ok=True)
        (root / name / folder).write_bytes(content)

    return prepare


def _op(root: Path, name: str) -> None:
    shutil.copytree(root / "ops" / "add", root / "mine" / name)


def _ops(root: Path, name: str) -> None:
    (root / name).mkdir(exist_ok=True)
    shutil.move(root / "ops" / "add", root / name / "add")


def _board(folder: str) -> Callable[[Path, str], object]:
    def prepare(root: Path, name: str) -> None:
        where = root / (folder or name) / (name if folder else "mine")
        shutil.copytree(root / "boards" / "host", where)

    return prepare


def _app(root: Path, name: str) -> None:
    shutil.copytree(root / APP, root / name)


def _input(root: Path, name: str) -> None:
    with (root / fitting(name, ".npz")).open("wb") as file:
        np.savez(file, np.ones(4, np.int8))


def _tune(root: Path, name: str) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    text = f'model_sha256 = "{digest}"\n'
    text += '[host-reference-balanced]\nunit = "cycles"\nsources = {}\n'
    (root / fitting(name, ".toml")).write_text(text)


def _outputs(root: Path, name: str) -> None:
    (root / MODEL).write_bytes(sums(name))


def _together(root: Path, name: str) -> None:
    """Prepare a place: one folder of the given name holds the model, ops and boards."""
    _ops(root, name)
    _in("m.tflite", CONTENT)(root, name)
    _board("")(root, name)
    _input(root / name, name)
    _tune(root / name, name)
    (root / "out").mkdir()


PLACES = {
    place.name: place
    for place in (
        Place(
            "model",
            lambda name: [HOST, f"model={fitting(name, '.tflite')}"],
            _model,
            plain=_plain_model,
        ),
        Place(
            "folder of the model",
            lambda name: [HOST, f"model={name}/m.tflite"],
            _in("m.tflite", CONTENT),
        ),
        Place("checkout", lambda name: [HOST, SUMS]),
        Place("op", lambda name: [HOST, SUMS, "ops=mine"], _op, compared=False),
        Place("ops", lambda name: [HOST, SUMS, f"ops={name}"], _ops),
        Place("board", lambda name: [f"board={name}", "boards=mine", SUMS], _board("mine")),
        Place("boards", lambda name: ["board=mine", f"boards={name}", SUMS], _board("")),
        Place("app", lambda name: [HOST, SUMS, f"app={name}"], _app),
        Place(
            "input",
            lambda name: [HOST, SUMS, f"input={fitting(name, '.npz')}", "run"],
            _input,
            compared=False,
        ),
        Place(
            "output",
            lambda name: [HOST, SUMS, f"output={fitting(name, '.npz')}", "run"],
            compared=False,
            writes=lambda name: fitting(name, ".npz"),
        ),
        Place(
            "dump",
            lambda name: [HOST, SUMS, f"dump={name}"],
            compared=False,
            writes=lambda name: name,
        ),
        Place(
            "tune",
            lambda name: [HOST, SUMS, f"tune={fitting(name, '.toml')}"],
            _tune,
            compared=False,
        ),
        Place(
            "outputs",
            lambda name: [HOST, SUMS, f"outputs={name}"],
            _outputs,
            plain=tensor_identifier,
        ),
        Place("prefer", lambda name: [HOST, SUMS, f"prefer={name}"], compared=False),
        Place(
            "cmsis_nn",
            lambda name: ["board=mps2_an386", SUMS, f"libraries=cmsis_nn={name}"],
            compared=False,
        ),
        Place("port", lambda name: [HOST, SUMS, f"port={name}", "run"], compared=False),
        Place("target", lambda name: ["--", name], compared=False),
    )
}

# Where no file needs to be called so.
WORDS = ("outputs", "prefer", "port")
# These in one build, where each of them takes the name.
COVERED = (
    *("checkout", "folder of the model", "ops", "boards"),
    *("input", "output", "dump", "tune"),
)
TOGETHER = Place(
    "together",
    lambda name: [
        "board=mine",
        f"boards={name}",
        f"model={name}/m.tflite",
        f"ops={name}",
        f"input={name}/{fitting(name, '.npz')}",
        f"output=out/{fitting(name, '.npz')}",
        f"dump=out/{name}",
        f"tune={name}/{fitting(name, '.toml')}",
        "run",
    ],
    _together,
    writes=lambda name: "out",
)
