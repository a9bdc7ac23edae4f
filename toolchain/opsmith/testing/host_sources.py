"""Writes the C++ of programs for this machine, and a function that runs each."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from opsmith.emit.emitters import run_emitter
from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.streaming import push_name
from opsmith.emit.weights import write_weights
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.writing import replace_files

# Reads the bytes of all inputs, writes the bytes of all outputs, again and again until the end.
_RUN = """\
#include <stdio.h>

#include "model.h"

int run_MODEL() {
  for (;;) {
INFER
    for (int i = 0; i < MODEL::output_count; ++i) {
      const opsmith::Buffer output = MODEL::output(i);
      if (fwrite(output.data, 1, output.bytes, stdout) != output.bytes) return 1;
    }
  }
}
"""


_INVOKE = """\
    for (int i = 0; i < MODEL::input_count; ++i) {
      const opsmith::Buffer input = MODEL::input(i);
      if (fread(input.data, 1, input.bytes, stdin) != input.bytes) return 0;
    }
    MODEL::invoke();
"""
# A model without inputs runs once, as its input would never end.
_ONCE = """\
    static bool done = false;
    if (done) return 0;
    done = true;
    MODEL::invoke();
"""
# A model that streams gets one row at a time; pushes that complete no inference give no outputs.
_PUSH = """\
    MODEL::stream::Element row[MODEL::stream::row_elements];
    if (fread(row, 1, sizeof(row), stdin) != sizeof(row)) return 0;
    if (!MODEL::PUSH(row)) continue;
"""


def write_sources(
    program: Program,
    ops: OpIndex,
    folder: Path,
    *,
    bare: bool = False,
    devices: tuple[str, ...] = (),
) -> None:
    """Write a program, and a function that runs it, into a folder of its name below `folder`.

    A `bare` program has inputs and outputs by index only: access by name, in C++ and in C, takes
    longer to compile than the kernels of most ops. Other C++ files are removed, since an emitter
    may have written more for an earlier program. An emitter writes for the given `devices`.
    """
    where = folder / program.graph.name
    where.mkdir(parents=True, exist_ok=True)
    files = dict(_sources(program, ops, where, devices))
    if bare:
        files |= {"model_c.cc": ""} if program.reentrant else _by_index_alone(files)
    for path in where.rglob("*.cc"):
        if path.relative_to(where).as_posix() not in files:
            path.unlink()
    replace_files(where, files)


def _sources(
    program: Program, ops: OpIndex, folder: Path, devices: tuple[str, ...]
) -> Iterator[tuple[str, str | bytes]]:
    binary = folder / "weights.bin"
    digest = write_weights(program, binary)
    written = run_emitter(program, ops, None, folder, devices)
    yield from written.files.items()
    yield from text_files(
        Joined.of(program),
        ops,
        [Source("a test", "00" * 32)],
        target="host",
        binary=str(binary),
        digest=digest,
        written=written,
    ).items()
    stream = program.graph.pushed
    whole = _INVOKE if program.graph.inputs else _ONCE
    infer = whole if stream is None else _PUSH.replace("PUSH", push_name(stream))
    yield "run.cc", _RUN.replace("INFER", infer).replace("MODEL", program.graph.name)


# Matches declarations of tensors by name in model.h, and their definitions in model.cc.
_NAMED = re.compile(
    r"\nnamespace (inputs|outputs) \{\n.*?\n\}  // namespace \1\n"
    r"|^inline constexpr auto& first_(?:in|out)put = [\w:]+;\n",
    re.DOTALL | re.MULTILINE,
)
_DATA = re.compile(
    r"^(?:const )?\w+\* (?:inputs|outputs)::\w+::data\(\) \{(?: .* \}|\n.*\n\})\n", re.MULTILINE
)


def _by_index_alone(files: Mapping[str, str | bytes]) -> dict[str, str]:
    """Text of the files without calls that access tensors by name, for files that have any."""
    header, source = str(files["model.h"]), str(files["model.cc"])
    return {"model.h": _NAMED.sub("", header), "model.cc": _DATA.sub("", source), "model_c.cc": ""}
