"""Advice about operators of ONNX that are not read."""

import shlex

_DYNAMIC = tuple(f"com.microsoft.{each}" for each in ("DynamicQuantizeLSTM", "QAttention"))
_LOOPS = ("Loop", "Scan", "SequenceMap")
_SIZED = ("Compress", "NonMaxSuppression", "NonZero", "Unique")
_QUANTS = ("onnx.brevitas.Quant", "qonnx.custom_op.general.Quant")
_ML = "ai.onnx.ml."  # domain of what skl2onnx writes of models of scikit-learn
_DENSE = ("LinearClassifier", "LinearRegressor", "Normalizer", "Scaler")
_LABELS = ("ArrayFeatureExtractor", "LabelEncoder", "ZipMap")
_WHY = {
    "Erfc": ", TensorFlow's, which ONNX lacks",
    **dict.fromkeys(_DYNAMIC, ", which finds scales while the model runs"),
    **dict.fromkeys(_LOOPS, ", whose body is a graph of its own"),
    **dict.fromkeys(_SIZED, ", whose output has as many elements as others say"),
}
_INSTEAD = {
    "Erfc": "let Keras compute GELU by tanh: keras.activations.gelu(x, approximate=True)",
    **dict.fromkeys(
        _DYNAMIC,
        'give quantize_dynamic op_types_to_quantize=["Conv", "MatMul"], which leaves it float',
    ),
    **dict.fromkeys(_LOOPS, "export steps one by one, or recurrent layers as LSTM, GRU or RNN"),
    **dict.fromkeys(_SIZED, "leave what follows the last layer to the application"),
    **dict.fromkeys(_QUANTS, "convert it by `qonnx-convert FILE --output-style qcdq`"),
    **dict.fromkeys(
        (f"{_ML}{kind}" for kind in _DENSE),
        "if skl2onnx has ONNX's operators for all of the model's layers, export it of these:"
        f" to_onnx(…, black_op={{{', '.join(map(repr, _DENSE))}}})",
    ),
    **dict.fromkeys(
        (f"{_ML}{kind}" for kind in _LABELS),
        "leave ZipMap out by options={'zipmap': False} of to_onnx, if the model takes it, and"
        ' labels by select_model_inputs_outputs(model, ["probabilities"]) of'
        " skl2onnx.helpers.onnx_helper",
    ),
}


def why(kind: str) -> str:
    """Clause about what keeps an operator from being read; "" for most."""
    return _WHY.get(kind, "")


def is_claimable(kind: str) -> bool:
    """True for an operator of ONNX that an op folder may claim: one without other advice."""
    return kind not in _INSTEAD


def instead(kind: str, path: str, *, standard: bool) -> str:
    """Fix for a model with an operator, which may be of a domain that is not the standard's."""
    if standard:
        fix = f"write an op: opsmith new-op --from {shlex.quote(path)} --into DIR; or build the"
        fix += " layer of operators that are known, or convert by `onnx2tf -i FILE`"
    else:
        fix = "build the layer of ONNX's operators, or export a .tflite, where it is CUSTOM"
    return _INSTEAD.get(kind, fix)
