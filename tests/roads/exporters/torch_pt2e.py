"""PyTorch by ExecuTorch's CortexMQuantizer: `python torch_pt2e.py NETWORK.npz FOLDER`."""

import sys
from pathlib import Path

import torch
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from torch_network import network
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

net, images = network(sys.argv[1])
last = {"memory_format": torch.channels_last}
images = [each.to(**last) for each in images]
traced = torch.export.export(net.to(**last), (images[0],)).module(check_guards=False)
prepared = prepare_pt2e(traced, CortexMQuantizer())
for each in images:
    prepared(each)
program = torch.export.export(convert_pt2e(prepared), (images[0],))
torch.export.save(program, Path(sys.argv[2], "torch_pt2e.pt2"))
