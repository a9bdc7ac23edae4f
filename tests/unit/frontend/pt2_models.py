"""Small .pt2 files in the form that torch.export.save() of torch 2.13 gives them, and ExecuTorch's
integer operators in numpy.
"""

import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from opsmith.ir import Array

NUMBERS = {"uint8": 1, "int8": 2, "int32": 4, "int64": 5, "float32": 7, "float64": 8}
INT8 = NUMBERS["int8"]


class Name(str):
    """A tensor's name, which an argument that is a text is not."""


def argument(value: Any) -> dict[str, Any]:
    """An argument of a call as its schema has it."""
    match value:
        case Name():
            return {"as_tensor": {"name": str(value)}}
        case [Name(), *_]:
            return {"as_tensors": [{"name": str(each)} for each in value]}
        case None:
            return {"as_none": True}
        case bool():
            return {"as_bool": value}
        case int():
            return {"as_int": value}
        case float():
            return {"as_float": value}
        case str():
            return {"as_string": value}
        case _:
            return {"as_ints": list(value)}


def meta(sizes: Sequence[int], number: int = 7) -> dict[str, Any]:
    """TensorMeta of a contiguous tensor."""
    strides = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    return {
        "dtype": number,
        "sizes": [{"as_int": int(size)} for size in sizes],
        "strides": [{"as_int": stride} for stride in strides],
        "storage_offset": {"as_int": 0},
        "layout": 7,
    }


class Pt2Writer:
    """A program that grows call by call; values are called v0, v1 and so on."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.values: dict[str, dict[str, Any]] = {"x": meta(sizes)}
        self.inputs: list[dict[str, Any]] = []
        self.config: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}

    def parameter(self, array: Any) -> Name:
        """Name of a new constant."""
        array = np.asarray(array)
        key, name = f"p.{len(self.config)}", Name(f"p_{len(self.config)}")
        described = meta(array.shape, NUMBERS[array.dtype.name])
        path = f"weight_{len(self.config)}"
        self.config[key] = {
            "path_name": path, "is_param": True, "use_pickle": False, "tensor_meta": described,
        }  # fmt: skip
        self.files[f"data/weights/{path}"] = array.tobytes()
        self.values[name] = described
        self.inputs.append({"parameter": {"arg": {"name": str(name)}, "parameter_name": key}})
        return name

    def call(self, target: str, sizes: Sequence[int], number: int = 7, /, **given: Any) -> Name:
        """The output of a new call of an operator of aten."""
        name = Name(f"v{len(self.nodes)}")
        inputs = [{"name": k, "arg": argument(v), "kind": 1} for k, v in given.items()]
        target = target if "." in target else f"aten.{target}.default"
        outputs = [{"as_tensor": {"name": str(name)}}]
        self.nodes.append({"target": f"torch.ops.{target}", "inputs": inputs, "outputs": outputs})
        self.values[name] = meta(sizes, number)
        return name

    def sizes(self, name: str) -> list[int]:
        """Sizes of a value."""
        return [size["as_int"] for size in self.values[name]["sizes"]]

    def through(self, name: str, scale: float, point: int) -> Name:
        """Name of a value after quantize_per_tensor and dequantize_per_tensor."""
        sizes, library = self.sizes(name), "quantized_decomposed"
        given: dict[str, Any] = {"scale": float(np.float32(scale)), "zero_point": point}
        given |= {"quant_min": -128, "quant_max": 127, "dtype": INT8}
        call = f"{library}.quantize_per_tensor.default"
        made = self.call(call, sizes, INT8, input=Name(name), **given)
        return self.call(f"{library}.dequantize_per_tensor.default", sizes, input=made, **given)

    def weights(self, array: Array, scales: Any, axis: int = 0) -> Name:
        """Name of weights: integers, dequantised in the program."""
        points = np.zeros(np.shape(scales), np.int64)
        given = {"scales": np.asarray(scales, np.float32), "zero_points": points}
        names: dict[str, Any] = {key: self.parameter(each) for key, each in given.items()}
        target = "quantized_decomposed.dequantize_per_channel.default"
        return self.call(
            target, array.shape, input=self.parameter(array), **names, axis=axis,
            quant_min=-128, quant_max=127, dtype=INT8,
        )  # fmt: skip

    def members(self, *outputs: str) -> dict[str, bytes]:
        """Files of the archive, by their names below its folder."""
        user = {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}
        specs = [{"user_output": {"arg": {"as_tensor": {"name": str(each)}}}} for each in outputs]
        graph = {"inputs": [], "outputs": [], "nodes": self.nodes, "tensor_values": self.values}
        signature = {"input_specs": [*self.inputs, user], "output_specs": specs}
        program = {
            "graph_module": {"graph": graph, "signature": signature},
            "schema_version": {"major": 8, "minor": 20},
        }
        configs = {"weights": self.config, "constants": {}}
        return {
            **self.files,
            **{
                f"data/{kind}/model_{kind}_config.json": json.dumps({"config": each}).encode()
                for kind, each in configs.items()
            },
            "models/model.json": json.dumps(program).encode(),
            "archive_format": b"pt2",
            "archive_version": b"0",
            "byteorder": b"little",
        }

    def save(self, path: Path, *outputs: str) -> Path:
        """Path of the program, saved as a file."""
        return archive(path, self.members(*outputs))


def archive(path: Path, members: Mapping[str, bytes]) -> Path:
    """Path of an archive, written with the given files."""
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(f"m/{name}", data)
    return path


def multiplier(scale: float) -> tuple[int, int]:
    """Q31 multiplier and shift of a scale, as by ExecuTorch's quantize_multiplier_aot."""
    mantissa, shift = math.frexp(scale)
    fixed = round(mantissa * (1 << 31))
    return (fixed // 2, shift + 1) if fixed == 1 << 31 else (fixed, shift)


def requantised(values: Array, scale: float) -> Array:
    """Integers times a scale, rounded twice, as by ExecuTorch's requantize_cmsis."""
    factor, shift = multiplier(scale)
    high = ((values.astype(np.int64) << max(shift, 0)) * factor + (1 << 30)) >> 31
    right = max(-shift, 0)
    if not right:
        return high
    mask = (1 << right) - 1
    threshold = (mask >> 1) + (high < 0)
    return np.asarray((high >> right) + ((high & mask) > threshold))


def bytes_of(values: Array, point: int) -> Array:
    """Elements of int8: values plus a zero point, saturated."""
    return np.asarray(np.clip(values + point, -128, 127)).astype(np.int8)


def convolved(x: Array, w: Array, pads: int, groups: int) -> Array:
    """Sums of an image in NCHW, its zero point taken away."""
    sides = [(0, 0), (0, 0), (pads, pads), (pads, pads)]
    windows = sliding_window_view(np.pad(x.astype(np.int64), sides), w.shape[2:], axis=(2, 3))
    parts = zip(np.split(windows, groups, 1), np.split(w.astype(np.int64), groups), strict=True)
    return np.concatenate([np.einsum("nchwij,mcij->nmhw", *each) for each in parts], 1)


def added(a: tuple[Array, float, int], b: tuple[Array, float, int], y: float) -> Array:
    """Sum as by ExecuTorch's quantized_add of two tensors, each with its scale and zero point."""
    twice = 2 * max(a[1], b[1])
    first, second = (
        requantised((each.astype(np.int64) - point) << 20, scale / twice)
        for each, scale, point in (a, b)
    )
    return requantised(first + second, twice / (y * (1 << 20)))
