"""Functions of one tensor by tables that are made at build time.

A table of bytes has the value of each of the 256 elements, whatever formula LiteRT uses. A table of
int16 has the values of every 128th element, between which kernels interpolate. Tables that LiteRT
has, too, are made in its single precision (LUTPopulate in
tensorflow/lite/kernels/internal/common.h). A value beyond int32 saturates, and NaN becomes 0, where
LiteRT's conversion is undefined.
"""

from types import MappingProxyType

from opsmith.op import *
from runtimes.core.notebook import OF_UINT8, Rules, few_axes, unlike, where
from runtimes.core.straight_lines import interpolated, nearest, straight_lines
from runtimes.core.tflm import by_tflm, unlike_tflm
from runtimes.core.tflm_sigmoid import reproduced as sigmoid_reproduced
from runtimes.families.unary import Formula, quantised

Floats = NDArray[np.float32]
Function = Callable[[Floats, NodeView], Floats]  # of values of x
Quantization = tuple[float, int]  # scale and zero point
Check = Callable[[NodeView], Iterator[str]]


PLAIN = (0.0123, 0)  # a quantisation for examples


@dataclass(frozen=True)
class Bytes:
    """Table of int8 values of each element."""

    values: NDArray[np.int8]  # [256], from 0 to 127 and then from -128 to -1


@dataclass(frozen=True)
class UnsignedBytes:
    """Table of uint8 values of each element."""

    values: NDArray[np.uint8]  # [256]


@dataclass(frozen=True)
class Halfwords:
    """Table of int16 values of every 128th element."""

    values: NDArray[np.int16]  # [513], from -32768 to 32768


def rounded(function: Callable[[Array], Array]) -> Function:
    """Function computed in double precision, and rounded to single precision."""

    def of_floats(x: Floats, node: NodeView) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(function(x.astype(np.float64)), np.float32)

    return of_floats


def by_value(function: Callable[[Floats], Floats]) -> Function:
    """Function of the values of elements, whatever their quantisation, in single precision."""
    return lambda x, node: function(x)


def bytes_by(
    formula: Formula,
    dtype: DType = i8,
    check: Check | None = None,
    y: Quantization = PLAIN,
    numerics: Rules = MappingProxyType({}),
) -> Variant:
    """int8 or uint8 variant of a formula for elements, both tensors quantised per tensor.

    `check` runs where both are; a quantisation that `y` gives is the one that y must have.
    """

    tables = Bytes if dtype == i8 else UnsignedBytes

    def table(node: NodeView) -> Bytes | UnsignedBytes:
        every = np.arange(256).astype(np.uint8).view(dtype.numpy)
        return tables(formula(node, every).astype(dtype.numpy))

    return _variant(dtype, formula, table, tables, "bytes", numerics, check, y)


def table_256(
    function: Function,
    dtype: DType = i8,
    y: Quantization = PLAIN,
    notebook: Function | None = None,
    tflm: Formula | None = None,
) -> Variant:
    """int8 or uint8 variant of a function of values, each quantised as y is.

    `notebook` is XNNPACK's function for int8, whose values are rounded to nearest, halves to even;
    `tflm` is TensorFlow Lite Micro's formula.
    """
    functions = {Numerics.REFERENCE: function, Numerics.NOTEBOOK: notebook or function}

    def formula(node: NodeView, x: Array) -> Array:
        if tflm is not None and node.numerics == Numerics.TFLM:
            return tflm(node, x.astype(np.int64))
        return _quantised(node, x, functions)

    found = bytes_by(formula, dtype, y=y)
    other = unlike_tflm() if tflm is None else by_tflm(sigmoid_reproduced)
    return replace(found, numerics={**where(few_axes), **other}) if notebook else found


def table_513(function: Function, numerics: Rules = MappingProxyType({})) -> Variant:
    """int16 variant of a function of values, interpolated between 513 table entries."""

    def table(node: NodeView) -> Array:
        return _halfwords(node, function)

    return _variant(
        i16,
        lambda node, x: interpolated(table(node), x),
        lambda node: Halfwords(table(node)),
        Halfwords,
        "halfwords",
        numerics,
    )


def _variant(
    dtype: DType,
    formula: Formula,
    table: Callable[[NodeView], object],
    tables: type,
    kernel: str,
    numerics: Rules,
    check: Check | None = None,
    y: Quantization = PLAIN,
) -> Variant:
    """Variant with a kernel that looks elements up in a table."""

    def problems(node: NodeView) -> Iterator[str]:
        yield from (found := list(quantised(node)))
        if not found and y != PLAIN and node["y"].scale != y[0]:
            yield (found := [f"y must have scale 1/{round(1 / y[0])}"])[0]
        if not found and check is not None:
            yield from (found := list(check(node)))
        if not found:
            table(node)  # raises an OpError where there is none

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [formula(node, inputs[0]).astype(dtype.numpy)]

    reference = Kernel(
        "reference",
        Elements,
        every_node(by_name(Elements), table, elementwise),
        tables,
        numerics=ANY_RULE,
        header="runtimes/families/lookup.h",
        function=f"opsmith::lookup::{kernel}",
        arguments=("p", "tables.values", "in.x", "out.y"),
        cost=per_element(6.5 if kernel == "bytes" else 12.0),
        code=Code(instance=80, general=90, slowdown=1.0) if kernel == "bytes" else Code(),
    )
    tensors = {"x": ExampleTensor(dtype, (200,), *PLAIN), "y": ExampleTensor(dtype, (200,), *y)}
    return Variant(
        {"T": dtype},
        (reference,),
        kind=Kind("lookup", kernel),
        check=problems,
        evaluate=evaluate,
        numerics=unlike(OF_UINT8) if dtype == u8 else numerics,
        examples=(Example(tensors),),
    )


def _quantised(node: NodeView, x: Array, functions: Mapping[Numerics, Function]) -> Array:
    """Nearest elements of y to the function of x's values, by the node's rule of numerics."""
    of, y = node["x"], node["y"]
    lifted = (x.astype(np.int32) - of.zero_point).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        inverse = np.float32(1) / np.float32(y.scale)
        if not np.isfinite(inverse):
            raise OpError(f"the scale {y.scale:.6g} of y is too small: its inverse is no float32")
        values = functions[node.numerics](np.float32(of.scale) * lifted, node)
        scaled = values * inverse
    if node.numerics == Numerics.NOTEBOOK:
        quantized = np.rint(np.nan_to_num(scaled, nan=0) + np.float32(y.zero_point))
    else:
        quantized = np.nan_to_num(nearest(scaled), nan=0) + np.float32(y.zero_point)
    return np.asarray(np.clip(quantized, *y.dtype.limits))


def _halfwords(node: NodeView, function: Function) -> Array:
    with np.errstate(over="ignore"):
        ends = [np.float32(node[xy].scale) * np.float32(end) for xy in "xy" for end in i16.limits]
        factor = np.float32(2**16) / (ends[3] - ends[2])
        if not np.isfinite([*ends, ends[1] - ends[0], factor]).all():
            raise OpError("the scale of x or y is no scale of float32 for all elements")
    low, high, least, greatest = ends
    return straight_lines(lambda x: function(x, node), low, high, least, greatest)
