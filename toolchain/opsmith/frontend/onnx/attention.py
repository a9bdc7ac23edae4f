"""Products of two computed tensors: MatMul, and Attention of float32."""

import math
from dataclasses import replace

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.forms import ADDEND
from opsmith.frontend.onnx.parts import PRODUCT, Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated


def computed_product(reader: Reader, operator: Operator) -> None:
    """Write a MatMul of two computed tensors, of any number of axes."""
    a, b = (reader.value(operator, index) for index in range(2))
    exchanged = [_exchanged(each) for each in (a, b)]  # the product reads them as they lie
    a, b = (
        Value(each.tensor, stated(len(each.order)))
        if _exchanged(each)
        else reader.ordered(operator, each, stated(len(each.order)))
        for each in (a, b)
    )
    a, b = (_in_place(reader, operator, each) for each in (a, b))
    vectors = [len(each.order) == 1 for each in (a, b)]
    a, b = (_matrix(reader, operator, each, at) for at, each in enumerate((a, b)))
    shapes = [reader.tensors[each.tensor].shape for each in (a, b)]
    given = (bool(operator.attributes.get(each)) for each in ("transA", "transB"))
    turned = [one != other for one, other in zip(given, exchanged, strict=True)]
    (rows, inner), (again, columns) = (
        each[-2:][:: -1 if turn else 1] for each, turn in zip(shapes, turned, strict=True)
    )
    if inner != again or any(map(all, zip(turned, vectors, strict=True))):
        raise refuse(operator, f"the shapes {shapes} do not fit", "MDL006")
    outer = np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2])
    shape = (*map(int, outer), rows, columns)
    target = reader.target(operator, reader.quantised(a), fuses=False)
    inputs: list[str | None] = [a.tensor, b.tensor]
    written = replace(target, name=f"{target.name}_matrix") if any(vectors) else target
    options = PRODUCT | {"adj_x": turned[0], "adj_y": turned[1]}
    reader.write(operator, "BATCH_MATMUL", inputs, written, stated(len(shape)), shape, options)
    if any(vectors):
        kept = (*shape[:-2], *(n for n, gone in zip(shape[-2:], vectors, strict=True) if not gone))
        found = reader.values.pop(written.name)
        reader.values[target.name] = reshaped(reader, operator, found, target.name, kept)


def computed_gemm(reader: Reader, operator: Operator) -> None:
    """Write a Gemm of two computed matrices of float32."""
    parts, options = Parts(reader, operator), operator.attributes
    a, b = (reader.value(operator, index) for index in range(2))
    if reader.quantised(a) or reader.quantised(b):
        raise refuse(operator, "its matrices are quantised, and both are computed")
    a, b = (reader.ordered(operator, each, stated(len(each.order))) for each in (a, b))
    a, b = (_in_place(reader, operator, each) for each in (a, b))
    (_, inner), right = parts.shape(a.tensor), parts.shape(b.tensor)
    turned = bool(options.get("transB"))
    if len(right) != 2 or right[turned] != inner:
        raise refuse(
            operator, f"the shapes {parts.shape(a.tensor)} and {right} do not fit", "MDL006"
        )
    made = parts.product(a.tensor, b.tensor, adjoint=turned)
    made = _scaled(parts, made, float(options.get("alpha", 1.0)))
    check_addend(operator, options.get(ADDEND, ()), parts.shape(made))
    if len(operator.inputs) > 2 and operator.inputs[2]:
        bias = reader.value(operator, 2)
        bias = reader.ordered(operator, bias, stated(len(bias.order)))
        check_addend(operator, parts.shape(bias.tensor), parts.shape(made))
        made = parts.pair("ADD", made, _scaled(parts, bias.tensor, float(options.get("beta", 1.0))))
    reader.values[operator.outputs[0]] = Value(made, stated(2))


def check_addend(operator: Operator, addend: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Raise MDL006 unless an addend broadcasts to the shape of the products."""
    pairs = zip(addend[::-1], shape[::-1], strict=False)
    if len(addend) > len(shape) or any(a not in (1, size) for a, size in pairs):
        raise refuse(operator, f"an addend {addend} does not fit {shape}", "MDL006")


def _scaled(parts: Parts, x: str, factor: float) -> str:
    """Tensor times a number."""
    return x if factor == 1 else parts.pair("MUL", x, parts.real(factor))


def _exchanged(value: Value) -> bool:
    """True for matrices that are stored with rows and columns exchanged."""
    order = value.order
    return len(order) > 1 and (*order[:-2], order[-1], order[-2]) == stated(len(order))


def _in_place(reader: Reader, operator: Operator, x: Value) -> Value:
    """The value with a flattened image's columns in ONNX's order."""
    if x.tensor not in reader.columns:
        return x
    old, places = reader.tensors[x.tensor], np.argsort(reader.columns[x.tensor])
    made = reader.like(f"{old.name}_columns", x, old.shape)
    inputs, options = [x.tensor, reader.numbers("places", places)], {"axis": 1, "batch_dims": 0}
    return Value(reader.node(operator, "GATHER", inputs, made, options), x.order)


def _matrix(reader: Reader, operator: Operator, x: Value, index: int) -> Value:
    """Operand of a product as a matrix: a vector is a row if first, a column if second."""
    old = reader.tensors[x.tensor]
    if len(old.shape) != 1:
        return x
    if old.quantization is not None and old.quantization.per_channel:
        raise refuse(operator, f"operand {index} is not quantised by one scale", "MDL005")
    shape = (*old.shape, 1) if index else (1, *old.shape)
    return reshaped(reader, operator, x, f"{old.name}_matrix", shape)


def reshaped(
    reader: Reader, operator: Operator, x: Value, name: str, shape: tuple[int, ...]
) -> Value:
    """Value with the elements of x in another shape, under a new name."""
    made = reader.like(name, x, shape)
    reader.node(operator, "RESHAPE", [x.tensor, reader.numbers("shape", shape)], made)
    return Value(made, stated(len(shape)))


def attention(reader: Reader, operator: Operator) -> None:
    """Write an Attention: softmax(Q K^T + mask) V for each head; Q's may share heads of K and V."""
    parts, options = Parts(reader, operator), operator.attributes
    if any(operator.inputs[4:]) or any(map(reader.is_read, operator.outputs[1:])):
        raise refuse(operator, "past keys and further outputs are not read")
    flat = len(reader.value(operator, 0).order) == 3
    heads = ("q_num_heads", "kv_num_heads", "kv_num_heads")
    q, k, v = (_by_heads(reader, operator, parts, i, heads[i]) for i in range(3))
    batch, count, rows, depth = parts.shape(q)
    shared, columns = parts.shape(k)[1], parts.shape(v)[2]
    fits = parts.shape(k) == (batch, shared, columns, depth) and parts.shape(v)[1] == shared
    if not fits or count % shared:
        what = f"shapes {[parts.shape(each) for each in (q, k, v)]} of heads are not read"
        raise refuse(operator, what)
    k, v = (_repeated(reader, parts, each, count // shared) for each in (k, v))
    scale = float(options.get("scale") or 1 / math.sqrt(depth))
    if scale < 0:
        raise refuse(operator, "its scale is negative", "MDL014")
    root = parts.real(math.sqrt(scale))
    scores = parts.product(parts.pair("MUL", q, root), parts.pair("MUL", k, root), adjoint=True)
    if cap := float(options.get("softcap", 0.0)):
        scores = parts.of("TANH", parts.pair("DIV", scores, parts.real(cap)))
        scores = parts.pair("MUL", scores, parts.real(cap))
    for mask in _masks(reader, operator, parts, rows, columns):
        shape = parts.shape(scores)
        if np.broadcast_shapes(parts.shape(mask), shape) != shape:
            raise refuse(operator, f"a mask {parts.shape(mask)} does not fit {shape}", "MDL014")
        scores = parts.pair("ADD", scores, mask)
    found = parts.product(parts.of("SOFTMAX", scores), v)
    if flat:
        found = parts.turned(found, (0, 2, 1, 3))
        found = parts.reshaped(found, (batch, rows, count * parts.shape(v)[3]))
    reader.values[operator.outputs[0]] = Value(found, stated(len(parts.shape(found))))


def _repeated(reader: Reader, parts: Parts, x: str, times: int) -> str:
    """Tensor x with each of its heads repeated `times` times in succession."""
    batch, count, *rest = parts.shape(x)
    if times == 1:
        return x
    places = reader.numbers("heads", np.repeat(np.arange(count), times))
    return parts.node("GATHER", [x, places], (batch, count * times, *rest), axis=1, batch_dims=0)


def _by_heads(reader: Reader, operator: Operator, parts: Parts, index: int, heads: str) -> str:
    """Operand with the axes batch, head, position and element."""
    x = reader.value(operator, index)
    x = reader.ordered(operator, x, stated(len(x.order)))
    shape = parts.shape(x.tensor)
    if len(shape) == 4:
        return x.tensor
    count = int(operator.attributes.get(heads, 0))
    if len(shape) != 3 or count < 1 or shape[2] % count:
        raise refuse(operator, f"operand {index} of {shape} has no {count} heads", "MDL014")
    split = parts.reshaped(x.tensor, (*shape[:2], count, shape[2] // count))
    return parts.turned(split, (0, 2, 1, 3))


def _masks(reader: Reader, operator: Operator, parts: Parts, rows: int, columns: int) -> list[str]:
    """Names of the tensors that mask attention: each is added to the products of Q and K."""
    options = operator.attributes
    after = np.arange(columns) - np.arange(rows)[:, None]  # position of a key relative to a query
    hidden = after > (0 if options.get("is_causal") else columns)
    for side, end in ((-1, "left"), (1, "right")):
        if (size := int(options.get(f"{end}_window_size", -1))) >= 0:
            hidden |= after * side > size
    name = operator.inputs[3] if len(operator.inputs) > 3 else ""
    if (held := reader.weights.get(name)) is not None:
        array = np.where(held.array, 0.0, -np.inf) if held.array.dtype == bool else held.real
        whole = np.where(hidden, -np.inf, array)
        if np.isneginf(whole).all(axis=-1).any():
            raise refuse(operator, "a query sees no key")
        return [parts.real(whole)]
    if hidden.all(axis=1).any():
        raise refuse(operator, "a query sees no key")
    found = [parts.real(np.where(hidden, -np.inf, 0))] if hidden.any() else []
    if name:
        mask = reader.value(operator, 3)
        found.append(reader.ordered(operator, mask, stated(len(mask.order))).tensor)
    return found
