"""Compile many generated models into one program of this machine, and run them one by one."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.discover.discover import op_folders
from opsmith.emit.nodes import LISTING
from opsmith.ir import Array
from opsmith.oracle.litert import Detail
from opsmith.steps.sealed import listed
from opsmith.testing.host_firmware import SANITIZERS, SILENT, WARNINGS
from tests.fuzz.models.child import PATIENCE
from tests.fuzz.models.convert import Converted, Failed
from tests.fuzz.models.oracle import Results
from tests.fuzz.models.seeds import ROOT

FLAGS = ("-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti", "-nostdinc++", *WARNINGS)
SANITIZED = (*(flag for flag in SANITIZERS if flag != "-g"), "-g0")
SECONDS = 20
_MAIN = """\
#include <stdio.h>
#include <stdlib.h>

namespace {
struct Model {
  int inputs, outputs;
  opsmith::Buffer (*input)(int);
  opsmith::Buffer (*output)(int);
  void (*invoke)();
};
const Model models[] = {MODELS};
}  // namespace

int main(int, char** argv) {
  const Model& model = models[atoi(argv[1])];
  for (int sets = atoi(argv[2]); sets > 0; --sets) {
    for (int i = 0; i < model.inputs; ++i) {
      const opsmith::Buffer input = model.input(i);
      if (fread(input.data, 1, input.bytes, stdin) != input.bytes) return 3;
    }
    model.invoke();
    for (int i = 0; i < model.outputs; ++i) {
      const opsmith::Buffer output = model.output(i);
      if (fwrite(output.data, 1, output.bytes, stdout) != output.bytes) return 4;
    }
  }
  return 0;
}
"""

# A model that streams takes a whole input, too, which has no memory of the model's own.
_PUSHED = """
namespace KEY_pushed {
alignas(16) uint8_t image[BYTES];
opsmith::Buffer input(int) { return {image, BYTES}; }
void invoke() { KEY::invoke(reinterpret_cast<const TYPE*>(image)); }
}
"""


class Batch:
    """Generated models in a folder, each in a folder of its own, and the program of all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._models: dict[str, Converted] = {}
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "ops").mkdir(parents=True)

    def __len__(self) -> int:
        return len(self._models)

    def add(self, model: Converted) -> None:
        """Write the files of a generated model; a model that the batch has already is skipped."""
        if model.key in self._models:
            return
        self._models[model.key] = model
        place = self._folder / model.key
        place.mkdir()
        for name, text in model.files.items():
            (place / name).write_text(text, encoding="utf-8")
        (place / "weights.bin").write_bytes(model.weights)
        for name, text in model.op_headers.items():
            (self._folder / "ops" / name).write_text(text, encoding="utf-8")

    def compile(self) -> dict[str, Failed]:
        """Compile the program of the batch; returns the models that do not compile and are left
        out.
        """
        said = self._compile([*self._models])
        if not said:
            return {}
        bad = {}
        for key in self._models:
            if said_alone := self._compile([key]):
                bad[key] = Failed("compiler", said_alone)
        self._models = {key: model for key, model in self._models.items() if key not in bad}
        said = self._compile([*self._models])
        return bad if not said else dict.fromkeys(self._models, Failed("compiler", said))

    def run(self, model: Converted, sets: Results) -> Results | Failed:
        """Outputs of a model for a set of inputs; messages of sanitizers are failures."""
        given = b"".join(np.ascontiguousarray(each).tobytes() for one in sets for each in one)
        number = [*self._models].index(model.key)
        command = ["/bin/sh", "-c", f'ulimit -t {SECONDS} && exec "$0" "$@"']
        command += [str(self._folder / "program"), str(number), str(len(sets))]
        try:
            done = _ran(command, given)
            if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                return Failed("slow", f"the firmware does not end within {SECONDS} s")
            if done.returncode:
                self._compile([*self._models], SANITIZED)
                said = _ran(command, given).stderr.decode(errors="replace")
                return Failed("sanitizer", f"status {done.returncode}: {said}")
        except subprocess.TimeoutExpired:
            return Failed("slow", f"the firmware does not end within {SECONDS} s")
        return _results(model, done.stdout, len(sets))

    def _compile(self, keys: Sequence[str], sanitized: Sequence[str] = (*SANITIZED, SILENT)) -> str:
        """Messages of the compiler about the models; empty when all compile."""
        kernels = [
            f'#include "{key}/{source.name}"'
            for key in keys
            for source in listed(self._folder / key / LISTING)
        ]
        lines = []
        for key in keys:
            lines += [f'#include "{key}/model.cc"', f'#include "{key}/weights.cc"']
            lines += ['asm(".purgem constant");']
        lines += [
            _PUSHED.replace("KEY", k)
            .replace("TYPE", self._models[k].stream)
            .replace("BYTES", str(_bytes(self._models[k].inputs[0])))
            for k in keys
            if self._models[k].stream
        ]
        models = [_entry(self._models[k]) for k in keys]
        lines += ["", _MAIN.replace("MODELS", ",\n    ".join(models))]
        (self._folder / "kernels.cc").write_text("\n".join([*kernels, ""]), encoding="utf-8")
        (self._folder / "program.cc").write_text("\n".join(lines), encoding="utf-8")
        places = dict.fromkeys(str(each.parent) for each in op_folders([ROOT / "ops"]))
        command = ["g++", *FLAGS, *sanitized, "-I.", "-Iops", f"-I{ROOT}"]
        command += [
            *(f"-I{place}" for place in places),
            "program.cc",
            "kernels.cc",
            "-o",
            "program",
        ]
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, check=False
        )
        return done.stderr[-4000:] or "no message" if done.returncode else ""


def _ran(command: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    options = {"ASAN_OPTIONS": "detect_leaks=0:symbolize=0", "UBSAN_OPTIONS": "symbolize=0"}
    return subprocess.run(
        command,
        input=given,
        capture_output=True,
        check=False,
        timeout=PATIENCE * SECONDS,
        env={**os.environ, **options},
    )


def _entry(model: Converted) -> str:
    """The model as a member of the table that the main function has."""
    key = model.key
    face = f"{key}_pushed" if model.stream else key
    counts = f"{len(model.inputs)}, {key}::output_count"
    return f"{{{counts}, {face}::input, {key}::output, {face}::invoke}}"


def _bytes(detail: Detail) -> int:
    return int(np.prod(detail.shape, dtype=np.int64)) * detail.dtype.itemsize


def _results(model: Converted, content: bytes, sets: int) -> Results | Failed:
    found: Results = []
    position = 0
    for _ in range(sets):
        arrays: list[Array] = []
        for detail in model.outputs:
            size = _bytes(detail)
            part = content[position : position + size]
            if len(part) != size:
                return Failed("sanitizer", "the firmware wrote too few bytes")
            arrays.append(np.frombuffer(part, detail.dtype).reshape(detail.shape))
            position += size
        found.append(arrays[: model.own_outputs])
    return found
