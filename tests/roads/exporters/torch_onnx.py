"""PyTorch by ONNX, quantised to QDQ by onnxruntime: `python torch_onnx.py NETWORK.npz FOLDER`."""

import sys
from pathlib import Path

import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from torch_network import network

net, images = network(sys.argv[1])
folder = Path(sys.argv[2])


class Images(CalibrationDataReader):
    """Reader of the images that onnxruntime chooses scales by."""

    def __init__(self):
        self.left = iter(images)

    def get_next(self):
        return next(({"image": each.numpy()} for each in self.left), None)


plain = folder / "float.onnx"
torch.onnx.export(net, (images[0],), plain, input_names=["image"], external_data=False)
quantize_static(
    plain,
    folder / "torch_onnx.onnx",
    Images(),
    quant_format=QuantFormat.QDQ,
    per_channel=True,
    activation_type=QuantType.QInt8,
    weight_type=QuantType.QInt8,
)
plain.unlink()
