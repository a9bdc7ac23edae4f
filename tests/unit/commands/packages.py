"""A small package, as `library` makes it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from opsmith.package.description import DESCRIPTION, Package, PackagedTensor, description
from opsmith.package.sources import LISTING

PACKAGE = Package(
    "kws", "kws.tflite", "0" * 64, "board, runtime cmsis, opt size", "arm-none-eabi-g++",
    ("-mcpu=cortex-m4",), ("-std=c++17", "-Wall", "-g", "-Os", "-ffp-contract=off"),
    ("model.cc", "weights.cc"), ("kws_weights.bin",), (),
    requires=(("dsp", "__ARM_FEATURE_DSP"),),
    inputs=(PackagedTensor("x", "int8"),),
    outputs=(PackagedTensor("y", "int8"), PackagedTensor("z", "float32")),
)  # fmt: skip
WEIGHTS = """\
asm(R"(
  .macro constant name, alignment, offset, bytes
\\name:
  .incbin "kws_weights.bin", \\offset, \\bytes
  .endm

  constant kws.a, 4, 0, 3
  constant kws.b, 4, 4, 2
  .section .note.GNU-stack, "", %progbits
)");
"""
FILES = {
    "LICENSE": "licence",
    "NOTICE": "notice",
    "licenses/nn/COPYING": "theirs",
    "README.md": "of the package",
    "include/kws/kws.h": '#include "kws/opsmith/model_abi.h"\n',
    "include/kws/opsmith/model_abi.h": "",
    "src/CMakeLists.txt": "",
    "src/kws_weights.bin": "\0\1\2\3\4\5",
    "src/model.cc": '#include "kws/kws.h"\n#include "ops/add/add.h"\n#include <stdint.h>\n',
    "src/ops/add/add.h": '#include "runtimes/core/walk.h"\n',
    "src/runtimes/core/walk.h": "",
    "src/weights.cc": WEIGHTS,
}


def package(root: Path, files: Mapping[str, str] = FILES, about: Package | str = PACKAGE) -> Path:
    """Folder of a small package, as `library` makes it."""
    text = about if isinstance(about, str) else description(about)
    lines = []
    for path, content in {**files, DESCRIPTION: text}.items():
        place = root / "library" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        lines.append(f"{hashlib.sha256(place.read_bytes()).hexdigest()}  {path}\n")
    (root / "library" / LISTING).write_text("".join(lines), encoding="utf-8")
    (root / "library/report.json").write_text("{}")
    return root / "library"
