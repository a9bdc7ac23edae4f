"""Random networks whose first layers can run row by row, as .tflite bytes."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from opsmith.tflite.emitter import Tensor
from tests.unit.networks import Network

Layer = Callable[[Tensor], Tensor]


class RowNetwork(Network):
    """Higher images, layers that have rows, and branches that meet again after more of them.

    Many widths and channels make rows of 16 bytes, which need no copy.
    """

    sizes = (st.integers(5, 15), st.sampled_from([1, 2, 4, 5]), st.sampled_from([1, 4, 8]))
    strides = (1, 1, 2)

    def layers(self) -> list[Layer]:
        some = [self.convolution, self.depthwise, self.depthwise, self.pool]
        more = [self.add, self.concatenation, self.elementwise, self.mean]
        return [*some, self.residual, self.residual, *more]

    def mean(self, x: Tensor) -> Tensor:
        """Of windows that do not overlap, often of all rows."""
        height = self.draw(st.sampled_from([x.shape[1], x.shape[1], (x.shape[1] + 1) // 2]))
        width = self.draw(st.integers(1, x.shape[2]))
        y = self.made((1, x.shape[1] // height, x.shape[2] // width, x.shape[3]), self.like(x))
        options: dict[str, int | str] = {"padding": "VALID", "stride_w": width, "stride_h": height}
        options |= {"filter_height": height, "filter_width": width}
        options["fused_activation_function"] = self.activation()
        self.model.node("AVERAGE_POOL_2D", [x], [y], options, version=2)
        return y

    def grow(self) -> None:
        self.images.append(self.convolution(self.images[-1]))
        super().grow()

    def convolution(self, x: Tensor) -> Tensor:
        size = self.filter_size()
        return self.convolved(x, size, *self.window(x, size))

    def convolved(
        self, x: Tensor, size: tuple[int, int], options: dict[str, int | str], sizes: list[int]
    ) -> Tensor:
        channels = self.draw(st.sampled_from([4, 8, 3]))
        constants = self.weights((channels, *size, x.shape[3]), 0, x)
        y = self.made((1, *sizes, channels), self.quantization())
        self.model.node("CONV_2D", [x, *constants], [y], options, version=3)
        return y

    def residual(self, x: Tensor) -> Tensor:
        """x, or some pixels of it, and what one or two windows make of it."""
        stride = self.draw(st.sampled_from(self.strides))
        options: dict[str, int | str] = {"padding": "SAME", "stride_w": stride, "stride_h": stride}
        sizes = [-(-size // stride) for size in x.shape[1:3]]
        a = self.like_it(x, x, (1, 1), options, sizes) if stride > 1 else x
        b = self.like_it(x, a, (3, 3), options, sizes)
        if self.draw(st.booleans()):
            plain: dict[str, int | str] = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
            b = self.like_it(b, a, (3, 1), plain, sizes)
        y = self.made(a.shape, self.quantization())
        self.images += [] if a is x else [a]
        self.model.node("ADD", [a, b], [y], {"fused_activation_function": self.activation()})
        return y

    def like_it(
        self,
        x: Tensor,
        like: Tensor,
        size: tuple[int, int],
        options: dict[str, int | str],
        sizes: list[int],
    ) -> Tensor:
        """A convolution of x with as many channels as the other."""
        constants = self.weights((like.shape[3], *size, x.shape[3]), 0, x)
        y = self.made((1, *sizes, like.shape[3]), self.quantization())
        self.model.node("CONV_2D", [x, *constants], [y], options, version=3)
        return y


class FrameNetwork(RowNetwork):
    """VALID and of stride 1 along time, with frames for all the layers."""

    sizes = (st.integers(26, 30), st.sampled_from([1, 2, 4]), st.sampled_from([1, 4, 8]))

    def layers(self) -> list[Layer]:
        return [self.convolution, self.depthwise, self.pool, self.add, self.add, self.elementwise]

    def filter_size(self) -> tuple[int, int]:
        return self.draw(st.sampled_from([(1, 1), (3, 1), (2, 1), (4, 1)]))

    def window(self, x: Tensor, sizes: tuple[int, int]) -> tuple[dict[str, int | str], list[int]]:
        options: dict[str, int | str] = {"padding": "VALID", "stride_w": 1, "stride_h": 1}
        options["fused_activation_function"] = self.activation()
        reach = zip(sizes, x.shape[1:3], strict=True)
        return options, [image - size + 1 for size, image in reach]


@st.composite
def row_networks(draw: st.DrawFn) -> bytes:
    """A .tflite file of a network for rows."""
    return _grown(RowNetwork(draw))


@st.composite
def frame_networks(draw: st.DrawFn) -> bytes:
    """A .tflite file of a network for frames."""
    return _grown(FrameNetwork(draw))


def _grown(made: Network) -> bytes:
    made.grow()
    return made.model.bytes()
