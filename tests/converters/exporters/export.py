"""Exports networks of PyTorch: `PYTHON export.py litert-torch|onnx DIR NAME…`, by an interpreter
that has litert-torch. What a network's export fails with goes to a file beside it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))
from networks import NETWORKS

SHOWN = 150  # of a failure


def main(kind: str, folder: Path, names: list[str]) -> None:
    """Export each network in a process of its own, which some exports crash."""
    if kind == "litert-torch":
        import litert_torch  # noqa: F401 once for all processes
    for name in names:
        if (child := os.fork()) == 0:
            try:
                _export(kind, folder, name)
            except Exception as error:
                text = f"{type(error).__name__}: {error}".splitlines()[0][:SHOWN]
                (folder / f"{name}.txt").write_text(text, encoding="utf-8")
            os._exit(0)
        os.waitpid(child, 0)


def _export(kind: str, folder: Path, name: str) -> None:
    make, shapes = NETWORKS[name]
    torch.manual_seed(7)
    network = make().eval()
    for each in network.modules():  # which keep neither zeros nor ones
        if isinstance(each, torch.nn.modules.batchnorm._BatchNorm):
            each.running_mean.normal_(0, 0.2)
            each.running_var.uniform_(0.5, 1.5)
    given: tuple[Any, ...] = tuple(torch.randn(shape) for shape in shapes)
    if kind == "onnx":
        torch.onnx.export(network, given, str(folder / f"{name}.onnx"), dynamo=False)
    else:
        import litert_torch

        litert_torch.convert(network, given).export(str(folder / f"{name}.tflite"))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
