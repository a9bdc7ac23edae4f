"""Exports Keras networks by TensorFlow's converter, in every quantisation scheme."""

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema

from opsmith.ir import Array
from tests.keras import classifiers, further, images, sequences

SHOWN = 150  # of what the converter says
SAMPLES = 8  # that quantisation is calibrated with
NETWORKS: dict[str, Callable[[], keras.Model]] = {
    name: function
    for module in (classifiers, images, sequences, further)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}


def exported(network: str, scheme: str, folder: Path) -> Path | str:
    """The network as a file in this folder, or why TensorFlow does not convert it.

    The converter runs in a process of its own, which some conversions crash.
    """
    path, failure = (folder / f"{network}_{scheme}{end}" for end in (".tflite", ".txt"))
    if path.exists():
        return _sound(path)
    child = os.fork()
    if child == 0:
        try:
            path.write_bytes(export(NETWORKS[network], scheme))
        except Exception as error:
            failure.write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        return f"the converter ends with {os.waitstatus_to_exitcode(status)}"
    if path.exists():
        return _sound(path)
    return failure.read_text(encoding="utf-8").splitlines()[0][:SHOWN]


def _sound(path: Path) -> Path | str:
    """The file, unless it has scales that are no numbers, for which LiteRT answers nonsense: those
    of the weights that the first state of an unrolled GRU meets in int16, since it is always 0.
    """
    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    quantised = [each.quantization for graph in model.subgraphs for each in graph.tensors]
    scales = [each.scale for each in quantised if each is not None and each.scale is not None]
    return path if all(map(np.all, map(np.isfinite, scales))) else "scales are infinite or NaN"


def export(network: Callable[[], keras.Model], scheme: str) -> bytes:
    """The `.tflite` file of a network with random weights. Raises what the converter raises."""
    keras.utils.set_random_seed(7)
    model = network()
    _randomise(model)
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    SCHEMES[scheme](converter, model)
    _quiet()
    return bytes(converter.convert())


def _quiet() -> None:
    """Silence the converter, which prints its steps and warnings."""
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _randomise(model: keras.Model) -> None:
    """Randomise biases and batch norms, which layers start with zeros and ones."""
    random = np.random.default_rng(7)
    for weight in model.weights:
        shape = tuple(weight.shape)
        match weight.name:
            case "bias" | "beta" | "moving_mean":
                weight.assign(random.normal(0, 0.2, shape))
            case "gamma" | "moving_variance":
                weight.assign(random.uniform(0.5, 1.5, shape))


def _samples(model: keras.Model) -> Iterator[dict[str, Array]]:
    """Representative inputs by name, as the converter changes the order of inputs."""
    random = np.random.default_rng(11)
    for _ in range(SAMPLES):
        yield {each.name: _sample(each, random) for each in model.inputs}


def _sample(tensor: Any, random: np.random.Generator) -> Array:
    shape = [size or 1 for size in tensor.shape]
    if tensor.dtype == "int32":
        return random.integers(0, 40, shape, np.int32)
    return random.normal(0, 1, shape).astype(np.float32)


def _float32(converter: Any, model: keras.Model) -> None:
    """Scheme of float32: the converter quantises nothing."""


def _float16(converter: Any, model: keras.Model) -> None:
    """Scheme with weights of float16."""
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]


def _dynamic_range(converter: Any, model: keras.Model) -> None:
    """Scheme of dynamic range: weights of int8 where a layer has at least 1,024, and activations
    quantised at run time.
    """
    converter.optimizations = [tf.lite.Optimize.DEFAULT]


def _int8(converter: Any, model: keras.Model) -> None:
    """Scheme of int8 between inputs and outputs of float32."""
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: _samples(model)


def _only_int8(converter: Any, model: keras.Model) -> None:
    """Scheme of int8, also for inputs and outputs; an operator without int8 is an error."""
    _int8(converter, model)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    _ends(converter, model, tf.int8)


def _uint8(converter: Any, model: keras.Model) -> None:
    """Scheme of int8 between inputs and outputs of uint8."""
    _int8(converter, model)
    _ends(converter, model, tf.uint8)


def _int16x8(converter: Any, model: keras.Model) -> None:
    """Scheme of int16 activations and int8 weights, where the converter has such operators."""
    _int8(converter, model)
    only = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    converter.target_spec.supported_ops = [only, tf.lite.OpsSet.TFLITE_BUILTINS]


def _ends(converter: Any, model: keras.Model, dtype: Any) -> None:
    """Give inputs and outputs of float32 a quantised type."""
    if all(each.dtype == "float32" for each in model.inputs):
        converter.inference_input_type = dtype
    if all(each.dtype == "float32" for each in model.outputs):
        converter.inference_output_type = dtype


SCHEMES: dict[str, Callable[[Any, keras.Model], None]] = {
    "float32": _float32, "float16": _float16, "dynamic_range": _dynamic_range, "int8": _int8,
    "only_int8": _only_int8, "uint8": _uint8, "int16x8": _int16x8,
}  # fmt: skip
