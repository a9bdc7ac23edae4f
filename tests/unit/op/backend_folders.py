"""Folders of an op and of backends that bring kernels for it, for tests."""

from pathlib import Path

from opsmith.discover.discover import discover
from opsmith.op.examples import example_graphs
from opsmith.op.index import OpFolder, OpIndex
from opsmith.select.choice import choose
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]
OP = '''"""Twice: every element doubled."""
from dataclasses import dataclass
from opsmith.op import *
from opsmith.op.cost import per_element

@dataclass(frozen=True)
class Params:
    """Sizes."""
    size: int

def infer(node):
    return [node["x"].type]

def params(node):
    return Params(node["x"].elements)

X = ExampleTensor(i8, (4, 5), scale=0.1)
OP = Op(
    name="twice",
    legalize=(Rename("tflite.CUSTOM.Twice"),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    infer=infer,
    variants=(
        Variant(
            {"T": i8},
            (
                Kernel("plain", Params, every_node(params), requires={"dsp"}, cost=per_element(5)),
                Kernel("reference", Params, every_node(params), cost=per_element(9)),
            ),
        ),
    ),
    examples=(Example({"x": X, "y": X}),),
)
'''
BROUGHT = '''"""Twice, fast."""
from dataclasses import dataclass
from opsmith.op import *
from opsmith.op.cost import per_element

@dataclass(frozen=True)
class Fast:
    """Sizes."""
    elements: int

def plan(node):
    return Plan(Fast(node["x"].elements))

FAST = Kernel("fast", Fast, plan, requires={"speed"}, cost=per_element(5))
KERNELS = (KernelsFor({"T": i8}, (FAST,)),)
'''
RUNTIME = 'title = "Fast"\ngrants = ["dsp"]\nprovides = ["speed"]\n'
C = """#pragma once
#include "{header}"
namespace opsmith::{space} {{
template <class P>
void {name}(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {{
  for (int32_t i = 0; i < p.{size}; ++i) out.y[i] = static_cast<int8_t>(2 * in.x[i]);
}}
}}  // namespace opsmith::{space}
"""


def write(root: Path, text: str = BROUGHT, name: str = "vendor", runtime: str = RUNTIME) -> Path:
    """Write a backend that brings the given kernels; returns the folder above."""
    backend = root / name
    backend.mkdir(parents=True)
    (backend / "runtime.toml").write_text(runtime)
    (backend / "twice.py").write_text(text)
    header = C.format(
        header=f"{name}/twice.op.h", space=f"twice::{name}", name="fast", size="elements"
    )
    (backend / "twice.h").write_text(header)
    return root


def taken(ops: OpIndex, *features: str) -> str:
    """Name of the kernel that computes the op's example on a core with the given features."""
    (graph,) = example_graphs(ops["twice"])
    (node,) = graph.nodes
    return choose(graph, node, ops.of(graph, node), frozenset(features)).name


def kernels(found: OpFolder) -> list[str]:
    """Names of the op's kernels, in order."""
    return [kernel.name for variant in found.op.variants for kernel in variant.kernels]


def told(op: Path, *roots: Path) -> list[tuple[str, str]]:
    """Code and sentence of each problem."""
    return [(problem.code, problem.what) for problem in refusal(discover, [op], roots).problems]
