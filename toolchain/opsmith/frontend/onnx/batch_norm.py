"""BatchNormalization of float32: a factor and an addend per channel.

Both become part of a Conv before it, as they do in TensorFlow Lite's converter and in onnxruntime;
elsewhere they are a MUL and an ADD.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from opsmith.frontend.onnx.file import Content, Operator
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import legal, refuse
from opsmith.ir import Array

BATCH_NORM = "BatchNormalization"


@dataclass(frozen=True)
class _Affine:
    """Factors and addends of float64, one of each per channel."""

    factor: Array
    addend: Array


def fold_batch_norms(content: Content) -> Content:
    """Content in which a BatchNormalization that alone reads a Conv is part of its constants."""
    constants = dict(content.constants)
    reads = Counter(name for each in content.operators for name in each.inputs)
    reads.update(content.outputs)
    written = {*content.inputs}.union(*(each.outputs for each in content.operators))
    operators: list[Operator] = []
    places: dict[str, int] = {}  # indices of Conv operators, by output
    for operator in content.operators:
        with legal(operator):
            place = places.get(operator.inputs[0]) if operator.type == BATCH_NORM else None
            held = constants.keys() >= {*operator.inputs[1:]}  # others may be folded later
            if place is not None and held and reads[operator.inputs[0]] == 1:
                affine = _affine(operator, constants)
                if folded := _folded(operators[place], operator, affine, constants, written):
                    operators[place] = folded
                    places[folded.outputs[0]] = place
                    continue
            if operator.type == "Conv":
                places[operator.outputs[0]] = len(operators)
            operators.append(operator)
    return replace(content, operators=tuple(operators), constants=constants)


def batch_norm(reader: Reader, operator: Operator) -> None:
    """Write a BatchNormalization that no Conv absorbs, as MUL and ADD by constants."""
    x = reader.value(operator, 0)
    affine = _affine(operator, {name: each.array for name, each in reader.weights.items()})
    shape = reader.tensors[x.tensor].shape
    if len(shape) < 2 or shape[x.order.index(1)] != len(affine.factor):
        what = f"{len(affine.factor)} channels do not fit its input {reader.shape(x)}"
        raise refuse(operator, what, "MDL006")
    sizes = [-1 if axis == 1 else 1 for axis in x.order]
    factor, addend = (
        reader.constant(name, array.astype(np.float32).reshape(sizes))
        for name, array in zip(operator.inputs[1:3], (affine.factor, affine.addend), strict=True)
    )
    none = {"fused_activation_function": "NONE"}
    scaled = reader.tensor(f"{operator.outputs[0]}_scaled", shape)
    reader.node(operator, "MUL", [x.tensor, factor], scaled, none)
    target = reader.target(operator, quantised=False)
    options = {"fused_activation_function": target.activation, "pot_scale_int16": True}
    reader.write(operator, "ADD", [scaled, addend], target, x.order, shape, options)


def _affine(operator: Operator, constants: Mapping[str, Array]) -> _Affine:
    """Factor and addend per channel, from constant scale, bias, mean and variance."""
    names, options = operator.inputs, operator.attributes
    if options.get("training_mode") or len([name for name in operator.outputs if name]) != 1:
        fix = "export the model for inference: in PyTorch after model.eval()"
        raise refuse(operator, "it is that of training", fix=fix)
    if len(names) != 5 or any(name not in constants for name in names[1:]):
        raise refuse(operator, "its scale, bias, mean and variance are not all constant")
    scale, bias, mean, variance = (constants[name] for name in names[1:])
    if {each.shape for each in (bias, mean, variance)} != {scale.shape} or scale.ndim != 1:
        raise refuse(operator, "its scale, bias, mean and variance differ in shape", "MDL006")
    if any(each.dtype != np.float32 for each in (scale, bias, mean, variance)):
        raise refuse(operator, "its constants are not all of float32", "MDL012")
    spread = variance.astype(np.float64) + float(np.float32(options.get("epsilon", 1e-5)))
    if not (spread > 0).all():
        raise refuse(operator, "a variance and epsilon are together not above 0", "MDL014")
    factor = scale / np.sqrt(spread)
    return _Affine(factor, bias - mean * factor)


def _folded(
    conv: Operator,
    operator: Operator,
    affine: _Affine,
    constants: dict[str, Array],
    written: set[str],
) -> Operator | None:
    """Conv with new constants, which are added to `constants`; None where its weights are not
    float32 constants for these channels, or a tensor in `written` has a new constant's name.
    """
    weights = constants.get(conv.inputs[1])
    if weights is None or weights.dtype != np.float32 or weights.shape[:1] != affine.factor.shape:
        return None
    bias = conv.inputs[2] if len(conv.inputs) > 2 else ""
    addends = constants.get(bias) if bias else np.zeros(len(weights), np.float32)
    if addends is None or addends.shape != affine.factor.shape:
        return None
    along = affine.factor.reshape(-1, *(1 for _ in weights.shape[1:]))
    with np.errstate(all="ignore"):
        made = weights * along, addends * affine.factor + affine.addend
    output = operator.outputs[0]
    names = [f"{output} {end}" for end in ("weights", "bias")]
    if any(name in constants or name in written for name in names):  # no exporter does this
        return None
    constants |= {name: each.astype(np.float32) for name, each in zip(names, made, strict=True)}
    return replace(conv, inputs=(conv.inputs[0], *names), outputs=(output,))
