"""All cases of the ops that CMSIS-NN computes, and an application that asks it for sizes."""

import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.discover.discover import discover, op_folders
from opsmith.home import RUNTIMES
from opsmith.legalize.decompose import decompose
from opsmith.op.kernel import Refused
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView
from opsmith.pipeline import read
from opsmith.select.choice import Preferences
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_tests import OpTests
from opsmith.tflite.cases import Case, merged_model

ROUNDED = ("fully_connected", "softmax")  # whose elements may be off by 1
_CONVOLUTION = """
{{ const cmsis_nn_{kind}_params p = {{0, 0, {extra}{stride}, {padding}, {dilation}, {{0, 0}}}};
  const cmsis_nn_dims x = {x}, w = {w}, y = {y};
  compare(arm_{function}_wrapper_s8_get_buffer_size(&p, &x, &w, &y), {wanted}); }}"""
_APPLICATION = """\
#include <stdint.h>

#include "arm_nnfunctions.h"
#include "runtimes/mcu/board.h"

namespace {
int equal = 0, all = 0;
void compare(int32_t library, int32_t planned) { ++all; equal += library == planned; }
void put(int value) {
  const char digits[] = {char('0' + value / 100), char('0' + value / 10 % 10),
                         char('0' + value % 10), 0};
  opsmith::board::debug_write(value < 10 ? digits + 2 : value < 100 ? digits + 1 : digits);
}
}  // namespace

int main() {
  opsmith::board::init();
BODY
  put(equal);
  opsmith::board::debug_write(" of ");
  put(all);
  opsmith::board::debug_write(" sizes are equal\\n");
  return 0;
}
"""


def cases() -> list[Case]:
    """Every case of every op that runtimes/cmsis brings a kernel for: its name tells the op."""
    found = []
    for folder in op_folders([ROOT / "ops"]):
        if (RUNTIMES / "cmsis" / f"{folder.name}.py").is_file():
            for case in _of(folder):
                found.append(replace(case, name=f"{folder.name}_of_{case.name}"))
    return found


def called(features: frozenset[str], each: int = 1) -> list[Case]:
    """Cases, of each N-th, with a node that CMSIS-NN, if preferred, computes on a core with the
    given features.
    """
    ops, every = shipped_ops(), cases()[::each]
    features |= {"cmsis_nn"}
    graph = decompose(legal(merged_model(every), ops), ops, features)
    graph = select_kernels(graph, ops, features, Preferences(prefer="cmsis_nn"))
    names = {
        graph.tensors[node.outputs[0]].name.partition("/")[0]
        for node in graph.nodes
        if node.kernel is not None and node.kernel.name == "cmsis_nn"
    }
    return [case for case in every if case.name in names]


def _of(folder: Path) -> Iterator[Case]:
    file = folder / f"test_{folder.name}.py"
    spec = importlib.util.spec_from_file_location(f"cases_of_{folder.name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    seen: set[str] = set()
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, OpTests) and value is not OpTests:
            for case in value.cases:
                if case.name not in seen:
                    seen.add(case.name)
                    yield case


def sizes_app(core: str) -> tuple[int, str]:
    """Number of sizes that an application compares, and its main.cc."""
    ops = discover([ROOT / "ops"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.tflite")
        path.write_bytes(merged_model(cases()))
        graph = read(path, "cases", ops)[1]
    lines: list[str] = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        lines += _comparison(op, view(graph, node, op), core)
    return len(lines), _APPLICATION.replace("BODY", "".join(lines))


def _comparison(op: TypedOp, node: NodeView, core: str) -> Iterator[str]:
    kernels = [each for each in op.kernels if each.name == "cmsis_nn" and core in each.requires]
    plan = kernels[0].plan(node) if kernels else Refused("no kernel")
    if isinstance(plan, Refused) or not plan.scratch:
        return
    s: Any = plan.params
    wanted = plan.scratch["buffer"]
    if "window_height" in node.attributes:
        library = f"arm_avgpool_s8_get_buffer_size({s.output_width}, {s.channels})"
        yield f"\ncompare({library}, {wanted});"
        return
    channels = node["y"].shape[3]
    multiplier = channels // s.input_channels if op.name == "depthwise_conv_2d" else None
    first = (channels, s.input_channels) if multiplier is None else (1, channels)
    yield _CONVOLUTION.format(
        kind="conv" if multiplier is None else "dw_conv",
        function="convolve" if multiplier is None else "depthwise_conv",
        extra="" if multiplier is None else f"{multiplier}, ",
        stride=_braced(s.stride_width, s.stride_height),
        padding=_braced(s.padding_left, s.padding_top),
        dilation=_braced(s.dilation_width, s.dilation_height),
        x=_braced(s.batches, s.input_height, s.input_width, s.input_channels),
        w=_braced(first[0], s.filter_height, s.filter_width, first[1]),
        y=_braced(s.batches, s.output_height, s.output_width, channels),
        wanted=wanted,
    )


def _braced(*numbers: int) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"
