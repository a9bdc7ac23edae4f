"""Op of a custom layer: its kernel runs on a GPU alone, with the macros that it expects.

A kernel may rely on its tensors' formats, whether it uses pitches or not. Where elements lie
elsewhere in a model, which has channels last, a node becomes transposes around a node whose tensors
are `arranged`; transposes between two layers cancel out. With format ANY the kernel follows
pitches, and nothing is transposed.
"""

from math import prod

from opsmith.op import *
from runtimes.gpu.kernel import gpu_kernel
from runtimes.gpu.openvino.formats import MOST_AXES, moves, order, sizes
from runtimes.gpu.openvino.formulas import FormulaError, value
from runtimes.gpu.openvino.layer import CustomLayer, LayerOption
from runtimes.gpu.openvino.macros import macros
from runtimes.gpu.source import MOST_IN_GROUP, MOST_ROWS

USUAL_GROUP = 64  # work-items, where a layer does not say
ARRANGED = "arranged"
_ARRANGED = Attribute(ARRANGED, bool, default=False, inner=True)

Shapes = Mapping[str, tuple[int, ...]]
Evaluate = Callable[[NodeView, Sequence[Array]], Sequence[Array]]
Infer = Callable[[NodeView], Sequence[TensorType]]


@dataclass(frozen=True)
class Params:
    """Empty params: macros give the kernel everything."""


def custom_layer(
    name: str,
    layer: CustomLayer,
    example: Shapes,
    infer: Infer | None = None,
    evaluate: Evaluate | None = None,
    ignore: tuple[str, ...] = (),
    cpu: Kernel | None = None,
) -> Op:
    """Op of a custom layer. `example` has shapes of its inputs and of y.

    Without `infer`, y has the shape that the model stores; without `evaluate`, there is no
    reference to compare with. Both functions take tensors as in models, with channels last. Options
    of the model in `ignore` have no effect, such as the `T` that TensorFlow adds. `cpu` is the
    kernel where no GPU computes the layer; it takes tensors in the layer's formats, as the GPU's
    kernel does.
    """
    kernels = (gpu_kernel(Params, _planned(layer), sources=layer.files), *([cpu] if cpu else []))
    return Op(
        name=name,
        legalize=(_rename(layer, ignore, as_stored=infer is None),),
        inputs=tuple(Input(each.name, each.dtype) for each in layer.inputs),
        outputs=(Output("y", layer.output),),
        attributes=(*map(_attribute, layer.options), _ARRANGED),
        infer=partial(_infer, infer),
        check=partial(_check, layer),
        evaluate=None if evaluate is None else partial(_evaluate, layer, evaluate),
        decompose=Decompose(partial(_arranged, layer), partial(_must_move, layer), required=True),
        examples=(_example(layer, example),),
        variants=(Variant({}, kernels),),
    )


def _rename(layer: CustomLayer, ignore: tuple[str, ...], *, as_stored: bool) -> Rename:
    names = {each.source: each.name for each in layer.options if each.source}
    source = f"tflite.CUSTOM.{layer.name}"
    return Rename(source, attributes=names, ignore=ignore, options=_options, as_stored=as_stored)


def _options(data: bytes) -> Mapping[str, Any]:
    found = flexbuffer(data)
    if ARRANGED in found:
        raise OpError(f"an option '{ARRANGED}' is not known")
    return found


def _attribute(option: LayerOption) -> Attribute:
    kind = ListOf(option.type) if option.array else option.type
    return Attribute(option.name, kind, default=option.default)


def _infer(infer: Infer | None, node: NodeView) -> Sequence[TensorType]:
    if infer is not None and not node.attributes[ARRANGED]:
        return infer(node)
    inputs = [each for each in node.tensors.values() if isinstance(each, Tensor)]
    if not node["y"].shape and any(each.shape for each in inputs):
        raise OpError("the model stores no shape of y: op.py needs an infer=")
    return [node["y"].type]


def _check(layer: CustomLayer, node: NodeView) -> Iterator[str]:
    for name in (*(each.name for each in layer.inputs), "y"):
        if len(node[name].shape) > MOST_AXES:
            yield f"'{name}' is {node[name].type}; a custom layer knows B, F, Y and X alone"
            return
    try:
        _work_sizes(layer, node)
    except FormulaError as error:
        yield str(error)


def _work_sizes(layer: CustomLayer, node: NodeView) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Work-items of a node, and of a group if the layer gives that. Raises FormulaError."""
    work = layer.work
    name, given = "y", layer.output_format
    if work.of is not None:
        name, given = layer.inputs[work.of].name, layer.inputs[work.of].format
    axes = sizes(node[name].shape, given, arranged=node.attributes[ARRANGED])
    items, group = (tuple(value(f, axes) for f in each) for each in (work.items, work.group))
    if any(size % together for size, together in zip(items, group, strict=False)):
        raise FormulaError(f"{list(items)} work-items are no whole groups of {list(group)}")
    if prod(group) > MOST_IN_GROUP:
        raise FormulaError(f"a group has {list(group)} work-items, more than {MOST_IN_GROUP}")
    rows = zip(items[1:], (group or _whole_groups(items))[1:], strict=True)
    if any(size // together > MOST_ROWS for size, together in rows):
        what = f"{list(items)} work-items have more than {MOST_ROWS:,} groups in y or z"
        raise FormulaError(f"{what}, the most of CUDA")
    return items, group


def _planned(layer: CustomLayer) -> Callable[[NodeView], Plan]:
    def plan(node: NodeView) -> Plan:
        items, group = _work_sizes(layer, node)
        defines = macros(layer, node, items, group)
        return Plan(Params(), work=Work(items, group or _whole_groups(items), defines=defines))

    return plan


def _whole_groups(items: Sequence[int]) -> tuple[int, ...]:
    """Sizes of groups that divide the work-items, since kernels do not check for further ones."""
    found: list[int] = []
    for size in items:
        most = USUAL_GROUP // prod(found)
        found.append(max(n for n in range(1, most + 1) if size % n == 0))
    return tuple(found)


def _formats(layer: CustomLayer) -> Mapping[str, str]:
    """Format of each tensor, y last."""
    return {each.name: each.format for each in layer.inputs} | {"y": layer.output_format}


def _must_move(layer: CustomLayer, node: NodeView) -> bool:
    """True if some tensor has elements elsewhere in the layer's formats than in models."""
    found = [(node[name].shape, given) for name, given in _formats(layer).items()]
    if node.attributes[ARRANGED] or any(len(shape) > MOST_AXES for shape, _ in found):
        return False
    return any(moves(shape, given) for shape, given in found)


def _arranged(layer: CustomLayer, node: NodeView, builder: GraphBuilder) -> None:
    """Add the node with tensors in the layer's formats, and transposes to and from them."""
    inputs = [_moved(node[each.name], each.name, each.format, builder) for each in layer.inputs]
    y = node["y"]
    axes = order(len(y.shape), layer.output_format)
    made = y
    if axes != tuple(range(len(axes))):
        shape = tuple(y.shape[axis] for axis in axes)
        made = builder.tensor("y", y.dtype, shape, y.quantization)
    attributes = {name: given for name, given in node.attributes.items() if name != ARRANGED}
    builder.node(node.op, inputs, [made], **attributes, arranged=True)
    if made is not y:
        back = builder.tensor("y_axes", i32, (len(axes),), data=np.argsort(axes))
        builder.node("transpose", [made, back], [y])


def _moved(x: Tensor, name: str, given: str, builder: GraphBuilder) -> Tensor:
    axes = order(len(x.shape), given)
    if axes == tuple(range(len(axes))):
        return x
    shape = tuple(x.shape[axis] for axis in axes)
    made = builder.tensor(name, x.dtype, shape, x.quantization)
    wanted = builder.tensor(f"{name}_axes", i32, (len(axes),), data=np.array(axes))
    builder.node("transpose", [x, wanted], [made])
    return made


def _evaluate(
    layer: CustomLayer, evaluate: Evaluate, node: NodeView, inputs: Sequence[Array]
) -> Sequence[Array]:
    """Outputs that `evaluate` computes for the node, or for the node before it was arranged."""
    if not node.attributes[ARRANGED]:
        return evaluate(node, inputs)
    axes = {name: order(len(node[name].shape), given) for name, given in _formats(layer).items()}
    back = {name: tuple(np.argsort(found).tolist()) for name, found in axes.items()}
    tensors = {
        name: replace(node[name], shape=tuple(node[name].shape[axis] for axis in found))
        for name, found in back.items()
    }
    usual = replace(node, tensors=tensors, attributes={**node.attributes, ARRANGED: False})
    given = [x.transpose(back[each.name]) for x, each in zip(inputs, layer.inputs, strict=True)]
    return [np.ascontiguousarray(y.transpose(axes["y"])) for y in evaluate(usual, given)]


def _example(layer: CustomLayer, shapes: Shapes) -> Example:
    types = {each.name: each.dtype for each in layer.inputs} | {"y": layer.output}
    tensors = {name: ExampleTensor(dtype, shapes[name]) for name, dtype in types.items()}
    values = {each.name: usual_value(each) for each in layer.options}
    return Example(tensors, values)


def example_problem(layer: CustomLayer, shape: tuple[int, ...]) -> str:
    """Reason why tensors of this shape cannot be a node of the layer, or ""."""
    tensor = Tensor("", "", layer.output, shape)
    tensors = dict.fromkeys(_formats(layer), tensor)
    node = NodeView("", layer.name, tensors, {ARRANGED: False})
    return next(_check(layer, node), "")


def usual_value(option: LayerOption) -> Any:
    """Value for an attribute in an example: its default, or one."""
    one = option.type(1)
    return option.default if option.default is not None else (one,) if option.array else one
