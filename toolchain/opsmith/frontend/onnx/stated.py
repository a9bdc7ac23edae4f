"""Types and sizes that a file states of tensors, and those that the package onnx infers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Stated = Mapping[str, tuple[str, tuple[int | str, ...]]]  # type, and sizes or names of open axes


def kinds(onnx: Any) -> dict[int, str]:
    """Names of types of inputs, by ONNX's numbers."""
    types = onnx.TensorProto
    found = {types.FLOAT: "float32", types.INT8: "int8", types.UINT8: "uint8"}
    return found | {types.BOOL: "bool", types.INT32: "int32", types.INT64: "int64"}


def stated_of(onnx: Any, graph: Any) -> Iterator[tuple[str, tuple[str, tuple[int | str, ...]]]]:
    """Types and sizes that a graph states of tensors, by name; those of its outputs come last."""
    known = kinds(onnx)
    for each in (*graph.value_info, *graph.output):
        of = each.type.tensor_type
        if of.HasField("shape"):
            sizes = tuple(dim.dim_param or int(dim.dim_value) for dim in of.shape.dim)
            yield each.name, (known.get(of.elem_type, ""), sizes)


def sizes_of(
    given: Sequence[Any], shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, int]]:
    """Sizes of the inputs' open axes that have names."""
    for each in given:
        dims = each.type.tensor_type.shape.dim
        pairs = zip(dims, shapes[each.name], strict=False)  # an input may have no stored axes
        yield from ((dim.dim_param, size) for dim, size in pairs if dim.dim_param)


def with_inferred(onnx: Any, model: Any) -> Any:
    """Model that also states what follows from its inputs by the schemas of ONNX's operators; as it
    is where the package onnx refuses it.
    """
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:  # onnx raises several types
        return model
