"""Macros that a custom layer's kernel expects, as OpenVINO documents and defines."""

from opsmith.op import *
from runtimes.gpu.openvino.formats import ANY, ORDER, layout, pitches, sizes
from runtimes.gpu.openvino.layer import BOUND, TYPES, CustomLayer, Define

# The author's kernel is called by one of ours, whose params say where tensors lie.
KERNEL = {"__kernel": "INLINE", "kernel": "INLINE"}
PARTS = ("DIMS", "LOWER_PADDING", "UPPER_PADDING", "PITCHES")  # arrays, each with its _SIZE
SIZES = ("GLOBAL_WORKSIZE", "LOCAL_WORKSIZE")


def macros(
    layer: CustomLayer, node: NodeView, items: Sequence[int], group: Sequence[int]
) -> Mapping[str, str]:
    """Macros of a node: name -> value."""
    found = {**KERNEL, "NUM_INPUTS": str(len(layer.inputs))}
    for name, extents in zip(SIZES, (items, group), strict=True):
        found |= _array(name, "size_t", list(map(str, extents)))
    for source in layer.inputs:
        found |= dict(_of_tensor(source.macros, source.format, node, source.name))
    found |= dict(_of_tensor(BOUND, layer.output_format, node, "y"))
    return found | {define.name: _value(define, node) for define in layer.defines}


def _of_tensor(name: str, given: str, node: NodeView, tensor: str) -> Iterator[tuple[str, str]]:
    """Macros about type, sizes and layout of a tensor: (name, value)."""
    shown: Tensor = node[tensor]
    axes = sizes(shown.shape, given, arranged=node.attributes["arranged"])
    apart = pitches(axes, given)
    yield f"{name}_TYPE", TYPES[shown.dtype]
    yield f"{name}_FORMAT_{layout(given)}", ""
    if given == ANY:
        yield f"{name}_FORMAT_{ANY}", ""
    values = (axes, dict.fromkeys(ORDER, 0), dict.fromkeys(ORDER, 0), apart)
    for part, each in zip(PARTS, values, strict=True):
        yield from _array(f"{name}_{part}", "int", [str(each[axis]) for axis in ORDER]).items()
    yield f"{name}_OFFSET", "0"


def _array(name: str, c: str, values: Sequence[str]) -> Mapping[str, str]:
    return {name: f"({c} []){{{', '.join(values)}}}", f"{name}_SIZE": str(len(values))}


def _value(define: Define, node: NodeView) -> str:
    if not define.attribute:
        return define.text
    value = node.attributes[define.attribute]
    if not define.array:
        return _literal(value)
    c = "float" if any(isinstance(each, float) for each in value) else "int"
    return f"({c} []){{{', '.join(map(_literal, value))}}}"


def _literal(value: float) -> str:
    """Literal of a number in OpenCL C: negative ones in parentheses, floats in single precision."""
    text = _single(value) if isinstance(value, float) else str(value)
    return f"({text})" if value < 0 else text


def _single(value: float) -> str:
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    if math.isfinite(single):
        return f"{single.hex()}f"
    return "NAN" if math.isnan(single) else "-INFINITY" if single < 0 else "INFINITY"
