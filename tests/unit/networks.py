"""Random small int8 networks with constant and dead channels, as .tflite bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from opsmith.tflite.emitter import Tensor
from opsmith.tflite.writer import ModelWriter

SOME = st.sampled_from([0.0, 0.1, 0.3])  # share of channels


class Network:
    """A network under construction: every layer reads tensors that are there and adds one."""

    sizes = (st.integers(2, 6), st.integers(1, 6), st.integers(2, 6))  # of the input

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self.model = ModelWriter()
        sizes = draw(st.tuples(*self.sizes))
        scale, zero_point = self.quantization()
        self.images = [self.model.input("x", (1, *sizes), "int8", scale, zero_point)]
        self.rows: list[Tensor] = []  # of rank 2

    def quantization(self) -> tuple[float, int]:
        """Often zero at the lower end, as after a ReLU."""
        zero_point = self.draw(st.sampled_from([-128, -128, -100, -20, 3, 60]))
        return self.draw(st.sampled_from([0.03, 0.05, 0.1])), zero_point

    def like(self, x: Tensor) -> tuple[float, int]:
        return x.scale[0], x.zero_point[0]

    def made(self, shape: tuple[int, ...], quantization: tuple[float, int]) -> Tensor:
        return self.model.tensor(
            f"t{len(self.model.content.tensors)}", shape, "int8", *quantization
        )

    def activation(self) -> str:
        return self.draw(st.sampled_from(["NONE", "NONE", "RELU", "RELU", "RELU6"]))

    def weights(self, shape: tuple[int, ...], axis: int, x: Tensor) -> list[Tensor]:
        """Weights and bias of which some channels are zero, and some saturate every output.

        Scales are such that the others use all of a y of scale 0.05.
        """
        random, channels = self.random, shape[axis]
        values = random.integers(-127, 128, shape)
        values[random.random(shape) < self.draw(st.sampled_from([0.0, 0.0, 0.5]))] = 0
        lost = [random.random(size) < self.draw(SOME) for size in (channels, shape[-1])]
        np.moveaxis(values, axis, 0)[lost[0]] = 0
        values[..., lost[1]] = 0
        others = tuple(i for i in range(len(shape)) if i != axis)
        reach = 255 * np.abs(values).sum(axis=others)
        push = np.where(random.random(channels) < self.draw(SOME), random.choice([-1, 1]), 0)
        bias = ((push + random.uniform(-0.1, 0.1, channels)) * (reach + 100)).astype(np.int32)
        typical = 0.05 / x.scale[0] / np.sqrt(1 + values.size / channels) / 60
        scales = (random.uniform(0.5, 3, channels) * typical).tolist()
        number = len(self.model.content.tensors)
        zeros = (0,) * channels
        w = self.model.constant(f"w{number}", values.astype(np.int8), scales, zeros, axis=axis)
        b = self.model.constant(
            f"b{number}", bias, [x.scale[0] * scale for scale in scales], zeros, axis=0
        )
        return [w, b]

    def window(self, x: Tensor, sizes: tuple[int, int]) -> tuple[dict[str, int | str], list[int]]:
        """Options of a sliding window, and the size of what it gives."""
        same = self.draw(st.booleans()) or any(
            s > image for s, image in zip(sizes, x.shape[1:3], strict=True)
        )
        stride = self.draw(st.integers(1, 2))
        padding = "SAME" if same else "VALID"
        options: dict[str, int | str] = {"padding": padding, "stride_w": stride, "stride_h": stride}
        options["fused_activation_function"] = self.activation()
        reach = [
            image if same else image - size + 1
            for size, image in zip(sizes, x.shape[1:3], strict=True)
        ]
        return options, [-(-size // stride) for size in reach]

    def filter_size(self) -> tuple[int, int]:
        return self.draw(st.sampled_from([(1, 1), (3, 3), (2, 1), (1, 3), (2, 2)]))

    def convolution(self, x: Tensor) -> Tensor:
        size, channels = self.filter_size(), x.shape[3]
        groups = self.draw(st.sampled_from([1, 1, 1, channels]))
        filters = groups * self.draw(st.integers(1 + 6 // groups, 1 + 9 // groups))
        options, sizes = self.window(x, size)
        constants = self.weights((filters, *size, channels // groups), 0, x)
        y = self.made((1, *sizes, filters), self.quantization())
        self.model.node("CONV_2D", [x, *constants], [y], options, version=3)
        return y

    def depthwise(self, x: Tensor) -> Tensor:
        size = self.filter_size()
        multiplier = self.draw(st.integers(1, 2))
        options, sizes = self.window(x, size)
        constants = self.weights((1, *size, x.shape[3] * multiplier), 3, x)
        y = self.made((1, *sizes, x.shape[3] * multiplier), self.quantization())
        options["depth_multiplier"] = multiplier
        self.model.node("DEPTHWISE_CONV_2D", [x, *constants], [y], options, version=3)
        return y

    def pool(self, x: Tensor) -> Tensor:
        size = (min(2, x.shape[1]), min(3, x.shape[2]))
        options, sizes = self.window(x, size)
        options |= {"filter_height": size[0], "filter_width": size[1]}
        y = self.made((1, *sizes, x.shape[3]), self.like(x))
        name = self.draw(st.sampled_from(["AVERAGE_POOL_2D", "MAX_POOL_2D"]))
        self.model.node(name, [x], [y], options, version=2)
        return y

    def pad(self, x: Tensor) -> Tensor:
        borders = np.zeros((4, 2), np.int32)
        borders[1:3] = self.random.integers(0, 3, (2, 2))
        borders[3] = self.draw(st.sampled_from([(0, 0), (0, 0), (0, 0), (1, 0), (0, 2)]))
        shape = tuple(int(s + b.sum()) for s, b in zip(x.shape, borders, strict=True))
        number = len(self.model.content.tensors)
        y = self.made(shape, self.like(x))
        given = [x, self.model.constant(f"p{number}", borders)]
        if self.draw(st.booleans()):
            value = np.array([self.random.integers(-128, 128)], np.int8)
            given.append(self.model.constant(f"v{number}", value, *self.like(x)))
        name = "PAD" if len(given) == 2 else "PADV2"
        self.model.node(name, given, [y], version=2)
        return y

    def add(self, x: Tensor) -> Tensor:
        """ADD or the like with something of the same shape, with one pixel, or with itself."""
        others = [t for t in self.images if t.shape == x.shape]
        other = self.draw(st.sampled_from([*others, None]))
        if other is None:
            shape = self.draw(st.sampled_from([(x.shape[3],), (1,)]))
            values = self.random.integers(-128, 128, shape).astype(np.int8)
            name = f"k{len(self.model.content.tensors)}"
            other = self.model.constant(name, values, *self.quantization())
        name = self.draw(st.sampled_from(["ADD", "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"]))
        compares = name in ("MAXIMUM", "MINIMUM")
        y = self.made(x.shape, self.like(x) if compares else self.quantization())
        options = {} if compares else {"fused_activation_function": self.activation()}
        self.model.node(name, [x, other], [y], options, version=2)
        return y

    def concatenation(self, x: Tensor) -> Tensor:
        """With all that can be next to it along some axis."""
        axis = self.draw(st.sampled_from([3, 3, 1]))
        fits = [
            t for t in self.images
            if self.like(t) == self.like(x)
            and all(t.shape[i] == x.shape[i] for i in range(4) if i != axis)
        ]  # fmt: skip
        parts = self.draw(st.lists(st.sampled_from(fits), min_size=1, max_size=3))
        shape = list(x.shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        y = self.made(tuple(shape), self.like(x))
        self.model.node("CONCATENATION", parts, [y], {"axis": axis})
        return y

    def slice(self, x: Tensor) -> Tensor:
        """Some pixels, most often of all channels."""
        begin = [0, *(self.draw(st.integers(0, size - 1)) for size in x.shape[1:3])]
        begin.append(self.draw(st.sampled_from([0, 0, 0, x.shape[3] - 1])))
        strides = [1, self.draw(st.integers(1, 2)), 1, 1]
        sizes = [len(range(b, e, s)) for b, e, s in zip(begin, x.shape, strides, strict=True)]
        number = len(self.model.content.tensors)
        bounds = [
            self.model.constant(f"{name}{number}", np.array(values, np.int32))
            for name, values in (("begin", begin), ("end", x.shape), ("strides", strides))
        ]
        y = self.made(tuple(sizes), self.like(x))
        self.model.node("STRIDED_SLICE", [x, *bounds], [y])
        return y

    def elementwise(self, x: Tensor) -> Tensor:
        name = self.draw(st.sampled_from(["RELU", "RELU6", "QUANTIZE"]))
        y = self.made(x.shape, self.draw(st.sampled_from([self.like(x), self.quantization()])))
        self.model.node(name, [x], [y], version=2)
        return y

    def reshape(self, x: Tensor) -> Tensor:
        """To another image of as many elements."""
        _, a, b, c = x.shape
        shapes = [
            (1, b, a, c),
            (1, 1, a, b * c),
            (1, 1, 1, a * b * c),
            (1, c, b, a),
            (1, a * b, c, 1),
        ]
        y = self.made(self.draw(st.sampled_from(shapes)), self.like(x))
        self.model.node("RESHAPE", [x], [y], {"new_shape": list(y.shape)})
        return y

    def transpose(self, x: Tensor) -> Tensor:
        """The axes of an image in another order; now and then of one that was put in order."""
        order = self.draw(st.sampled_from([(0, 2, 1, 3), (0, 3, 1, 2), (0, 2, 3, 1), (0, 1, 2, 3)]))
        y = self.made(tuple(x.shape[axis] for axis in order), self.like(x))
        perm = self.model.constant(f"o{len(self.model.content.tensors)}", np.array(order, np.int32))
        self.model.node("TRANSPOSE", [x, perm], [y])
        return y

    def split(self, x: Tensor) -> Tensor:
        """Two parts along an axis, put together the other way round."""
        axis = self.draw(st.sampled_from([1, 2, 3]))
        first = self.draw(st.integers(1, max(1, x.shape[axis] - 1)))
        sizes = [size for size in (first, x.shape[axis] - first) if size]
        number = len(self.model.content.tensors)
        given = [
            self.model.constant(f"sizes{number}", np.array(sizes, np.int32)),
            self.model.constant(f"axis{number}", np.array(axis, np.int32)),
        ]
        shapes = [(*x.shape[:axis], size, *x.shape[axis + 1 :]) for size in sizes]
        parts = [self.made(shape, self.like(x)) for shape in shapes]
        self.model.node("SPLIT_V", [x, *given], parts, {"num_splits": len(parts)})
        y = self.made(x.shape, self.like(x))
        self.model.node("CONCATENATION", parts[::-1], [y], {"axis": axis})
        return y

    def rows_of(self, x: Tensor) -> Tensor:
        """A mean over the image, or all of it in one row."""
        if self.draw(st.booleans()):
            y = self.made((1, x.shape[3]), self.quantization())
            axes = self.model.constant(y.name + "axes", np.array([1, 2], np.int32))
            self.model.node("MEAN", [x, axes], [y], {"keep_dims": False}, version=2)
        else:
            y = self.made((1, int(np.prod(x.shape))), self.like(x))
            self.model.node("RESHAPE", [x], [y], {"new_shape": list(y.shape)})
        return y

    def fully_connected(self, x: Tensor) -> Tensor:
        channels = self.draw(st.integers(2, 6))
        depth = int(np.prod(x.shape))
        w, b = self.weights((channels, depth), 0, x)
        y = self.made((1, channels), self.quantization())
        options = {"fused_activation_function": self.activation()}
        bias = self.draw(st.sampled_from([b, b, None]))
        self.model.node("FULLY_CONNECTED", [x, w, bias], [y], options, version=9)
        return y

    def layers(self) -> list[Callable[[Tensor], Tensor]]:
        """What may come next."""
        return [
            self.convolution, self.convolution, self.depthwise, self.pool, self.pad,
            self.add, self.add, self.elementwise, self.reshape, self.concatenation, self.slice,
            self.transpose, self.split,
        ]  # fmt: skip

    def grow(self) -> None:
        """A few layers, most of them after the one before, and some outputs."""
        layers = self.layers()
        for _ in range(self.draw(st.integers(1, 7))):
            layer = self.draw(st.sampled_from(layers))
            near = self.images[-1:] if self.draw(st.integers(0, 3)) else self.images
            self.images.append(layer(self.draw(st.sampled_from(near))))
        for _ in range(self.draw(st.integers(0, 3))):
            source = self.rows_of(self.images[-1]) if not self.rows else self.rows[-1]
            self.rows.append(self.fully_connected(source) if source in self.rows else source)
        everything = [*self.images[1:], *self.rows]
        last = everything[-1:]
        more = self.draw(st.lists(st.sampled_from(everything), max_size=1))
        self.model.output(*dict.fromkeys([*last, *more]))


@st.composite
def networks(draw: st.DrawFn) -> bytes:
    """A .tflite file of such a network."""
    made = Network(draw)
    made.grow()
    return made.model.bytes()
