"""Networks of PyTorch that CortexMQuantizer quantises, each with the sizes of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as f

Sizes = tuple[tuple[int, ...], ...]
IMAGE: Sizes = ((1, 8, 10, 10),)
FLAT: Sizes = ((1, 64),)


class Applied(nn.Module):
    """PyTorch module that applies a function to its inputs and layers."""

    def __init__(self, function: Callable[..., Tensor], *layers: nn.Module) -> None:
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Result of the module's function."""
        return self.function(*inputs, *self.layers)


def of(function: Callable[..., Tensor], *layers: nn.Module) -> Callable[[], nn.Module]:
    """Maker of the network that applies a function to its inputs and the given layers."""
    return lambda: Applied(function, *layers)


def conv(of: int, to: int, size: int = 3, **options: Any) -> nn.Module:
    """Layers of a convolution, batch norm and ReLU6, as in MobileNet."""
    layer = nn.Conv2d(of, to, size, padding=size // 2, bias=False, **options)
    return nn.Sequential(layer, nn.BatchNorm2d(to), nn.ReLU6())


def head(channels: int, classes: int = 10) -> nn.Module:
    """Classifier head: the average of each channel, then a linear layer."""
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


class Residual(nn.Module):
    """Residual block: the sum of a block and its input, or a convolution of its input."""

    def __init__(self, block: nn.Module, beside: nn.Module, last: nn.Module) -> None:
        super().__init__()
        self.block, self.beside, self.last = block, beside, last

    def forward(self, x: Tensor) -> Tensor:
        """Sum of the block and the shortcut."""
        return self.last(self.beside(x) + self.block(x))


def inverted(of: int, to: int, stride: int, factor: int) -> nn.Module:
    """Inverted residual block of MobileNetV2."""
    wide = of * factor
    layers = [conv(of, wide, 1)] if factor > 1 else []
    layers += [conv(wide, wide, groups=wide, stride=stride), nn.Conv2d(wide, to, 1, bias=False)]
    block = nn.Sequential(*layers, nn.BatchNorm2d(to))
    return Residual(block, nn.Identity(), nn.Identity()) if of == to and stride == 1 else block


def mobilenet_v2(width: float = 1.0, classes: int = 1000) -> nn.Module:
    """MobileNetV2, with the rows of its paper."""

    def wide(channels: float) -> int:
        found = max(8, int(channels + 4) // 8 * 8)
        return found + 8 if found < 0.9 * channels else found

    channels = wide(32 * width)
    layers = [conv(3, channels, stride=2)]
    rows = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1))
    for factor, count, times, stride in (*rows, (6, 160, 3, 2), (6, 320, 1, 1)):
        for index in range(times):
            to = wide(count * width)
            layers.append(inverted(channels, to, stride if index == 0 else 1, factor))
            channels = to
    last = wide(1280 * max(1.0, width))
    return nn.Sequential(*layers, conv(channels, last, 1), head(last, classes))


def resnet(blocks: tuple[int, ...] = (1, 1, 1), width: int = 16, classes: int = 10) -> nn.Module:
    """ResNet of basic blocks, as MLPerf Tiny's for images of 32 x 32."""

    def plain(of: int, to: int, stride: int = 1) -> nn.Module:
        layer = nn.Conv2d(of, to, 3, stride, 1, bias=False)
        return nn.Sequential(layer, nn.BatchNorm2d(to))

    layers, channels = [plain(3, width), nn.ReLU()], width
    for group, count in enumerate(blocks):
        for index in range(count):
            to, stride = width << group, 2 if group and not index else 1
            body = nn.Sequential(plain(channels, to, stride), nn.ReLU(), plain(to, to))
            same = to == channels and stride == 1
            beside = nn.Identity() if same else nn.Conv2d(channels, to, 1, stride)
            layers.append(Residual(body, beside, nn.ReLU()))
            channels = to
    return nn.Sequential(*layers, head(channels, classes))


def ds_cnn() -> nn.Module:
    """DS-CNN, MLPerf Tiny's network for keyword spotting."""
    layers = [nn.Conv2d(1, 64, (10, 4), 2, (4, 1)), nn.ReLU()]
    for _ in range(4):
        layers += [nn.Conv2d(64, 64, 3, padding=1, groups=64), nn.ReLU()]
        layers += [nn.Conv2d(64, 64, 1), nn.ReLU()]
    return nn.Sequential(*layers, head(64, 12), nn.Softmax(-1))


def autoencoder() -> nn.Module:
    """Autoencoder for anomalies, smaller than MLPerf Tiny's."""
    sizes = (64, 48, 48, 8, 48, 64)
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def squeeze_excite() -> nn.Module:
    """Network that scales channels by a function of their averages."""
    gate = (nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1))
    return Applied(lambda x, g: x * torch.sigmoid(g(x)), nn.Sequential(*gate))


def up(**options: Any) -> Callable[[], nn.Module]:
    """Maker of the network of a transposed convolution."""
    return lambda: nn.ConvTranspose2d(8, 6, 3, **options)


OPERATORS: dict[str, tuple[Callable[[], nn.Module], Sizes]] = {
    "conv": (lambda: nn.Conv2d(8, 12, 3), IMAGE),
    "conv_pad_stride": (lambda: nn.Conv2d(8, 12, 3, 2, 1), IMAGE),
    "conv_relu": (lambda: nn.Sequential(nn.Conv2d(8, 12, 1), nn.ReLU()), IMAGE),
    "conv_hardtanh": (lambda: nn.Sequential(nn.Conv2d(8, 12, 3), nn.Hardtanh(-0.3, 0.4)), IMAGE),
    "depthwise": (lambda: nn.Conv2d(8, 8, 3, padding=1, groups=8), IMAGE),
    "depthwise_two": (lambda: nn.Conv2d(8, 16, 3, 2, groups=8), IMAGE),
    "conv_transpose": (up(stride=2), IMAGE),
    "conv_transpose_pad": (up(stride=2, padding=1, output_padding=1), IMAGE),
    "linear": (lambda: nn.Linear(64, 20), FLAT),
    "linear_relu": (lambda: nn.Sequential(nn.Linear(64, 20), nn.ReLU()), FLAT),
    "linear_rows": (lambda: nn.Linear(10, 7), IMAGE),
    "matmul": (of(torch.matmul), ((2, 6, 9), (2, 9, 5))),
    "add": (of(torch.add), IMAGE * 2),
    "add_relu": (of(lambda x, y: f.relu(x + y)), IMAGE * 2),
    "add_channel": (of(torch.add), (*IMAGE, (1, 8, 1, 1))),
    "sub": (of(torch.sub), IMAGE * 2),
    "mul": (of(torch.mul), IMAGE * 2),
    "mul_channel": (of(torch.mul), (*IMAGE, (1, 8, 1, 1))),
    "div": (of(lambda x, y: x / (y.abs() + 0.5)), IMAGE * 2),
    "minimum": (of(torch.minimum), IMAGE * 2),
    "maximum": (of(torch.maximum), IMAGE * 2),
    "max_pool": (lambda: nn.MaxPool2d(3, 2, 1), IMAGE),
    "avg_pool": (lambda: nn.AvgPool2d(2), IMAGE),
    "avg_pool_three": (lambda: nn.AvgPool2d(3, 2), IMAGE),
    "avg_pool_pad": (lambda: nn.AvgPool2d(3, 2, 1), IMAGE),
    "global_average": (lambda: nn.AdaptiveAvgPool2d(1), IMAGE),
    "mean": (of(lambda x: x.mean((2, 3))), IMAGE),
    "softmax": (lambda: nn.Softmax(-1), FLAT),
    "sigmoid": (of(torch.sigmoid), FLAT),
    "tanh": (of(torch.tanh), FLAT),
    "silu": (lambda: nn.SiLU(), FLAT),
    "gelu": (lambda: nn.GELU(), FLAT),
    "hardswish": (lambda: nn.Sequential(nn.Conv2d(8, 12, 3), nn.Hardswish()), IMAGE),
    "hardsigmoid": (lambda: nn.Sequential(nn.Linear(64, 20), nn.Hardsigmoid()), FLAT),
    "conv_hardsigmoid": (lambda: nn.Sequential(nn.Conv2d(8, 12, 3), nn.Hardsigmoid()), IMAGE),
    "sqrt": (of(lambda x: torch.sqrt(f.relu(x))), FLAT),
    "pad": (of(lambda x: f.pad(x, (1, 2, 0, 1))), IMAGE),
    "permute": (of(lambda x: x.permute(0, 2, 3, 1)), IMAGE),
    "cat": (of(lambda x, y: torch.cat([x, y], 1)), IMAGE * 2),
    "float_between": (of(lambda x: torch.sin(x) * 0.7 + x), FLAT),
}
NETWORKS: dict[str, tuple[Callable[[], nn.Module], Sizes]] = {
    "autoencoder": (autoencoder, FLAT),
    "ds_cnn": (ds_cnn, ((1, 1, 49, 10),)),
    "resnet_8": (resnet, ((1, 3, 32, 32),)),
    "squeeze_excite": (squeeze_excite, IMAGE),
    "mobilenet_v2": (mobilenet_v2, ((1, 3, 96, 96),)),
    "resnet_18": (lambda: resnet((2, 2, 2, 2), 64, 1000), ((1, 3, 32, 32),)),
}
FLOATS = {
    "mobilenet_v2_float": NETWORKS["mobilenet_v2"],
    "resnet_18_float": NETWORKS["resnet_18"],
}
EVERY = {**OPERATORS, **NETWORKS, **FLOATS}
