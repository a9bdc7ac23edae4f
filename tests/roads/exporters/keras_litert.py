"""Keras by TensorFlow's converter: `python keras_litert.py NETWORK.npz FOLDER`."""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

arrays, folder = np.load(sys.argv[1]), Path(sys.argv[2])
layers = tf.keras.layers


def convolution(number, depthwise=False, activation="relu", strides=1):
    """Convolution layer of this number, with its weights."""
    weights = arrays[f"w{number}"].transpose((1, 2, 3, 0))
    options = {"padding": "same", "strides": strides, "activation": activation}
    if depthwise:
        made = layers.DepthwiseConv2D(weights.shape[0], **options)
    else:
        made = layers.Conv2D(weights.shape[3], weights.shape[0], **options)
    return made, [weights, arrays[f"b{number}"]]


found = []


def of(pair, x):
    """Output of a layer, whose weights are set once the layer is built."""
    found.append(pair)
    return pair[0](x)


image = tf.keras.Input((8, 8, 1), batch_size=1)
x = of(convolution(0), image)
x = of(convolution(1, depthwise=True, strides=2), x)
x = of(convolution(2), x)
y = of(convolution(4, activation=None), of(convolution(3, depthwise=True), x))
x = layers.AveragePooling2D(2)(layers.ReLU()(layers.Add()([x, y])))
product = layers.Dense(10, activation="softmax"), [arrays["w5"].T, arrays["b5"]]
model = tf.keras.Model(image, of(product, layers.Flatten()(x)))
for layer, weights in found:
    layer.set_weights(weights)
converter = tf.lite.TFLiteConverter.from_keras_model(model)
converter.optimizations = [tf.lite.Optimize.DEFAULT]
converter.representative_dataset = lambda: ([each[None]] for each in arrays["images"])
converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
converter.inference_input_type = converter.inference_output_type = tf.int8
(folder / "keras_litert.tflite").write_bytes(converter.convert())
