"""The network of an .npz file in PyTorch, with images as (N, 1, 8, 8)."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Digits(nn.Module):
    """Network of three convolutions, two depthwise ones, a residual, an average and a product."""

    def __init__(self, arrays) -> None:
        super().__init__()
        self.first = convolution(arrays, 0)
        self.halving = convolution(arrays, 1, stride=2, depthwise=True)
        self.wide = convolution(arrays, 2)
        self.depthwise = convolution(arrays, 3, depthwise=True)
        self.mixed = convolution(arrays, 4)
        weights = arrays["w5"].reshape(-1, 2, 2, 24).transpose(0, 3, 1, 2).reshape(-1, 96)
        self.product = nn.Linear(96, len(weights))
        self.product.weight.data = torch.tensor(np.ascontiguousarray(weights))
        self.product.bias.data = torch.tensor(arrays["b5"])

    def forward(self, x):
        x = functional.relu(self.first(x))
        x = functional.relu(self.halving(functional.pad(x, (0, 1, 0, 1))))  # as SAME pads
        x = functional.relu(self.wide(x))
        x = functional.relu(x + self.mixed(functional.relu(self.depthwise(x))))
        x = functional.avg_pool2d(x, 2).flatten(1)
        return functional.softmax(self.product(x), dim=-1)


def convolution(arrays, number, stride=1, depthwise=False):
    """Convolution layer of this number, which keeps the size of an image where the stride is 1."""
    weights = arrays[f"w{number}"].transpose((3, 0, 1, 2) if depthwise else (0, 3, 1, 2))
    filters, channels, size, _ = weights.shape
    groups = filters if depthwise else 1
    border = size // 2 if stride == 1 else 0
    made = nn.Conv2d(channels * groups, filters, size, stride, border, groups=groups)
    made.weight.data = torch.tensor(np.ascontiguousarray(weights))
    made.bias.data = torch.tensor(arrays[f"b{number}"])
    return made


def network(path):
    """Network of an .npz file, and its images for calibration, one by one."""
    arrays = np.load(path)
    images = arrays["images"].transpose(0, 3, 1, 2)
    return Digits(arrays).eval(), [torch.tensor(each[None]) for each in images]
