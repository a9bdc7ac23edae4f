"""A small checkout, what can be edited in it, and the bytes of builds that nothing disturbed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.scons.convert import OUTPUTS
from opsmith.testing.warm_scons import run_scons
from tests.system.project import PRODUCTS, Project, convolutions, make_project

COMPARED = (*PRODUCTS, *OUTPUTS)
TARGETS = {"host": "host-reference", "mps2_an386": "mps2_an386-cmsis"}
MODEL = "tiny.tflite"
EDITS = ("model", "op", "kernel", "board", "option")  # and "", the checkout as it is
SCONS = (sys.executable, "-m", "SCons", "-Q")
NINJA = (str(Path(sys.executable).with_name("ninja")),)
LONGEST_BUILD = 300.0  # seconds, on a machine that does other things as well

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Command:
    """One build: the board, the model, and what else the command line says."""

    board: str
    model: str = MODEL
    opt: str = ""

    @property
    def arguments(self) -> list[str]:
        """Arguments of scons for the command."""
        words = [f"board={self.board}", f"model={self.model}"]
        return [*words, f"opt={self.opt}"] if self.opt else words

    @property
    def folder(self) -> str:
        """Folder of the command's products."""
        *parents, name = Path(self.model).with_suffix("").parts
        where = f"@{'.'.join(parents)}" if parents else ""
        return f"build/{TARGETS[self.board]}/{name}{where}{f'+{self.opt}' if self.opt else ''}"

    def edited(self, edit: str) -> Command:
        """Command after an edit; the edit 'option' changes the command line itself."""
        return Command(self.board, self.model, "size") if edit == "option" else self


def edit(root: Path, name: str) -> None:
    """Undo every edit of a checkout but this one, which is done. No edit changes a file's size, so
    that what looks at less than the content can be deceived.
    """
    for path, (plain, edited) in _texts(name).items():
        content = edited if edited else plain
        if (root / path).read_bytes() != content:
            (root / path).write_bytes(content)


def _texts(name: str) -> dict[str, tuple[bytes, bytes]]:
    """Content of each file that edits touch, before and after an edit."""
    files = {path: (content, b"") for path, content in _ORIGINALS.items()}
    for path, content in _edited(name).items():
        files[path] = (_ORIGINALS[path], content)
    return files


def _edited(name: str) -> dict[str, bytes]:
    match name:
        case "model":
            return {MODEL: convolutions(changed=1)}
        case "op":
            return {OP: _moved(_ORIGINALS[OP]).replace(b"(8.0, 20.0)", b"(9.0, 20.0)")}
        case "kernel":
            return {path: _moved(_ORIGINALS[path]) for path in KERNELS}
        case "board":
            host, board = (_ORIGINALS[path] for path in BOARDS)
            changed = host.replace(b'"Host"', b'"Tsoh"'), board.replace(b'"16K"', b'"24K"')
            return dict(zip(BOARDS, changed, strict=True))
    return {}


def _moved(text: bytes) -> bytes:
    """Text with its first empty line moved to the end: changed lines, but the same size."""
    return text.replace(b"\n\n", b"\n", 1) + b"\n"


OP = "ops/conv_2d/i8/__init__.py"
KERNELS = ("ops/conv_2d/i8/reference.h", "ops/conv_2d/i8/dsp.h")
BOARDS = ("boards/host/board.toml", "boards/mps2_an386/board.toml")
_ROOT = Path(__file__).resolve().parents[2]
_ORIGINALS = {
    MODEL: convolutions(),
    **{path: (_ROOT / path).read_bytes() for path in (OP, *KERNELS, *BOARDS)},
}


def start(
    root: Path, arguments: Sequence[str], program: Sequence[str] = SCONS, **options: Any
) -> subprocess.Popen[bytes]:
    """Start scons, or another program, in a checkout, as the leader of a process group."""
    environ = {name: value for name, value in os.environ.items() if name != "SCONSFLAGS"}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["PYTHONUNBUFFERED"] = "1"
    return subprocess.Popen(
        [*program, *arguments],
        cwd=root,
        env=environ | options.pop("env", {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **options,
    )


@dataclass(frozen=True)
class Ended:
    """End of a build: its exit status and output."""

    status: int
    text: str


def ended(process: subprocess.Popen[bytes], before: str = "") -> Ended:
    """Wait for a build; one that hangs is ended, with status 124."""
    try:
        output = process.communicate(timeout=LONGEST_BUILD)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output = process.communicate()[0]
        return Ended(124, before + output.decode(errors="replace") + "\n(it hung)")
    return Ended(process.returncode, before + output.decode(errors="replace"))


def build(root: Path, arguments: Sequence[str], **options: Any) -> Ended:
    """Run scons in a checkout to its end; without options for its process, in less time."""
    if options.keys() <= {"env"}:
        environ = {name: value for name, value in os.environ.items() if name != "SCONSFLAGS"}
        done = run_scons(["-Q", *arguments], root, environ | options.get("env", {}), merged=True)
        return Ended(done.returncode, done.stdout)
    return ended(start(root, arguments, **options))


def products(root: Path, command: Command) -> dict[str, bytes]:
    """Content of the existing files of a build that are compared."""
    where = root / command.folder
    return {name: (where / name).read_bytes() for name in COMPARED if (where / name).is_file()}


@dataclass
class Undisturbed:
    """Builds from cold in copies of their own, each made when it is first asked for."""

    base: Path
    known: dict[tuple[Command, str], Files] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pristine = make_project(self.base / "pristine", ops=("conv_2d",)).root

    def checkout(self, name: str) -> Path:
        """Clean copy of the checkout."""
        shutil.copytree(self.pristine, self.base / name, symlinks=True)
        return self.base / name

    def products(self, command: Command, change: str = "") -> Files:
        """The right bytes of a command's products after an edit."""
        key = (command, change)
        if key not in self.known:
            root = self.checkout(f"undisturbed-{len(self.known)}")
            edit(root, change)
            for model in {command.model} - {MODEL}:
                (root / model).parent.mkdir()
                (root / model).write_bytes(MODELS[model])
            done = build(root, command.arguments)
            assert done.status == 0, done.text
            self.known[key] = products(root, command)
            assert set(PRODUCTS[:1]) <= set(self.known[key])
            shutil.rmtree(root)
        return self.known[key]


MODELS = {"a/m.tflite": convolutions(layers=1), "b/m.tflite": convolutions(layers=3)}


def difference(found: Files, right: Files) -> str:
    """Sentence with the names of files that differ; empty if none does."""
    names = sorted({*found, *right})
    wrong = [name for name in names if found.get(name) != right.get(name)]
    return f"wrong bytes: {', '.join(wrong)}" if wrong else ""


def project(root: Path) -> Project:
    """Checkout as a project of the system tests."""
    return Project(root)
