"""Reads the tensors of a subgraph; problems of all tensors are reported together."""

import math
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.quantization import quantization_problem, scale_problem
from opsmith.frontend.tflite.blocks import BlockError, block_scales
from opsmith.frontend.tflite.problems import wrong
from opsmith.frontend.tflite.sparsity import MOST_BYTES, SparsityError, dense, in_order
from opsmith.frontend.tflite.storage import FLOAT16, PACKED, unpacked
from opsmith.ir import Array, Constant, DType, Quantization, Tensor
from opsmith.ir.limits import size_problem
from opsmith.ir.types import BY_NAME, boolean, f32, i8
from opsmith.tflite.schema import SchemaReader, malformed, type_name
from opsmith.tflite.tables import quick

LEAST_SCALE = float(np.finfo(np.float32).smallest_subnormal)
# Types of tensors whose quantisation is read; it is ignored for other types, as runtimes do. An
# int32 tensor is quantised where QUANTIZE makes or reads it; quantisation of a bias is ignored,
# even if it is wrong.
BLOCKWISE = 2  # number in a union of LiteRT's schema
_QUANTISED = ("int8", "int16", "uint8", "int4", "int2")
_QUANTISED_OR_NOT = ("int32",)


class TensorReader:
    """Reader of tensors by their numbers. Of unused tensors only the name is read."""

    def __init__(
        self,
        reader: SchemaReader,
        buffers: Sequence[Any],
        tables: Sequence[Any],
        inputs: Set[int],  # inputs of the subgraph
        written: Set[int],  # tensors that nodes write
        filled: Set[int],  # written by FILL
        used: Set[int],
        encoded: Set[int],  # written by TFLM_DECODE only
        *,
        main: bool,
    ) -> None:
        self.problems: list[Problem] = []
        self.departures: list[str] = []  # sentences about what LiteRT reads differently
        self.unknown: set[int] = set()  # tensors with a problem
        self.open_axes: dict[int, tuple[int, ...]] = {}  # tensor -> its axes of open size
        self.blocks: dict[int, int] = {}  # weights with a scale per block -> tensor of these scales
        self.scales: dict[int, Tensor] = {}  # number of such scales -> the scales as float32
        self._reader, self._buffers, self._tables = reader, buffers, tables
        self._main = main  # True for the subgraph that is compiled
        self._inputs, self._written, self._filled, self._used = inputs, written, filled, used
        self._encoded = encoded

    def read(self, number: int, table: Any) -> Tensor:
        """Tensor read from its table, still without an id."""
        name = self._reader.text(table.Name())
        if number not in self._used:
            return Tensor("", name, i8, ())
        try:
            return self._tensor(number, table, name)
        except ToolchainError as error:
            (problem,) = error.problems
            if problem.code == "MDL001":
                raise
            self.problems.append(problem)
            self.unknown.add(number)
            self.open_axes.pop(number, None)
            dtype = self._dtype(table.Type())
            dtype = i8 if dtype in PACKED else dtype
            return Tensor("", name, dtype, (), variable=bool(table.IsVariable()))

    def quantization(self, table: Any) -> Quantization | None:
        """Quantisation of an intermediate tensor, which has no shape."""
        where = f"tensor '{shown(self._reader.text(table.Name()))}'"
        try:
            dtype = self._dtype(table.Type())
            return self._quantization(table.Quantization(), dtype, (), where)
        except ToolchainError as error:
            (problem,) = error.problems
            if problem.code == "MDL001":
                raise
            self.problems.append(problem)
            return None

    def _tensor(self, number: int, table: Any, name: str) -> Tensor:
        where = f"tensor '{shown(name)}'"
        dtype = self._dtype(table.Type())
        shape = self._shape(number, table, where)
        if problem := size_problem(dtype, shape):
            raise self._wrong("MDL003", problem, where)
        sparsity = quick(table.Sparsity())
        data = self._data(table.Buffer(), where)
        if sparsity is None or data is None or len(data) == 0:
            constant = self._constant(number, data, dtype, shape, where)
        else:
            constant = self._dense(sparsity, data, dtype, shape, where)
        if number in self._written:  # onnx2tf 2 stores expected values so
            constant = None
        packed = PACKED.get(dtype, 0) if constant is not None else 0
        dtype = i8 if packed else dtype
        values = constant.array if constant is not None else None
        if number in self._filled and constant is None:
            values = np.zeros(shape, np.int8)
        stored, variable = quick(table.Quantization()), bool(table.IsVariable())
        # Compressed tensors still have the quantisation of the original tensor.
        stored = None if number in self._encoded else stored
        by_blocks = stored is not None and stored.DetailsType() == BLOCKWISE
        by_blocks = by_blocks and dtype.name in _QUANTISED
        quantization = (
            None if by_blocks else self._quantization(stored, dtype, shape, where, values)
        )
        if constant is not None and variable:
            raise self._wrong("MDL030", "a variable tensor has constant data", where)
        ranged = quantization is None and dtype.name in _QUANTISED and _has_range_alone(stored)
        made = Tensor(
            "",
            name,
            dtype,
            shape,
            quantization,
            constant,
            variable,
            ranged=ranged,
            packed=packed,
        )
        if by_blocks:
            self._read_blocks(number, stored, made, where)
        return made

    def _dtype(self, code: int) -> DType:
        name = type_name(code)
        # Unsupported types are reported by legalize, all of them together.
        return BY_NAME.get(name) or DType(name, name, "", 0)

    def _shape(self, number: int, table: Any, where: str) -> tuple[int, ...]:
        """Stored shape of a tensor; open sizes are 1 unless a larger one is stored."""
        shape = self._reader.numbers(table, "Shape")
        signature = self._reader.numbers(table, "ShapeSignature")
        signature = signature if len(signature) == len(shape) else shape
        computed = number in self._inputs or number in self._written
        axes = [i for i, each in enumerate(zip(shape, signature, strict=True)) if -1 in each]
        if axes and computed:
            self.open_axes[number] = tuple(axes)
            shape = tuple(max(n, 1) if i in axes else n for i, n in enumerate(shape))
        least = 1 if number in self._inputs and not self._main else 0
        if any(size < least for size in shape):
            raise self._wrong("MDL003", f"shape {shape} has a size below {least}", where)
        return shape

    def _quantization(
        self,
        table: Any,
        dtype: DType,
        shape: tuple[int, ...],
        where: str,
        values: Array | None = None,
    ) -> Quantization | None:
        """Quantisation of a tensor, whose constant values are `values` if they are known.

        Converters give a tensor that is always zero, such as the first state of an unrolled LSTM,
        or a pruned channel, a scale of 0: it becomes one whose multipliers are 0 as well.
        """
        read = dtype.name in (*_QUANTISED, *_QUANTISED_OR_NOT)
        if not read or table is None or table.ScaleLength() == 0:
            return None
        numbers = self._reader.numbers
        scales = numbers(table, "Scale")
        zero_points = numbers(table, "ZeroPoint") or (0,) * len(scales)
        # Runtimes ignore the axis of a vector, which has only one, and the axis of a single scale.
        axis = 0 if len(shape) == 1 or len(scales) == 1 else table.QuantizedDimension()
        found = Quantization(scales, zero_points, axis)
        problem = quantization_problem(found, dtype, shape)
        if not problem and values is not None:
            found = _without_zero_scales(found, values)
        problem = problem or scale_problem(found)
        if problem and dtype.name in _QUANTISED:
            raise self._wrong("MDL005", problem, where)
        return None if problem else found

    def _read_blocks(self, number: int, stored: Any, weights: Tensor, where: str) -> None:
        """Record the scales of a tensor's blocks."""
        try:
            place, values = block_scales(self._reader, stored, weights, self._halves)
        except BlockError as error:
            raise self._wrong("MDL035", str(error), where) from error
        name = self._reader.text(self._tables[place].Name())
        self.blocks[number] = place
        self.scales[place] = Tensor("", name, f32, values.shape, constant=Constant(values))

    def _halves(self, number: int) -> Array | None:
        """Elements of a float16 constant that no operator reads; None for any other tensor."""
        if not 0 <= number < len(self._tables) or number in self._used:
            return None
        table = self._tables[number]
        where = f"tensor '{shown(self._reader.text(table.Name()))}'"
        if self._dtype(table.Type()) != FLOAT16:
            return None
        shape, data = self._shape(number, table, where), self._data(table.Buffer(), where)
        found = self._constant(number, data, FLOAT16, shape, where)
        return None if found is None else found.array

    def _dense(
        self, sparsity: Any, data: Array, dtype: DType, shape: tuple[int, ...], where: str
    ) -> Constant:
        """Constant of a tensor that is stored sparsely."""
        numbers = np.dtype("<f2") if dtype == FLOAT16 else dtype.size and dtype.numpy
        if not numbers or len(data) % np.dtype(numbers).itemsize:
            what = f"it is sparse, and {len(data)} bytes hold no elements of {dtype.name}"
            raise self._wrong("MDL004", what, where)
        self._reader.dense += math.prod(shape) * np.dtype(numbers).itemsize
        if self._reader.dense > MOST_BYTES:
            what = f"it is sparse, and with those before it takes more than {MOST_BYTES} bytes"
            raise self._wrong("MDL004", what, where)
        try:
            found = dense(self._reader, sparsity, data.view(numbers), shape)
        except SparsityError as error:
            raise self._wrong("MDL004", f"it is sparse, but {error}", where) from error
        if not in_order(self._reader, sparsity):
            self.departures.append(f"LiteRT takes the blocks of sparse {where} for others")
        return Constant(found)

    def _data(self, index: int, where: str) -> Array | None:
        """Bytes of a buffer; None for a tensor without data."""
        if not 0 <= index < max(len(self._buffers), 1):
            raise self._wrong("MDL006", f"buffer {index} does not exist", where)
        return self._buffer(index) if self._buffers else None

    def _constant(
        self, number: int, data: Array | None, dtype: DType, shape: tuple[int, ...], where: str
    ) -> Constant | None:
        elements = math.prod(shape)
        if data is None or len(data) == 0:
            stored = dtype.size or dtype == FLOAT16 or dtype in PACKED
            if elements or number in self._written or not stored:
                return None
            data = np.zeros(0, np.uint8)
        expected = _stored_bytes(dtype, elements)
        if expected is None:  # legalize reports the type
            return Constant(np.zeros(shape, np.uint8))
        if len(data) != expected:
            what = f"its buffer has {len(data)} bytes instead of {expected}"
            raise self._wrong("MDL006", what, where)
        if dtype == boolean and data.max() > 1:
            raise self._wrong("MDL032", "a boolean has a byte other than 0 and 1", where)
        if dtype in PACKED:
            return Constant(unpacked(data, elements, PACKED[dtype]).reshape(shape))
        return Constant(data.view("<f2" if dtype == FLOAT16 else dtype.numpy).reshape(shape))

    def _buffer(self, index: int) -> Array | None:
        buffer = self._buffers[index]
        data = self._reader.array(buffer, "Data")  # preferred to external bytes, as in LiteRT
        if data is None and buffer.Offset() > 1:  # outside of the flatbuffer, for files above 2 GB
            end = buffer.Offset() + buffer.Size()
            if end > len(self._reader.data):
                raise malformed(self._reader.path, f"buffer {index} ends at byte {end}")
            return np.frombuffer(self._reader.data, np.uint8, buffer.Size(), buffer.Offset())
        return data

    def _wrong(self, code: str, what: str, where: str) -> ToolchainError:
        return wrong(self._reader.path, code, what, where)


def _has_range_alone(table: Any) -> bool:
    """True if a quantisation has only the least and greatest value, as old converters wrote it."""
    return table is not None and table.ScaleLength() == 0 < table.MinLength() == table.MaxLength()


def _without_zero_scales(found: Quantization, values: Array) -> Quantization:
    """Quantisation in which a scale of 0 becomes the least scale, if all its values are 0."""
    if 0.0 not in found.scales or any(found.zero_points):
        return found
    channels = np.moveaxis(values, found.axis, 0) if found.per_channel else values[np.newaxis]
    scales = (
        LEAST_SCALE if scale == 0.0 and not channel.any() else scale
        for scale, channel in zip(found.scales, channels, strict=True)
    )
    return replace(found, scales=tuple(scales))


def _stored_bytes(dtype: DType, elements: int) -> int | None:
    """Bytes of a constant in the file; None for types that cannot be read."""
    if dtype in PACKED:
        return (elements * PACKED[dtype] + 7) // 8
    size = 2 if dtype == FLOAT16 else dtype.size
    return elements * size if size else None
