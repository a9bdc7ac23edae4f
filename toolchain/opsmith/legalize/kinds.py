"""Kinds of models that ops do not support, by the names that users know, each with a fix."""

from dataclasses import dataclass

from opsmith.ir import DType, Graph, Node
from opsmith.ir.types import BY_NAME, f32, i8, i16, u8


@dataclass(frozen=True)
class ModelKind:
    """A kind of unsupported model by the name that users know, and how to make a supported one."""

    name: str
    fix: str


OTHER_TYPE = "convert the model to types that the ops take: `scons ops` lists them"
_TYPES = {
    "float16": ModelKind(
        "float16", "convert the model to float32; weights alone may be float16, before DEQUANTIZE"
    ),
    "bfloat16": ModelKind("bfloat16", "convert the model to float32"),
    "int4": ModelKind("int4", "quantise the model to int8; weights alone may be int4"),
    "complex64": ModelKind(
        "complex numbers (complex64)",
        "compute the spectrum before the model, and give it magnitudes for its input",
    ),
    "string": ModelKind("text (string tensors)", "turn text into numbers before the model"),
    "resource": ModelKind("a resource (variables, tables)", "convert the model without tables"),
    "variant": ModelKind(
        "a list of tensors (variant)", "convert the model with loops unrolled, or of fixed size"
    ),
}
_DYNAMIC_RANGE = {  # by element type of the weights
    i8: ModelKind(
        "dynamic-range quantisation (float32 activations, int8 weights)",
        "quantise activations as well: give the converter a representative dataset",
    ),
    u8: ModelKind(
        "legacy dynamic-range quantisation (float32 activations, uint8 weights)",
        "convert the model with TensorFlow 2, which makes weights of int8",
    ),
}
_QUANTISED = {
    u8: ModelKind("uint8 quantisation", "quantise the model to int8, or add a variant to the op"),
    i16: ModelKind(
        "16-bit quantisation", "quantise activations to int8, or add a variant to the op"
    ),
}
_CUSTOM = {  # by prefix of operators' names; the first match applies
    "FlexTensorList": ModelKind(
        "a list of tensors that may grow (FlexTensorList, of TensorFlow Select)",
        "convert recurrent layers with a batch of fixed size: keras.Input(…, batch_size=1), or "
        "give the layers unroll=True",
    ),
    "Flex": ModelKind(
        "TensorFlow Select (Flex)",
        "convert without SELECT_TF_OPS: replace these layers by ones that TFLite has",
    ),
    "ethos-u": ModelKind("code for an Ethos-U", "give the model from before Vela"),
    "edgetpu-": ModelKind(
        "code for an Edge TPU", "give the model from before the Edge TPU compiler"
    ),
    "NeutronGraph": ModelKind(
        "code for an eIQ Neutron", "give the model from before NXP's Neutron converter"
    ),
    "XC_": ModelKind("code for an xcore", "give the model from before XMOS's xformer"),
}


def kind_of(graph: Graph, node: Node) -> ModelKind | None:
    """Kind of a node's tensors, by their most unusual property; None for supported tensors."""
    if kind := strange_kind(graph, node):
        return kind
    tensors = [graph.tensors[name] for name in (*node.inputs, *node.outputs) if name is not None]
    computed = [tensor for tensor in tensors if tensor.constant is None]
    if any(tensor.dtype == f32 for tensor in computed):
        weights = (t for t in tensors if t.constant is not None and t.quantization is not None)
        kinds = (_DYNAMIC_RANGE[t.dtype] for t in weights if t.dtype in _DYNAMIC_RANGE)
        if kind := next(kinds, None):
            return kind
    quantised = {tensor.dtype for tensor in computed if tensor.quantization is not None}
    return next((kind for dtype, kind in _QUANTISED.items() if dtype in quantised), None)


def strange_kind(graph: Graph, node: Node) -> ModelKind | None:
    """Kind for the first tensor of a node whose type no op supports; None if all are supported."""
    names = (name for name in (*node.inputs, *node.outputs) if name is not None)
    types = (graph.tensors[name].dtype for name in names)
    return next((kind_of_type(dtype) for dtype in types if dtype.name not in BY_NAME), None)


def unclaimed_kind(graph: Graph, node: Node) -> ModelKind | None:
    """Kind of a node that no op claims and none could claim; None if an op could be written."""
    return foreign_kind(node.op) or strange_kind(graph, node) or _undeclarable(node)


def _undeclarable(node: Node) -> ModelKind | None:
    if node.op.startswith("tflite.BUILTIN_"):
        return ModelKind(
            "an operator that is newer than the schema", "convert for an older runtime"
        )
    if all(name is None for name in node.inputs) or not node.outputs:
        return ModelKind("an operator without inputs or outputs", "build the model without it")
    return None


def kind_of_type(dtype: DType) -> ModelKind:
    """Kind of models with tensors of a type that no op supports."""
    return kind_of_named_type(dtype.name)


def kind_of_named_type(name: str) -> ModelKind:
    """Kind of models with tensors of a type, by its name, that no op supports."""
    return _TYPES.get(name, ModelKind(name, OTHER_TYPE))


def foreign_kind(source: str) -> ModelKind | None:
    """Kind of a CUSTOM operator that only one runtime or accelerator can run, else None."""
    name = source.removeprefix("tflite.CUSTOM.")
    found = (kind for prefix, kind in _CUSTOM.items() if name.startswith(prefix))
    return next(found, None) if name != source else None
