"""Programs quantised by PT2E: its operators, and operators that ExecuTorch fuses around layers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.frontend.onnx.values import StoredConstant
from opsmith.frontend.pt2.program import INT8, Name, TorchCall
from opsmith.frontend.pt2.writer import DQ, Arguments, Q, Writer
from opsmith.frontend.quantization import quantization_problem, scale_problem
from opsmith.ir import Quantization
from opsmith.ir.types import BY_NAME, i8

BOUNDS = {"relu": (0.0, math.inf), "relu6": (0.0, 6.0)}
IDENTITIES = frozenset("clone alias contiguous detach dropout lift_fresh identity".split())
SAME = {"_softmax": "softmax", "_unsafe_view": "view"}  # other name -> name of the same operator


def name_of(call: TorchCall) -> str:
    """Name of a call's operator, without its library, its overload and suffixes about copies; with
    its library where an op folder claims it.
    """
    if call.claimed:
        return call.claimed
    parts = call.target.split(".")
    name = parts[1] if len(parts) > 1 else call.target
    return SAME.get(name, name.removesuffix("_").removesuffix("_copy"))


def bounds_of(call: TorchCall) -> tuple[float, float] | None:
    """Bounds of a clamp; None for any other call."""
    name = name_of(call)
    if name in BOUNDS:
        return BOUNDS[name]
    keys = {"clamp": ("min", "max"), "hardtanh": ("min_val", "max_val")}.get(name)
    if keys is None:
        return None
    ends = (-1.0, 1.0) if name == "hardtanh" else (-math.inf, math.inf)
    low, high = (call.get(key, end) for key, end in zip(keys, ends, strict=True))
    known = isinstance(low, int | float) and isinstance(high, int | float)
    return (float(low), float(high)) if known else None


def simplified(
    calls: Sequence[TorchCall], outputs: Sequence[str]
) -> tuple[list[TorchCall], list[str]]:
    """Calls and outputs without calls that return their input, and without clamps whose effect the
    following quantisation has as well, as ExecuTorch fuses both.
    """
    users: dict[str, list[TorchCall]] = {}
    for call in calls:
        for name in call.tensors():
            users.setdefault(name, []).append(call)
    same: dict[str, str] = {}
    kept = []
    for each in calls:
        given = {key: _renamed(value, same) for key, value in each.arguments.items()}
        call = replace(each, arguments=given)
        first = next(iter(given.values()), None)
        after = users.get(call.outputs[0], []) if call.outputs else []
        clamped = bounds_of(call) is not None and len(after) == 1 and _saturates(call, after[0])
        if not call.outputs and name_of(call).startswith("_assert"):
            continue
        gone = _returns(call) or (clamped and call.outputs[0] not in outputs)
        if call.outputs and isinstance(first, Name) and gone:
            same[call.outputs[0]] = first
            continue
        kept.append(call)
    return kept, [same.get(name, name) for name in outputs]


def _renamed(value: Any, same: dict[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_renamed(each, same) for each in value)
    return Name(same.get(value, value)) if isinstance(value, Name) else value


def _returns(call: TorchCall) -> bool:
    """True if a call returns its input, in evaluation."""
    if name_of(call) == "dropout":
        return not call.get("train", False)
    return name_of(call) in IDENTITIES


def _saturates(call: TorchCall, after: TorchCall) -> bool:
    """True if the bounds of a clamp become the limits of the elements to which it is quantised."""
    found = bounds_of(call)
    if found is None or after.target != "quantized_decomposed.quantize_per_tensor.default":
        return False
    scale, point = after.get("scale", 0), after.get("zero_point", None)
    if not isinstance(scale, float) or not isinstance(point, int) or not 0 < scale < math.inf:
        return False
    if not abs(point) < 1 << 31:
        return False
    with np.errstate(over="ignore"):
        low, high = (np.rint(np.float32(end / scale + point)) for end in found)
    return bool(low <= i8.limits[0] and high >= i8.limits[1])


def quantize(writer: Writer, given: Arguments) -> None:
    """Write quantize_per_tensor: fold it for a constant, else end the calls before it."""
    scales, points = _parameters(writer, given)
    found = Quantization(scales, points)
    name, output = given.get("input"), writer.call.outputs[0]
    limits = given.get("quant_min"), given.get("quant_max")
    if given.get("dtype") != INT8 or limits != i8.limits:
        raise writer.refuse(
            f"it makes elements from {limits[0]} to {limits[1]}, not int8", "MDL005"
        )
    if (problem := scale_problem(found) or quantization_problem(found, i8, ())) != "":
        raise writer.refuse(problem, "MDL005")
    if name in writer.known:
        with np.errstate(over="ignore", invalid="ignore"):
            units = np.rint(writer.known[name].real * np.float32(1 / scales[0])) + points[0]
        array = np.clip(np.nan_to_num(units), *i8.limits).astype(np.int8)
        writer.known[output] = StoredConstant(array)
        return
    inputs = [name, writer.constant(np.float32(scales[0])), writer.constant(np.int8(points[0]))]
    writer.emit(Q, inputs)


def dequantize(writer: Writer, given: Arguments) -> None:
    """Write dequantize_per_tensor or _per_channel, whose readers take the integers."""
    scales, points = _parameters(writer, given)
    name, output, axis = given.get("input"), writer.call.outputs[0], given.get("axis", 0)
    given.seen |= {"quant_min", "quant_max", "dtype"}
    if name not in writer.known:
        inputs = [name, writer.constant(np.float32(scales[0])), writer.constant(np.int8(points[0]))]
        writer.emit(DQ, inputs)
        return
    array = writer.known[name].array
    if array.dtype not in (np.int8, np.int32):
        raise writer.refuse(f"it reads elements of {array.dtype}", "MDL012")
    found = Quantization(scales, points, axis + array.ndim if axis < 0 else axis)
    problem = quantization_problem(found, BY_NAME[array.dtype.name], array.shape)
    if problem := problem or scale_problem(found):
        raise writer.refuse(problem, "MDL005")
    writer.known[output] = StoredConstant(array, found)


def _parameters(writer: Writer, given: Arguments) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Scales, which observers store as float32 values, and zero points."""
    channels = "axis" in given.call.arguments
    names = ("scales", "zero_points") if channels else ("scale", "zero_point")
    scales, points = (_numbers(writer, given.get(name)) for name in names)
    if len(scales) != len(points) or not scales or (not channels and len(scales) != 1):
        raise writer.refuse("its scales and zero points do not fit", "MDL005")
    with np.errstate(over="ignore"):
        exact = all(float(np.float32(scale)) == scale for scale in scales)
    if not exact:
        raise writer.refuse("a scale is no number of float32", "MDL005")
    return tuple(float(each) for each in scales), tuple(int(each) for each in points)


def _numbers(writer: Writer, given: Any) -> list[float]:
    if isinstance(given, Name):
        if given not in writer.known:
            raise writer.refuse("its scales are computed", "MDL005")
        return [each.item() for each in writer.known[given].array.reshape(-1)]
    return [given]
