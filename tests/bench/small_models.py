"""Models of one node, whose firmware is little but what every firmware has, and its flash."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.architectures.layers import Layers
from tests.architectures.schemes import FLOAT32, INT8
from tests.bench.recorded import find

RECORDED = Path(__file__).with_name("small.toml")
HEAD = """\
# Flash in bytes of firmware of models of one node (small_models.py), opt=balanced, by core.
# Written by `.venv/bin/python -m tests.bench.estimates --models=DIR --record`.
"""
CHANNELS = 8
_BOTH: dict[str, Callable[[Layers, int], ModelTensor]] = {
    "add": lambda n, c: n.binary("ADD", n.input(1, 8, 8, c // 2), n.input(1, 8, 8, c // 2)),
    "conv": lambda n, c: n.convolution(n.input(1, 8, 8, c // 2), c),
    "dense": lambda n, c: n.dense(n.input(1, 4 * c), 10),
    "dw": lambda n, c: n.depthwise(n.input(1, 8, 8, c)),
    "logistic": lambda n, c: n.unary("LOGISTIC", n.input(1, 8 * c)),
    "softmax": lambda n, c: n.softmax(n.input(1, 8 * c)),
}
_FLOATS: dict[str, Callable[[Layers, int], ModelTensor]] = {
    "log": lambda n, c: n.unary("LOG", n.input(1, 8 * c)),
    "sin": lambda n, c: n.unary("SIN", n.input(1, 8 * c)),
    "tanh": lambda n, c: n.unary("TANH", n.input(1, 8 * c)),
}
_NODES = {f"{name}_i8": (INT8, node) for name, node in _BOTH.items()} | {
    f"{name}_f32": (FLOAT32, node) for name, node in (_BOTH | _FLOATS).items()
}
SMALL = tuple(sorted(_NODES))


def small(name: str, channels: int = CHANNELS) -> bytes:
    """Model file of a name in SMALL."""
    model = ModelWriter()
    scheme, node = _NODES[name]
    layers = Layers(model, scheme)
    layers.output(node(layers, channels))
    return model.bytes()


@contextmanager
def model_file(name: str, models: Path) -> Iterator[Path]:
    """File of a small model, which is deleted afterward, or of one in the folder `models`."""
    if name not in SMALL:
        yield find(models, name)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.tflite")
        path.write_bytes(small(name))
        yield path


def recorded_flash() -> dict[str, dict[str, int]]:
    """Recorded flash in bytes: core -> small model -> bytes."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def flash_text(flash: Mapping[str, Mapping[str, int]]) -> str:
    """The text of small.toml."""
    parts = [HEAD.rstrip()]
    for core, found in flash.items():
        parts += ["", f"[{core}]", *(f"{name} = {used}" for name, used in found.items())]
    return "\n".join(parts) + "\n"
