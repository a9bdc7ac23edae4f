"""PyTorch by litert-torch, quantised by PT2E: `python torch_litert.py NETWORK.npz FOLDER`."""

import sys
from pathlib import Path

import litert_torch
import torch
from litert_torch.quantize.pt2e_quantizer import PT2EQuantizer, get_symmetric_quantization_config
from litert_torch.quantize.quant_config import QuantConfig
from torch_network import network
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

net, images = network(sys.argv[1])
quantizer = PT2EQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
traced = torch.export.export(net, (images[0],)).module(check_guards=False)
prepared = prepare_pt2e(traced, quantizer)
for each in images:
    prepared(each)
quantised = convert_pt2e(prepared, fold_quantize=False)
config = QuantConfig(pt2e_quantizer=quantizer)
made = litert_torch.convert(quantised, (images[0],), quant_config=config)
made.export(str(Path(sys.argv[2], "torch_litert.tflite")))
