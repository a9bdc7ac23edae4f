"""Builds .tflite files, for tests and for the project's own models."""

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from flatbuffers import flexbuffers

from opsmith.errors import ToolchainError, did_you_mean
from opsmith.tflite.emitter import ModelNode, ModelSubgraph, ModelTensor, emit
from opsmith.tflite.options import OptionValue, members

Array = npt.NDArray[Any]
DType = type[Any] | np.dtype[Any] | str  # npt.DTypeLike takes mypy half a second
Floats = float | Sequence[float]
Ints = int | Sequence[int]


class SubgraphWriter:
    """Subgraph under construction: tensors, nodes, inputs and outputs, in the order given."""

    def __init__(self, name: str = "main", signature: str = "", number: int = 0) -> None:
        self.content = ModelSubgraph(name, signature=signature)
        self.number = number  # number by which operators of other subgraphs refer to it

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: DType = "int8",
        scale: Floats = (),
        zero_point: Ints | None = None,
        *,
        axis: int = 0,
        variable: bool = False,
        signature: Sequence[int] = (),
        data: bytes | None = None,
    ) -> ModelTensor:
        """New tensor: quantised if it has `scale` (several: along `axis`), constant if `data`."""
        scales = (scale,) if isinstance(scale, int | float) else tuple(scale)
        zeros = (0,) * len(scales) if zero_point is None else zero_point
        made = ModelTensor(
            index=len(self.content.tensors),
            name=name,
            shape=tuple(int(size) for size in shape),
            dtype=_dtype_name(dtype),
            scale=tuple(float(each) for each in scales),
            zero_point=(int(zeros),)
            if isinstance(zeros, int)
            else tuple(int(each) for each in zeros),
            axis=axis,
            variable=variable,
            signature=tuple(signature),
            data=data,
        )
        self.content.tensors.append(made)
        return made

    def input(
        self,
        name: str,
        shape: Sequence[int],
        dtype: DType = "int8",
        scale: Floats = (),
        zero_point: Ints | None = None,
        *,
        signature: Sequence[int] = (),
    ) -> ModelTensor:
        """A new tensor that is the next input of the subgraph."""
        made = self.tensor(name, shape, dtype, scale, zero_point, signature=signature)
        self.content.inputs.append(made.index)
        return made

    def constant(
        self,
        name: str,
        values: Array,
        scale: Floats = (),
        zero_point: Ints | None = None,
        *,
        axis: int = 0,
    ) -> ModelTensor:
        """New constant tensor of values; for types that numpy lacks, use `tensor` with `data`."""
        little = values.astype(values.dtype.newbyteorder("<"))
        return self.tensor(
            name, values.shape, values.dtype, scale, zero_point, axis=axis, data=little.tobytes()
        )

    def node(
        self,
        op: str,
        inputs: Sequence[ModelTensor | None],
        outputs: Sequence[ModelTensor],
        options: Mapping[str, OptionValue] | None = None,
        *,
        version: int = 1,
        custom: str = "",
        custom_options: bytes | Mapping[str, Any] | None = None,
        intermediates: Sequence[ModelTensor] = (),
    ) -> None:
        """Append a node; None is an omitted input. Of intermediates only quantisations matter.

        `custom` is the name of a CUSTOM op. A mapping as its options is written as a flexbuffer.
        `op` may contain the name instead, as in a Rename, for builders of cases: "CUSTOM.Gain",
        with `options` for `custom_options`.
        """
        if op.startswith("CUSTOM."):
            op, _, custom = op.partition(".")
            custom_options, options = options or custom_options, None
        code = members("BuiltinOperator").get(op)
        if code is None:
            hint = did_you_mean(op, members("BuiltinOperator"))
            raise ToolchainError.of(
                "RIG025",
                f"TFLite has no op '{op}'{hint}",
                where=self.content.name,
                fix="use TFLite's name",
            )
        self.content.nodes.append(
            ModelNode(
                op,
                tuple(-1 if each is None else each.index for each in inputs),
                tuple(each.index for each in outputs),
                dict(options or {}),
                (code, custom, version),
                _flexbuffer(custom_options),
                tuple(each.index for each in intermediates),
            )
        )

    def value(
        self,
        op: str,
        inputs: Sequence[ModelTensor | None],
        output: ModelTensor,
        *more: Any,
        **rest: Any,
    ) -> ModelTensor:
        """Output of a new node that has only one; `more` and `rest` are as in `node`."""
        self.node(op, inputs, [output], *more, **rest)
        return output

    def output(self, *tensors: ModelTensor) -> None:
        """Make tensors the next outputs of the subgraph."""
        self.content.outputs += [each.index for each in tensors]


class ModelWriter(SubgraphWriter):
    """A model: its main subgraph, and subgraphs added by `subgraph`."""

    def __init__(self, name: str = "main", description: str = "", signature: str = "") -> None:
        super().__init__(name, signature)
        self._description = description
        self.subgraphs: list[SubgraphWriter] = [self]

    def subgraph(self, name: str, signature: str = "") -> SubgraphWriter:
        """A new subgraph; the first is number 1, since the model itself is number 0."""
        made = SubgraphWriter(name, signature, len(self.subgraphs))
        self.subgraphs.append(made)
        return made

    def bytes(self, codes: str = "both") -> builtins.bytes:
        """Content of the .tflite file: equal bytes for equal calls.

        `codes` says which fields hold the numbers of operators: "both", only "new" or only "old"
        ones.
        """
        return emit([each.content for each in self.subgraphs], self._description, codes)


def _flexbuffer(options: builtins.bytes | Mapping[str, Any] | None) -> builtins.bytes | None:
    if not isinstance(options, Mapping):
        return options
    return builtins.bytes(flexbuffers.Dumps(dict(options)))


def _dtype_name(dtype: DType) -> str:
    """Name of a type in the schema, lower case; the schema has types that numpy lacks."""
    if isinstance(dtype, str) and dtype.upper() in members("TensorType"):
        return dtype
    name = np.dtype(dtype).name
    if name.upper() not in members("TensorType"):
        raise ToolchainError.of(
            "RIG025", f"TFLite has no type '{name}'", where=name, fix="use a type TFLite has"
        )
    return name
