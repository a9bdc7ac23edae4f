"""Op folders written by tests: a good one, to be broken."""

from pathlib import Path

GOOD = '''"""Twice: every element doubled."""
from dataclasses import dataclass
from opsmith.op import *

@dataclass(frozen=True)
class Params:
    """Geometry."""
    size: int

def infer(node):
    return [node["x"].type]

def params(node) -> Params:
    return Params(node["x"].elements)

REFERENCE = Kernel("reference", Params, every_node(params))
OP = Op(
    name="twice",
    legalize=(Rename("tflite.CUSTOM.Twice"),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("k", int, default=1),),
    infer=infer,
    variants=(Variant({"T": i8}, kernels=(REFERENCE,)),),
)
'''
KERNEL = """#pragma once
#include "twice.op.h"
namespace opsmith::twice {
template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for (int32_t i = 0; i < p.size; ++i) out.y[i] = static_cast<int8_t>(2 * in.x[i]);
}
}  // namespace opsmith::twice
"""

# A function that exists already, and how it is bound.
BOUND = GOOD.replace(
    'Kernel("reference", Params, every_node(params))',
    'Kernel("reference", Params, every_node(params), function="mine::twice<T>",'
    ' arguments=("in.x", "out.y", "p.size"))',
)
MINE = """#pragma once
namespace mine {
template <class T>
void twice(const T* x, T* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<T>(2 * x[i]);
}
}  // namespace mine
"""


# The same with its only variant in a folder, whose kernels may be in modules beside their headers.
IN_FOLDER = GOOD.replace(
    'Variant({"T": i8}, kernels', 'Variant({"T": i8}, folder="narrow", kernels'
)
BROKEN = """from opsmith.op import Refused


def plan(node) -> Refused:
    return Refused(f"rank is {1 // 0}")
"""


def write_in_folder(root: Path, text: str = IN_FOLDER, kernel: str = KERNEL) -> Path:
    """Write an op folder whose variant has a folder; with a kernel `broken`, if the text has it."""
    folder = write(root, text=text)
    (folder / "reference.h").unlink()
    inner = folder / "narrow"
    inner.mkdir()
    kernel = kernel.replace("opsmith::twice", "opsmith::twice::narrow")
    (inner / "reference.h").write_text(kernel, encoding="utf-8")
    if "broken" in text:
        (inner / "broken.py").write_text(BROKEN, encoding="utf-8")
        (inner / "broken.h").write_text(kernel.replace("reference(", "broken("), encoding="utf-8")
    return folder


def write(root: Path, name: str = "twice", text: str = GOOD, kernel: str = KERNEL) -> Path:
    """Write an op folder with the given registration and kernel."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "op.py").write_text(text, encoding="utf-8")
    (folder / "reference.h").write_text(kernel, encoding="utf-8")
    return folder
