"""Signal ops: custom operators of TensorFlow Lite Micro for vectors and rows of integers.

Each is verified against exact arithmetic in its tests and, bit for bit, against the source,
compiled apart, with the frames that are published with it.
"""

from collections.abc import Collection, Iterable
from types import MappingProxyType

from opsmith.op import *

Shape = tuple[int, ...]
Kernels = tuple[Kernel, ...]
TYPES = {0: "float32", 2: "int32", 7: "int16"}  # numbers of types in TFLite's schema
OPTION = {"T": Convert("type", lambda code: TYPES.get(code, str(code)))}


def signal(
    name: str,
    source: str,
    inputs: Mapping[str, DType | str],
    outputs: Mapping[str, DType | str],
    kernels: Kernels | Mapping[DType, Kernels],
    example: Mapping[str, Any],
    *,
    constants: Mapping[str, DType] | None = None,
    integers: Mapping[str, int] | None = None,
    attributes: tuple[Attribute, ...] = (),
    shapes: Callable[[NodeView], Sequence[Shape]] | None = None,
    vectors: tuple[str, ...] = (),
    ranks: Mapping[str, int | range] = MappingProxyType({}),
    check: Callable[[NodeView], Iterable[str]] = lambda node: (),
    **fields: Any,
) -> Op:
    """Signal op whose options are a flexbuffer.

    `kernels` are for one combination of element types, or for each type of the variable T, which
    the model's option T must name, too. `integers` maps attributes to the power of two below which
    they must be, from 0; `vectors` names inputs of one dimension, `ranks` gives those of others.
    Outputs have the shape of x unless `shapes` gives theirs. `example` has the shape of each input,
    or the values of a constant, and the attributes. `fields` are evaluate, traits, hooks, states,
    decompose and match of Op.
    """
    fixed, ends = constants or {}, integers or {}
    ranked = {**dict.fromkeys(vectors, 1), **ranks}
    if isinstance(kernels, Mapping):
        variants = tuple(Variant({"T": dtype}, each) for dtype, each in kernels.items())
        names = tuple(dtype.name for dtype in kernels)
        attributes += (Attribute("type", str, default="int16", choices=names),)
    else:
        variants, names = (Variant({}, kernels),), ()

    def infer(node: NodeView) -> Sequence[TensorType]:
        found = [node["x"].shape] * len(outputs) if shapes is None else shapes(node)
        types = {"T": node["x"].dtype}
        named = [each if isinstance(each, DType) else types[each] for each in outputs.values()]
        return [TensorType(*each) for each in zip(named, found, strict=True)]

    def problems(node: NodeView) -> Iterator[str]:
        if names and node.attributes["type"] != node["x"].dtype.name:
            yield f"x {node['x'].type} is not of the type that option T names"
        for attribute, end in ends.items():
            yield from _range_problems(attribute, node.attributes[attribute], end)
        yield from check(node)

    return Op(
        name,
        inputs=tuple(Input(*each, rank=ranked.get(each[0])) for each in inputs.items())
        + tuple(Input(*each, constant=True) for each in fixed.items()),
        outputs=tuple(Output(*each) for each in outputs.items()),
        infer=infer,
        variants=tuple(
            replace(each, examples=(_example([*inputs, *fixed, *outputs], each.types, example),))
            for each in variants
        ),
        legalize=(
            Rename(
                f"tflite.CUSTOM.{source}",
                options=flexbuffer,
                attributes=OPTION if names else {},
                as_stored=True,
            ),
        ),
        attributes=(*attributes, *(Attribute(each, int) for each in ends)),
        check=problems,
        **fields,
    )


def _example(
    operands: Collection[str], types: Mapping[str, DType], given: Mapping[str, Any]
) -> Example:
    tensors = {name: value for name, value in given.items() if name in operands}
    attributes = {name: value for name, value in given.items() if name not in operands}
    option = {"type": types["T"].name} if types else {}
    return Example.of(attributes | option, **tensors)


def row_shape(x: Tensor) -> Shape:
    """Shape of a tensor that consists of rows. Raises OpError for a scalar."""
    if not x.shape:
        raise OpError(f"x {x.type} must have an axis")
    return x.shape


def vector_problems(node: NodeView, *names: str, size: int | None = None) -> Iterator[str]:
    """Sentence for each tensor of `names` that is not a vector, or not one of `size` elements."""
    for name in names:
        x = node[name]
        if len(x.shape) != 1 or size not in (None, x.elements):
            of = "" if size is None else f" of {size}"
            yield f"{name} {x.type} must be a vector{of}"


def _range_problems(name: str, value: int, end: int) -> Iterator[str]:
    if not 0 <= value < end:
        greatest = end - 1 if end <= 64 else f"2^{end.bit_length() - 1} - 1"
        yield f"{name} {value} is not 0 to {greatest}"


def append(history: Array, x: Array) -> None:
    """Append elements along the last axis of a history, which drops as many of its oldest."""
    size = history.shape[-1]
    history[:] = np.concatenate([history, x], axis=-1)[..., -size:]
