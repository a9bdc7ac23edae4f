"""Small PyTorch networks, each with the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as f

Shapes = tuple[tuple[int, ...], ...]
NETWORKS: dict[str, tuple[Callable[[], nn.Module], Shapes]] = {}
IMAGE: Shapes = ((1, 3, 16, 16),)
SEQUENCE: Shapes = ((1, 12, 8),)
SIGNAL: Shapes = ((1, 4, 32),)
FLAT: Shapes = ((1, 16),)


class Applied(nn.Module):
    """PyTorch module that applies a function to its inputs and layers."""

    def __init__(self, function: Callable[..., Tensor], **layers: nn.Module) -> None:
        super().__init__()
        self.function = function
        self.layers = nn.ModuleDict(layers)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Result of the module's function."""
        return self.function(*inputs, **self.layers)


def network(shapes: Shapes) -> Callable[[Callable[[], nn.Module]], Callable[[], nn.Module]]:
    """Decorator that lists a function as the maker of a network with inputs of the given shapes."""

    def listed(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        NETWORKS[make.__name__] = make, shapes
        return make

    return listed


def _conv(of: int, to: int, size: int = 3, **options: Any) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(of, to, size, padding=size // 2, bias=False, **options),
        nn.BatchNorm2d(to),
        nn.ReLU6(),
    )


def _head(channels: int, classes: int = 10) -> nn.Module:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


@network(FLAT)
def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4), nn.Softmax(-1))


@network(FLAT)
def autoencoder() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 4), nn.Tanh(), nn.Linear(4, 16), nn.Sigmoid())


@network(FLAT)
def layer_norm_mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 4))


@network(FLAT)
def activations() -> nn.Module:
    return nn.Sequential(
        nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 16), nn.ELU(), nn.Linear(16, 16),
        nn.Hardswish(), nn.Linear(16, 16), nn.LeakyReLU(), nn.Linear(16, 4), nn.Softplus(),
    )  # fmt: skip


@network(IMAGE)
def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3), nn.ReLU(),
        nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32, 10), nn.LogSoftmax(-1),
    )  # fmt: skip


@network(IMAGE)
def vgg() -> nn.Module:
    return nn.Sequential(_conv(3, 8), _conv(8, 8), nn.MaxPool2d(2), _conv(8, 16), _head(16))


@network(IMAGE)
def mobilenet_v1() -> nn.Module:
    return nn.Sequential(
        _conv(3, 8, stride=2), _conv(8, 8, groups=8), _conv(8, 16, 1),
        _conv(16, 16, groups=16, stride=2), _conv(16, 24, 1), _head(24),
    )  # fmt: skip


@network(IMAGE)
def mobilenet_v2() -> nn.Module:
    def joined(x: Tensor, stem: nn.Module, block: nn.Module, head: nn.Module) -> Tensor:
        y = stem(x)
        return head(y + block(y))

    block = nn.Sequential(
        _conv(8, 32, 1), _conv(32, 32, groups=32), nn.Conv2d(32, 8, 1), nn.BatchNorm2d(8)
    )
    return Applied(joined, stem=_conv(3, 8, stride=2), block=block, head=_head(8))


@network(IMAGE)
def resnet() -> nn.Module:
    def joined(x: Tensor, stem: nn.Module, block: nn.Module, head: nn.Module) -> Tensor:
        y = stem(x)
        return head(f.relu(y + block(y)))

    return Applied(joined, stem=_conv(3, 8), block=_conv(8, 8), head=_head(8))


@network(IMAGE)
def densenet() -> nn.Module:
    def joined(x: Tensor, a: nn.Module, b: nn.Module, head: nn.Module) -> Tensor:
        y = torch.cat([x, a(x)], 1)
        return head(torch.cat([y, b(y)], 1))

    return Applied(joined, a=_conv(3, 5), b=_conv(8, 8), head=_head(16))


@network(IMAGE)
def squeeze_excite() -> nn.Module:
    def scaled(x: Tensor, stem: nn.Module, gate: nn.Module, head: nn.Module) -> Tensor:
        y = stem(x)
        return head(y * torch.sigmoid(gate(y.mean((2, 3), keepdim=True))))

    gate = nn.Sequential(nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1))
    return Applied(scaled, stem=_conv(3, 8), gate=gate, head=_head(8))


@network(IMAGE)
def shuffle() -> nn.Module:
    def shuffled(x: Tensor, stem: nn.Module, head: nn.Module) -> Tensor:
        y = stem(x).reshape(1, 2, 4, 16, 16).transpose(1, 2)
        return head(y.reshape(1, 8, 16, 16))

    return Applied(shuffled, stem=_conv(3, 8), head=_head(8))


@network(IMAGE)
def unet() -> nn.Module:
    def joined(x: Tensor, a: nn.Module, b: nn.Module, up: nn.Module, out: nn.Module) -> Tensor:
        y = a(x)
        return out(torch.cat([y, up(b(f.max_pool2d(y, 2)))], 1))

    up = nn.ConvTranspose2d(16, 8, 2, stride=2)
    return Applied(joined, a=_conv(3, 8), b=_conv(8, 16), up=up, out=nn.Conv2d(16, 2, 1))


@network(IMAGE)
def segmenter() -> nn.Module:
    def larger(x: Tensor, stem: nn.Module, out: nn.Module) -> Tensor:
        return f.interpolate(out(stem(x)), scale_factor=2, mode="bilinear", align_corners=False)

    return Applied(larger, stem=_conv(3, 8, stride=2), out=nn.Conv2d(8, 2, 1))


@network(IMAGE)
def nearest() -> nn.Module:
    return nn.Sequential(_conv(3, 8, stride=2), nn.Upsample(scale_factor=2), nn.Conv2d(8, 3, 1))


@network(IMAGE)
def super_resolution() -> nn.Module:
    return nn.Sequential(_conv(3, 8), nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2))


@network(IMAGE)
def dilated() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=2, dilation=2), nn.PReLU(8), _head(8))


@network(IMAGE)
def instance_norm() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8), nn.ReLU(), _head(8))


@network(IMAGE)
def group_norm() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.SiLU(), _head(8))


@network(IMAGE)
def reflected() -> nn.Module:
    return nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.ReLU(), _head(8))


@network(IMAGE)
def detector() -> nn.Module:
    def rows(x: Tensor, stem: nn.Module, out: nn.Module) -> Tensor:
        return torch.sigmoid(out(stem(x))).permute(0, 2, 3, 1).reshape(1, -1, 5)

    return Applied(rows, stem=_conv(3, 8, stride=2), out=nn.Conv2d(8, 10, 1))


@network(SIGNAL)
def conv_1d() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(4, 8, 3, stride=2), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 8, 3),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, 4),
    )  # fmt: skip


@network(SIGNAL)
def temporal() -> nn.Module:
    return nn.Sequential(
        nn.ConstantPad1d((4, 0), 0.0), nn.Conv1d(4, 8, 3, dilation=2), nn.ReLU(),
        nn.MaxPool1d(2), nn.Flatten(), nn.Linear(128, 4),
    )  # fmt: skip


@network(SEQUENCE)
def lstm() -> nn.Module:
    def last(x: Tensor, layer: nn.Module, out: nn.Module) -> Tensor:
        return out(layer(x)[0][:, -1])

    return Applied(last, layer=nn.LSTM(8, 6, batch_first=True), out=nn.Linear(6, 3))


@network(SEQUENCE)
def gru() -> nn.Module:
    def last(x: Tensor, layer: nn.Module, out: nn.Module) -> Tensor:
        return out(layer(x)[0][:, -1])

    return Applied(last, layer=nn.GRU(8, 6, batch_first=True), out=nn.Linear(6, 3))


@network(SEQUENCE)
def attention() -> nn.Module:
    def attended(x: Tensor, q: nn.Module, k: nn.Module, v: nn.Module) -> Tensor:
        return torch.softmax(q(x) @ k(x).transpose(1, 2), -1) @ v(x)

    return Applied(attended, q=nn.Linear(8, 8), k=nn.Linear(8, 8), v=nn.Linear(8, 8))


@network(SEQUENCE)
def transformer() -> nn.Module:
    def encoded(
        x: Tensor, qkv: nn.Module, out: nn.Module, first: nn.Module, then: nn.Module
    ) -> Tensor:
        q, k, v = qkv(x).reshape(1, 12, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        y = torch.softmax(q @ k.transpose(-1, -2) / 2, -1) @ v
        y = first(x + out(y.transpose(1, 2).reshape(1, 12, 8)))
        return y + then(y)

    then = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.LayerNorm(8))
    layers = {"out": nn.Linear(8, 8), "first": nn.LayerNorm(8), "then": then}
    return Applied(encoded, qkv=nn.Linear(8, 24), **layers)


@network(SEQUENCE)
def mixer() -> nn.Module:
    def mixed(x: Tensor, tokens: nn.Module, channels: nn.Module) -> Tensor:
        y = x + tokens(x.transpose(1, 2)).transpose(1, 2)
        return (y + channels(y)).mean(1)

    tokens = nn.Sequential(nn.LayerNorm(12), nn.Linear(12, 12), nn.GELU())
    channels = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU())
    return Applied(mixed, tokens=tokens, channels=channels)


@network(SEQUENCE)
def cumulative() -> nn.Module:
    return Applied(lambda x: torch.cumsum(x, 1).clamp(-3, 3))


@network(((1, 16), (1, 16)))
def two_inputs() -> nn.Module:
    def compared(x: Tensor, y: Tensor, layer: nn.Module) -> Tensor:
        a, b = layer(x), layer(y)
        return torch.maximum(a, b) - torch.minimum(a, b)

    return Applied(compared, layer=nn.Linear(16, 8))
