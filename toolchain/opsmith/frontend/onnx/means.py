"""Means and sums of int8, by an op of ONNX's definition, or by TFLite's where both give equal
elements: exact ones, rounded once, halves to even before the zero point.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.reader import OperatorOutput, Reader
from opsmith.ir import Quantization
from opsmith.op.even import even_means, step_of

MOST = 1 << 14  # elements of a mean; all possible sums are compared


def write_mean(
    reader: Reader,
    operator: Operator,
    op: str,
    x: str,
    axes: list[int],
    target: OperatorOutput,
    order: tuple[int, ...],
    shape: tuple[int, ...],
    keep: bool = True,
) -> None:
    """Write the MEAN or SUM of a tensor along stored axes."""
    old, attributes = reader.tensors[x], dict[str, object](keep_dims=keep)
    if reader.multiplies:
        reader.departs(operator, target.quantization is not None)
    elif old.quantization is not None and target.quantization is not None:
        count = math.prod(old.shape[axis] for axis in axes)
        if not _means_agree(old.quantization, target.quantization, count, op == "MEAN"):
            attributes = custom({"keep_dims": keep, "divides": op == "MEAN"})
            op = "CUSTOM.OpsmithMean"
    inputs: list[str | None] = [x, reader.numbers("axes", axes)]
    reader.write(operator, op, inputs, target, order, shape, attributes)


def even_pool(options: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Operator and options of an average pool, rounded half to even; odd counts have no halves."""
    area = int(str(options["filter_height"])) * int(str(options["filter_width"]))
    if options["padding"] == "VALID" and area % 2:
        return "AVERAGE_POOL_2D", {**options}
    known = {name: each for name, each in options.items() if name != "fused_activation_function"}
    return "CUSTOM.OpsmithAveragePool", custom(known)


def custom(options: Mapping[str, object]) -> dict[str, object]:
    """Options of a CUSTOM operator, encoded as a flexbuffer."""
    from flatbuffers import flexbuffers  # imported here, since few models need it

    return {"custom_options": bytes(flexbuffers.Dumps({**options}))}


@lru_cache(maxsize=64)
def _means_agree(x: Quantization, y: Quantization, count: int, divides: bool) -> bool:
    """True if the notebook's MEAN or SUM, in float32, is exact for every sum of `count` terms."""
    if count > MOST:
        return False
    point = y.zero_points[0]
    lifted = np.arange(-128 * count, 127 * count + 1) - x.zero_points[0] * count
    step = step_of(x.scales[0], y.scales[0], count if divides else 1)
    exact = even_means(lifted, step, 255 * count) + point
    with np.errstate(all="ignore"):
        factor = np.float32(x.scales[0]) / np.float32(y.scales[0])
        factor *= np.float32(1) / np.float32(count if divides else 1)
        addend = np.float32(point) - np.float32(x.zero_points[0] * count) * factor
        sums = (lifted + x.zero_points[0] * count).astype(np.float32)
        found = np.rint(sums * factor + addend)
    return bool(np.array_equal(np.clip(found, -128, 127), np.clip(exact, -128, 127)))
