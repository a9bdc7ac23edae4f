"""A float .onnx by onnx2tf, quantised to int8: `python onnx2tf_litert.py NETWORK.npz FOLDER`.

The .onnx is written by onnx alone, so that PyTorch need not lie beside TensorFlow. Of onnx2tf 2 it
is TensorFlow's converter (`pip install onnx2tf tensorflow tf_keras`): its own writer, of 2.6.9,
refuses what it made of this network, whose biases have scales along an axis 3.
"""

import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
import onnx2tf
from onnx import helper, numpy_helper

arrays = np.load(sys.argv[1])
nodes, constants = [], []


def constant(array):
    """Name of a new constant."""
    constants.append(numpy_helper.from_array(np.ascontiguousarray(array), f"c{len(constants)}"))
    return constants[-1].name


def node(kind, *inputs, **attributes):
    """Output name of a new operator."""
    nodes.append(helper.make_node(kind, inputs, [f"n{len(nodes)}"], **attributes))
    return nodes[-1].output[0]


def convolution(x, number, depthwise=False, **options):
    """Output of the convolution of this number, which keeps the size of an image."""
    weights = arrays[f"w{number}"].transpose((3, 0, 1, 2) if depthwise else (0, 3, 1, 2))
    groups = len(weights) if depthwise else 1
    options.setdefault("pads", [weights.shape[2] // 2] * 4)
    return node(
        "Conv", x, constant(weights), constant(arrays[f"b{number}"]), group=groups, **options
    )


x = node("Relu", convolution("image", 0))
x = node("Relu", convolution(x, 1, depthwise=True, strides=[2, 2], pads=[0, 0, 1, 1]))
x = node("Relu", convolution(x, 2))
y = node("Relu", convolution(x, 3, depthwise=True))
x = node("Relu", node("Add", x, convolution(y, 4)))
x = node("Flatten", node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]))
weights = arrays["w5"].reshape(-1, 2, 2, 24).transpose(0, 3, 1, 2).reshape(-1, 96)
x = node("Softmax", node("Gemm", x, constant(weights), constant(arrays["b5"]), transB=1))
real = onnx.TensorProto.FLOAT
image = helper.make_tensor_value_info("image", real, [1, 1, 8, 8])
output = helper.make_tensor_value_info(x, real, [1, 10])
graph = helper.make_graph(nodes, "digits", [image], [output], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
first = version("onnx2tf").startswith("1.")  # which has no other writer
backend = {} if first else {"tflite_backend": "tf_converter"}
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    onnx.save(model, folder / "digits.onnx")
    np.save(folder / "images.npy", arrays["images"])
    onnx2tf.convert(
        str(folder / "digits.onnx"),
        output_folder_path=str(folder / "made"),
        output_integer_quantized_tflite=True,
        input_quant_dtype="int8",
        output_quant_dtype="int8",
        custom_input_op_name_np_data_path=[
            ["image", str(folder / "images.npy"), np.zeros(1, np.float32), np.ones(1, np.float32)]
        ],
        non_verbose=True,
        **backend,
    )
    made = folder / "made/digits_full_integer_quant.tflite"
    shutil.copyfile(made, Path(sys.argv[2], "onnx2tf_litert.tflite"))
