"""Layers of int8 as requantisation sees sums: their range, biases, rescaling and output limits."""

from __future__ import annotations

import hashlib
from dataclasses import field

from opsmith.op import *
from runtimes.core.output_steps import OUTPUTS, Ints, MonotoneSums
from runtimes.core.per_channel import bias_of
from runtimes.core.rescaling import FixedPoint, OfBytes

# By how much a kernel's sums are more than those of products, by the weights of each channel.
Adds = Callable[[Array], Ints]


@dataclass(frozen=True)
class ByteLayer:
    """Facts of a layer that decide its requantisation constants. Equal layers compare equal, so
    that one answer serves all.
    """

    digest: bytes  # of the weights
    element: str  # of them, as numpy names its type
    channels: int
    bias: bytes
    rescaling: OfBytes
    input_range: tuple[int, int]
    input_zero_point: int
    zero_point: int
    clamp: tuple[int, int]
    less: int  # than their bytes, inputs and outputs
    added: bytes  # to the sums of each channel, by the kernel
    adds: Adds | None = field(compare=False, repr=False)
    rows: Array = field(compare=False, repr=False)  # the weights of each channel

    def first(self, channels: int) -> ByteLayer:
        """Layer of the first `channels` output channels alone."""
        return self.only(np.arange(self.channels) < channels)

    def only(self, some: NDArray[np.bool_]) -> ByteLayer:
        """Layer of the channels in a mask alone."""
        return replace(
            self,
            digest=self.digest + some.tobytes(),
            channels=int(some.sum()),
            bias=np.frombuffer(self.bias, np.int64)[some].tobytes(),
            added=self.additions()[some].tobytes(),
            rescaling=self.rescaling.only(some),
            rows=self.rows[some],
        )

    def folded_bias(self) -> Ints:
        """[channel][1]: bias less the input zero point's products and the kernel's additions."""
        total = self.rows.sum(axis=1, dtype=np.int64)
        bias = np.frombuffer(self.bias, np.int64) - self.additions()
        return np.asarray(bias - self.input_zero_point * total)[:, None]

    def additions(self) -> Ints:
        """[channel]: amounts that the kernel's method adds to sums of products."""
        return np.frombuffer(self.added, np.int64)

    def without_additions(self) -> ByteLayer:
        """Layer for kernels whose method adds nothing to sums of products."""
        return replace(self, added=bytes(len(self.added)))

    def centred(self) -> tuple[ByteLayer, Ints]:
        """Layer whose inputs are less their zero point and whose kernel adds nothing, and by how
        much more the sums of each channel are here.
        """
        total = self.rows.sum(axis=1, dtype=np.int64)
        low, high = (end - self.input_zero_point for end in self.input_range)
        alike = replace(self.without_additions(), input_range=(low, high), input_zero_point=0)
        return alike, self.additions() + self.input_zero_point * total

    def reach(self) -> tuple[Ints, Ints]:
        """Least and greatest sum of products of each channel, for any inputs."""
        low, high = product_bounds(self.rows, self.input_range)
        return low + self.additions(), high + self.additions()

    def sums(self) -> MonotoneSums | None:
        """Sums of the layer by channel, and their clamped outputs; None where 32 bits may wrap."""
        rescaling, bias = self.rescaling, self.folded_bias()
        if isinstance(rescaling, FixedPoint) and np.any(rescaling.constants[1] > 0):
            return None  # sums that are shifted left wrap

        def output(sums: Ints) -> Ints:
            scaled = rescaling((sums + bias).T).T
            return np.asarray(np.clip(scaled + self.zero_point, *self.clamp))

        low, high = self.reach()
        slope = np.broadcast_to(rescaling.slope, self.channels)
        guess = rescaling.first_sums(OUTPUTS - self.zero_point) - bias
        certain = isinstance(rescaling, FixedPoint)
        return MonotoneSums(low, high, output, slope, guess, self.clamp, certain)


def byte_layer(
    node: NodeView,
    weights: Array,
    rescaling: OfBytes,
    origin: int = 0,
    adds: Adds | None = None,
) -> ByteLayer:
    """Facts of a layer; kernels subtract `origin` from inputs; uint8 counts as int8, 128 less."""
    less = 128 if node["x"].dtype == u8 else 0
    low, high = node["x"].dtype.limits
    least, most = clamp_range(node)
    bias = bias_of(node).astype(np.int64)
    if len(bias) != len(weights):
        bias = np.resize(bias, len(weights))
    return ByteLayer(
        hashlib.sha256(np.ascontiguousarray(weights).data).digest(),
        weights.dtype.str,
        len(weights),
        bias.tobytes(),
        rescaling,
        (low - less - origin, high - less - origin),
        node["x"].zero_point - less - origin,
        node["y"].zero_point - less,
        (least - less, most - less),
        less,
        adds(weights).tobytes() if adds else bytes(8 * len(weights)),
        adds,
        weights.reshape(len(weights), -1),
    )


def product_bounds(weights: Array, input_range: tuple[int, int]) -> tuple[Ints, Ints]:
    """Least and greatest Σ w·x of each channel over all inputs in `input_range`."""
    below, above = input_range
    positive = np.maximum(weights, 0).sum(axis=1, dtype=np.int64)
    negative = np.minimum(weights, 0).sum(axis=1, dtype=np.int64)
    return positive * below + negative * above, positive * above + negative * below
