"""A copy of this project in a folder of its own, to be built, edited and broken by tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.testing.warm_scons import run_scons
from opsmith.tflite.writer import ModelWriter
from tests.copies import restored
from tests.layers import conv_2d

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("SConstruct", "LICENSE", "pyproject.toml", "toolchain", "ops", "boards", "runtimes")
APPLICATION = "runtimes/apps/runner/main.cc"
# In its place, as it takes longer to compile than all of a small model.
BARE = '#include "model.h"\nint main() { OPSMITH_MODEL::invoke(); }\n'
SHARED = (".digests", ".toolchain-*.json", "bindings", "*/.board")  # of build/
PRODUCTS = (
    "firmware.elf", "firmware.bin", "firmware.hex", "firmware.map", "report.json", "plan.svg",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """Exit status and output of a command."""

    status: int
    text: str  # standard output and standard error

    def ran(self, step: str) -> set[str]:
        """Names of the files that a step was done for, as in 'CC model.cc'."""
        lines = (line.split() for line in self.text.splitlines())
        return {words[1] for words in lines if len(words) == 2 and words[0] == step}


@dataclass(frozen=True)
class Project:
    """Copy of this project in a folder of its own."""

    root: Path

    def scons(self, *arguments: str, path: str | None = None) -> Outcome:
        """Run SCons in the project; a traceback fails any test. `debug=` is off, as information for
        debuggers takes a fifth of compilation.
        """
        if not any(each.startswith("debug=") for each in arguments):
            arguments = (*arguments, "debug=0")
        env = os.environ | ({"PATH": path} if path is not None else {})
        result = run_scons(["-Q", *arguments], self.root, env, merged=True)
        assert "Traceback" not in result.stdout, result.stdout
        return Outcome(result.returncode, result.stdout)

    def build(self, *arguments: str) -> Outcome:
        """Run SCons in the project and expect success."""
        outcome = self.scons(*arguments)
        assert outcome.status == 0, outcome.text
        return outcome

    def products(self, folder: str) -> dict[str, bytes]:
        """Products below build/ by name."""
        where = self.root / "build" / folder
        return {name: (where / name).read_bytes() for name in PRODUCTS if (where / name).exists()}

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace text in one of the project's files, which must contain the text."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_in_one_process(self) -> None:
        """Let tests of ops run in one process, as each further one would import all modules."""
        self.edit("pyproject.toml", "-n auto", "-n 0")

    def append(self, file: str, text: str) -> None:
        """Add text to the end of one of the project's files."""
        with (self.root / file).open("a", encoding="utf-8") as stream:
            stream.write(text)

    def copy(self, root: Path) -> Project:
        """Copy of the project, builds included, in another folder."""
        if root.exists():
            return Project(restored(self.root, root))
        subprocess.run(["cp", "-a", self.root, root], check=True)  # in half the time of shutil
        return Project(root)

    def lent(self) -> Project:
        """Copy of the project for one test to change, in a fixed folder, where unchanged files
        stay.
        """
        return self.copy(self.root.with_name(f"{self.root.name}-lent"))


# Other processes write bytecode and claims of ops, under names that last a moment.
HALF_WRITTEN = shutil.ignore_patterns("*.pyc.*", "*.json.*")


def make_project(
    root: Path, checkout: Path = ROOT, ops: Sequence[str] = (), *, bare: bool = False
) -> Project:
    """A clean copy of a checkout's sources with `tiny.tflite` in it; with the given ops, or all.
    What firmware of all models shares stays built from an earlier project at its place, under
    seals: the contracts of ops and the objects of boards. A `bare` one can build firmware, and not
    run it.

    Each build reads all op folders, and all ops are loaded again when the toolchain was edited.
    """

    def left_out(folder: str, names: list[str]) -> set[str]:
        others = ops and Path(folder) == checkout / "ops"
        found = {name for name in names if others and Path(folder, name).is_dir()} - {*ops}
        parts = {*names} - {*PARTS} if Path(folder) == checkout else set()
        return found | parts | HALF_WRITTEN(folder, names)

    with _kept(root):
        restored(checkout, root, left_out)
    if bare:
        (root / APPLICATION).write_text(BARE, encoding="utf-8")
    (root / "tiny.tflite").write_bytes(convolutions())
    return Project(root)


@contextmanager
def _kept(root: Path) -> Iterator[None]:
    """Keep the parts of an earlier project's build folder that may stay."""
    built, aside = root / "build", root.with_name(f"{root.name}-kept")
    shutil.rmtree(aside, ignore_errors=True)  # of a project that could not be made
    found = [path for form in SHARED for path in built.glob(form)]
    for path in found:
        place = aside / path.relative_to(built)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
    yield
    if found:
        aside.rename(built)


def tables(elements: int) -> bytes:
    """Model of two ops of int8 that are tables, one after the other, both with an output."""
    model = ModelWriter()
    x = model.input("x", (elements,), "int8", 0.05, -3)
    y = model.tensor("y", (elements,), "int8", 1 / 128, 0)
    z = model.tensor("z", (elements,), "int8", 1 / 256, -128)
    model.node("TANH", [x], [y], version=2)
    model.node("LOGISTIC", [y], [z], version=2)
    model.output(y)
    model.output(z)
    return model.bytes()


def convolutions(layers: int = 2, channels: int = 8, changed: int = 0, bias: int = 0) -> bytes:
    """Model of 1x1 convolutions with random weights; `changed` alters the first weight."""
    rng = np.random.default_rng(7)
    model = ModelWriter()
    x = model.input("x", (1, 2, 2, channels), "int8", [0.5], [0])
    for layer in range(layers):
        values = rng.integers(-100, 100, (channels, 1, 1, channels)).astype(np.int8)
        if layer == 0:
            values[0, 0, 0, 0] += changed
        weights = model.constant(f"w{layer}", values, [0.01] * channels, [0] * channels)
        sums = np.full(channels, bias, np.int32)
        added = model.constant(f"b{layer}", sums, [0.005] * channels, [0] * channels)
        y = model.tensor(f"y{layer}", (1, 2, 2, channels), "int8", [0.5], [0])
        x = conv_2d(model, x, weights, added, y, padding="VALID")
    model.output(x)
    return bytes(model.bytes())
