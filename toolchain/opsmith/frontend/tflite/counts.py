"""Count of quantised tensors of a .tflite file, including weights that graphs have dequantised."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tflite

from opsmith.frontend.tflite.tensors import BLOCKWISE
from opsmith.tflite.schema import type_name, untrusted


@dataclass(frozen=True)
class Tensors:
    """Number of tensors of a file, number of those with scales, and whether LiteRT's reference
    kernels misread any: int2, and scales for each block.
    """

    all: int
    quantised: int
    misread: bool


def count_tensors(path: Path) -> Tensors:
    """Count of the tensors of all subgraphs of a file. Raises MDL001."""
    data = path.read_bytes()
    with untrusted(path, len(data)):
        root = tflite.Model.GetRootAs(data, 0)
        subgraphs = [root.Subgraphs(index) for index in range(root.SubgraphsLength())]
        found = [sub.Tensors(index) for sub in subgraphs for index in range(sub.TensorsLength())]
        return Tensors(len(found), sum(map(_is_quantised, found)), any(map(_is_misread, found)))


def can_be_quantised(path: Path) -> bool:
    """True for a .tflite without quantised tensors, which `calibrate=` accepts. Raises MDL001."""
    return path.suffix == ".tflite" and not count_tensors(path).quantised


def _is_quantised(tensor: Any) -> bool:
    how = tensor.Quantization()
    return how is not None and bool(how.ScaleLength() or how.DetailsType() == BLOCKWISE)


def _is_misread(tensor: Any) -> bool:
    how = tensor.Quantization()
    blocks = how is not None and how.DetailsType() == BLOCKWISE
    return blocks or type_name(tensor.Type()) == "int2"
