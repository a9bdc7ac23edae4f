"""Ops that move elements of any type without computing.

Kernels are those of movement.h, which see no element types. Families build on this one: `view` for
x in another shape, `walk` for elements of x at regular distances, `take` for known positions along
each axis of x, `side_by_side` for tensors next to each other along an axis of another.

As in TFLite, bytes of y are those of x, however y is quantised; `moved_problems` is for ops where
TFLite refuses a y of another quantisation.
"""

from types import MappingProxyType

from opsmith.ir.types import ALL
from opsmith.op import *
from runtimes.core.notebook import Rules

HEADER = "runtimes/families/movement.h"
EVERY_TYPE = ALL
QUANTISED = (i8, i16, u8)

X, Y = Input("x", "T"), Output("y", "T")


def numbers(name: str, **fields: Any) -> Input:
    """Constant input with numbers that say how elements move; `fields` are further ones of it."""
    return Input(name, i32, constant=True, **fields)


def movement(
    name: str,
    source: Rename | tuple[Rename, ...],
    shapes: Callable[[NodeView], Sequence[tuple[int, ...]]],
    kernels: tuple[Kernel, ...],
    types: tuple[DType, ...],
    example: Example,
    inputs: tuple[Input, ...] = (),
    kind: Kind | None = None,
    numerics: Rules = MappingProxyType({}),
    **fields: Any,
) -> Op:
    """Op whose outputs have these shapes, with kernels that see no element types.

    Inputs are those of the example, in its order, unless `inputs` are given. `fields` are further
    ones of Op, except outputs, infer, legalize, variants and examples.
    """
    given = [_operand(*each) for each in example.tensors.items()]
    several = any(each.name == "y" and each.variadic for each in given)

    def infer(node: NodeView) -> Sequence[TensorType]:
        x = node.tensors["x"]
        dtype = x[0].dtype if isinstance(x, tuple) else node["x"].dtype
        return [TensorType(dtype, shape) for shape in shapes(node)]

    return Op(
        name,
        legalize=source if isinstance(source, tuple) else (source,),
        inputs=inputs or tuple(each for each in given if each.name != "y"),
        outputs=(Output("y", "T", variadic=several),),
        infer=infer,
        variants=of_types({"T": types}, *kernels, kind=kind, untyped=True, numerics=numerics),
        examples=(example,),
        **fields,
    )


def _operand(name: str, given: ExampleTensor | Sequence[ExampleTensor]) -> Input:
    """Operand as in an example: one tensor, several, or a constant."""
    if not isinstance(given, ExampleTensor):
        return Input(name, "T", variadic=True)
    return Input(name, "T") if given.data is None else numbers(name)


def copied(rows: int, size: int) -> float:
    """Instructions to copy rows of `size` bytes; long rows are calls of memcpy."""
    return rows * (6.0 + 0.55 * size + (20.0 if size > 32 else 0.0))


def zero_element(tensor: Tensor) -> int:
    """Element that stands for zero: the zero point, or 0."""
    quantised = tensor.dtype in QUANTISED and tensor.quantization is not None
    return tensor.zero_point if quantised else 0


def quantised_as(whole: str, *parts: str) -> Callable[[NodeView], Iterator[str]]:
    """Check that tensors are quantised as `whole` is, since elements are copied unchanged."""

    def check(node: NodeView) -> Iterator[str]:
        for part in parts:
            if node[part].quantization != node[whole].quantization:
                yield f"{part} must be quantised as {whole} is"

    return check


def moved_problems(node: NodeView) -> Iterator[str]:
    """Sentence where quantised elements of x would have other values in y."""
    x, y = node.tensors["x"], node.tensors["y"]
    name, moving, whole = ("x", x, "y") if isinstance(x, tuple) else ("y", y, "x")
    like = node[whole]
    for i, tensor in enumerate(moving if isinstance(moving, tuple) else (node[name],)):
        if like.dtype in QUANTISED and tensor.quantization != like.quantization:
            part = f"tensor {i} of {name}" if isinstance(moving, tuple) else name
            yield f"{part} must be quantised as {whole} is"
