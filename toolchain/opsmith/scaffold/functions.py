"""Functions of a new op.py: inference, checks, Params and the numpy model of each template."""

from collections.abc import Iterator

from opsmith.ir import DType
from opsmith.scaffold.kernel_fields import (
    ParamsMember,
    attribute_members,
    passed,
    table_dtype,
    tables,
)
from opsmith.scaffold.python import Group, dtype_source, layout, literal
from opsmith.scaffold.spec import Spec, SpecValue

REAL = ("affine", "affine_problem", "real_numbers", "nearest_elements")


def functions(spec: Spec) -> Iterator[list[str]]:
    """Functions of op.py, each as lines, in order."""
    yield list(_infer(spec))
    if spec.template == "reduction":
        yield [line.replace("@", spec.inputs[0].name) for line in _AXIS]
    yield list(_check(spec))
    yield list(_params(spec))
    if tables(spec):
        yield list(_tables(spec))
    yield from (list(lines) for lines in _EVALUATE[spec.template](spec))


def members(spec: Spec) -> Iterator[ParamsMember]:
    """Return the members of Params that the template of a spec needs."""
    values = [*spec.inputs, *spec.outputs]
    if spec.template == "empty":
        for value in values:
            yield ParamsMember(f"{value.name}_elements", "int", _elements(value))
        return
    if spec.template == "elementwise":
        yield ParamsMember("elements", "int", f'node["{spec.outputs[0].name}"].elements')
    else:
        yield ParamsMember("outer", "int", "outer", "elements before the axis")
        yield ParamsMember("length", "int", "sizes[axis]", "of the axis")
        yield ParamsMember("inner", "int", "inner", "elements after the axis")
    for value in values:
        yield ParamsMember(f"{value.name}_scale", "float", f'affine(node["{value.name}"])[0]')
        yield ParamsMember(f"{value.name}_zero_point", "int", f'affine(node["{value.name}"])[1]')


def placeholder_source(spec: Spec, output: SpecValue) -> SpecValue | None:
    """Input whose elements a placeholder copies to an output: the first, if its type is equal."""
    first = spec.inputs[0]
    return first if not first.optional and first.types == output.types else None


def _elements(value: SpecValue) -> str:
    name = literal(value.name)
    if not getattr(value, "optional", False):
        return f"node[{name}].elements"
    return f"0 if (tensor := node.get({name})) is None else tensor.elements"


def _infer(spec: Spec) -> Iterator[str]:
    yield "def infer(node: NodeView) -> Sequence[TensorType]:"
    x, (y, *_) = spec.inputs[0].name, spec.outputs
    dtype = _inferred_dtype(spec, y)
    if spec.template == "empty":
        yield '    """As the model says: infer types and shapes from the inputs here."""'
        types = [f'node["{value.name}"].type' for value in spec.outputs]
        yield from layout(Group("return [", types, "]"), 4)
    elif spec.template == "elementwise":
        yield f'    """{y.name}: of the shape that all inputs have."""'
        if len(spec.inputs) > 1:
            names = ", ".join(literal(value.name) for value in spec.inputs)
            yield f"    shapes = {{node[name].shape for name in ({names})}}"
            yield "    if len(shapes) > 1:"
            yield '        raise OpError(f"the inputs have shapes {sorted(shapes)}, not one")'
        yield f'    return [TensorType({dtype}, node["{x}"].shape)]'
    else:
        yield f'    """{y.name}: {x} without the axis."""'
        yield "    axis = _axis(node)"
        yield f'    kept = node["{x}"].shape[:axis] + node["{x}"].shape[axis + 1 :]'
        yield f"    return [TensorType({dtype}, kept)]"


def _inferred_dtype(spec: Spec, output: SpecValue) -> str:
    named = spec.type_of(output)
    if isinstance(named, DType):
        return dtype_source(named)
    same = [value for value in spec.inputs if spec.type_of(value) == named]
    return f'node["{(same or [output])[0].name}"].dtype'


_AXIS = '''\
def _axis(node: NodeView) -> int:
    """The axis, counted from the front."""
    axis, rank = node.attributes["axis"], len(node["@"].shape)
    if not -rank <= axis < rank:
        raise OpError(f"@ {node['@'].type} has no axis {axis}")
    return int(axis % rank)'''.splitlines()


def _check(spec: Spec) -> Iterator[str]:
    yield "def check(node: NodeView) -> Iterator[str]:"
    yield '    """Problems that the kernel has with the node."""'
    numbers = [p.name for p in passed(spec) if p.type is int]
    if spec.template != "empty":
        names = [literal(value.name) for value in (*spec.inputs, *spec.outputs)]
        yield from layout(Group("for name in (", names), 4, ":")
        yield "        if problem := affine_problem(node[name], name):"
        yield "            yield problem"
    if numbers:
        yield from layout(Group("for name in (", list(map(literal, numbers))), 4, ":")
        yield "        if not -(2**31) <= node.attributes[name] < 2**31:"
        yield "            yield f\"attribute '{name}' does not fit 32 bits\""
    if spec.template == "empty" and not numbers:
        yield "    yield from ()"


def _params(spec: Spec) -> Iterator[str]:
    yield "def params(node: NodeView) -> Params:"
    yield '    """Sizes, scales and attributes."""'
    if spec.template == "reduction":
        x = spec.inputs[0].name
        yield f'    axis, sizes = _axis(node), node["{x}"].shape'
        yield "    outer, inner = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])"
    fields = [f"{m.name}={m.value}" for m in (*members(spec), *attribute_members(spec))]
    yield from layout(Group("return Params(", fields), 4)


def _tables(spec: Spec) -> Iterator[str]:
    yield "def tables(node: NodeView) -> Tables:"
    yield '    """The attributes that have many values."""'
    fields = []
    for parameter in tables(spec):
        dtype = table_dtype(parameter)
        assert dtype is not None
        value = f'node.attributes["{parameter.name}"]'
        fields.append(f"{parameter.name}=_table({value}, np.{numpy_name(dtype)})")
    yield from layout(Group("return Tables(", fields), 4)
    yield from ["", "", "def _table(values: object, dtype: type[np.generic]) -> NDArray[Any]:"]
    yield "    array = np.asarray(values, dtype).reshape(-1)"
    yield "    return array if array.size else np.zeros(1, dtype)"


def numpy_name(dtype: DType) -> str:
    """Return numpy's name of an element type, for annotations."""
    return "bool_" if dtype.short == "bool" else dtype.name


def _evaluate_head() -> Iterator[str]:
    yield "def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:"


def _elementwise(spec: Spec) -> Iterator[Iterator[str]]:
    y = spec.outputs[0].name
    names = [value.name for value in spec.inputs]

    def evaluate() -> Iterator[str]:
        yield from _evaluate_head()
        yield '    """The function of the dequantised values, rounded to the nearest elements."""'
        listed = ", ".join(map(literal, names)) + ("," if len(names) == 1 else "")
        yield f"    tensors = [node[name] for name in ({listed})]"
        yield "    real = [real_numbers(x, t) for x, t in zip(inputs, tensors, strict=True)]"
        yield f'    return [nearest_elements(function(*real), node["{y}"])]'

    def function() -> Iterator[str]:
        parameters = ", ".join(f"{name}: Array" for name in names)
        yield f"def function({parameters}) -> Array:"
        if len(names) == 1:
            (x,) = names
            yield f'    """{x} / (1 + |{x}|). Write yours here, and the same in reference.h."""'
            yield f"    found: Array = {x} / (1.0 + np.abs({x}))"
            yield "    return found"
        else:
            yield '    """The largest of them. Write yours here, and the same in reference.h."""'
            yield f"    found = {names[0]}"
            for name in names[1:-1]:
                yield f"    found = np.where({name} > found, {name}, found)"
            yield f"    return np.where({names[-1]} > found, {names[-1]}, found)"

    yield evaluate()
    yield function()


def _reduction(spec: Spec) -> Iterator[Iterator[str]]:
    x, y = spec.inputs[0].name, spec.outputs[0].name
    yield iter(
        f'''\
def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The mean, summed in the order of the kernel: write yours here, and there."""
    p, zero_point = params(node), affine(node["{x}"])[1]
    units = inputs[0].reshape(p.outer, p.length, p.inner).astype(np.float64) - zero_point
    total = np.zeros((p.outer, p.inner))
    for i in range(p.length):
        total = total + units[:, i]
    mean = total * p.{x}_scale / p.length
    return [nearest_elements(mean.reshape(node["{y}"].shape), node["{y}"])]'''.splitlines()
    )


def _empty(spec: Spec) -> Iterator[Iterator[str]]:
    def evaluate() -> Iterator[str]:
        yield from _evaluate_head()
        yield '    """A placeholder, as in reference.h: write the op in both."""'
        results = []
        for value in spec.outputs:
            source = "inputs[0]" if placeholder_source(spec, value) else "None"
            results.append(f'_placeholder({source}, node["{value.name}"])')
        yield from layout(Group("return [", results, "]"), 4)

    yield evaluate()
    yield iter(_PLACEHOLDER)


_PLACEHOLDER = '''\
def _placeholder(source: Array | None, output: Tensor) -> Array:
    """The first elements of the source, then zeros."""
    found = np.zeros(output.elements, output.dtype.numpy)
    if source is not None:
        first = source.reshape(-1)[: output.elements]
        found[: first.size] = first
    return found.reshape(output.shape)'''.splitlines()

_EVALUATE = {"elementwise": _elementwise, "reduction": _reduction, "empty": _empty}
