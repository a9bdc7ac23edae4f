"""Converts by TensorFlow: `python tensorflow_lite.py MODEL KIND OUT.tflite [SET.npz]`.

MODEL is a .keras file or the folder of a SavedModel; KIND is float, int8 or int16x8, of which the
last two need SET.npz, whose arrays are samples of the inputs, in order. An error is on the last
line, with exit status 4.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

REFUSED = 4


def converter_of(path):
    """TensorFlow's converter of a model. Code in the file is never loaded."""
    if Path(path).is_dir():
        return tf.lite.TFLiteConverter.from_saved_model(path)
    model = tf.keras.models.load_model(path, compile=False, safe_mode=True)
    return tf.lite.TFLiteConverter.from_keras_model(model)


def samples(path):
    """Samples for calibration, each a list of one array per input."""
    with np.load(path, allow_pickle=False) as arrays:
        columns = [arrays[name] for name in arrays.files]
    for row in zip(*columns, strict=True):
        yield list(row)


def main(model, kind, out, path=""):
    """Write the converted model to a file."""
    converter = converter_of(model)
    if kind != "float":
        ops, types = tf.lite.OpsSet, {"int8": tf.int8, "int16x8": tf.int16}
        integers = {
            "int8": ops.TFLITE_BUILTINS_INT8,
            "int16x8": ops.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8,
        }
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: samples(path)
        converter.target_spec.supported_ops = [integers[kind]]
        converter.inference_input_type = converter.inference_output_type = types[kind]
    Path(out).write_bytes(converter.convert())


try:
    main(*sys.argv[1:])
except Exception as error:
    print("\n" + " ".join(f"{type(error).__name__}: {error}".split())[:500], file=sys.stderr)
    raise SystemExit(REFUSED) from None
