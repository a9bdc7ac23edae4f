"""SVDF: ranks, memories, quantisations, orders of sums, and a state that lasts."""

from dataclasses import dataclass

from opsmith.testing.op_tests import *


@dataclass(frozen=True)
class Svdf:
    """int8 layer; calling it adds it to a model."""

    x: tuple[int, ...] = (1, 9)
    units: int = 4
    rank: int = 2
    memory: int = 3
    scales: tuple[float, float] = (0.02, 0.1)  # of the state and of y
    zero_points: tuple[int, int] = (5, -7)  # of x and of y
    least: int = -127  # the least feature
    weights: int = 127  # the largest over time
    bias: int | None = 1000  # the largest; None: no bias
    biases: int | None = None
    depth: int | None = None  # of the features; None: as x
    state: tuple[int, int] | None = None
    state_zero: int = 0
    state_type: str = "int16"  # and of the weights over time

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(3)
        filters = self.units * self.rank or 3
        features = random.integers(self.least, 128, (filters, self.depth or self.x[-1]))
        features[:, ::8] = self.least
        time = random.integers(-self.weights, self.weights + 1, (filters, self.memory))
        of_state, of_y = self.scales
        inputs = [
            m.input("x", self.x, "int8", 0.05, self.zero_points[0]),
            m.constant("features", features.astype(np.int8), 0.01),
            m.constant("time", time.astype(self.state_type), 0.005),
            None,
            m.tensor(
                "state",
                self.state or (self.x[0], filters * self.memory),
                self.state_type,
                of_state,
                self.state_zero,
                variable=True,
            ),
        ]
        if self.bias is not None:
            values = random.integers(-self.bias, self.bias + 1, self.biases or self.units)
            inputs[3] = m.constant("bias", values.astype(np.int32))
        y = m.tensor("y", (self.x[0], max(self.units, 1)), "int8", of_y, self.zero_points[1])
        options: dict[str, OptionValue] = {
            "rank": self.rank,
            "fused_activation_function": "RELU",
        }
        m.node("SVDF", inputs, [y], options, version=3)
        m.output(y)


@dataclass(frozen=True)
class RealSvdf:
    """float32 layer, also with int8 weights; calling it adds it to a model."""

    x: tuple[int, int] = (2, 9)
    units: int = 3
    rank: int = 2
    memory: int = 5
    activation: str = "NONE"
    bias: int | None = 0  # how many elements beyond the units; None: no bias
    scale: float | None = None  # of weights of int8; None: they are float32
    zero_point: int = 0  # of these
    asymmetric: bool = False

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(3)

        def weights(name: str, *shape: int) -> ModelTensor:
            if self.scale is None:
                return m.constant(name, random.normal(size=shape).astype(np.float32))
            elements = random.integers(-127, 128, shape).astype(np.int8)
            return m.constant(name, elements, self.scale, self.zero_point)

        def bias(size: int) -> ModelTensor:
            return m.constant("bias", random.normal(size=size).astype(np.float32))

        filters = self.units * self.rank
        inputs = [
            m.input("x", self.x, "float32"),
            weights("features", filters, self.x[1]),
            weights("time", filters, self.memory),
            None if self.bias is None else bias(self.units + self.bias),
            m.tensor("state", (self.x[0], filters * self.memory), "float32", variable=True),
        ]
        y = m.tensor("y", (self.x[0], self.units), "float32")
        options: dict[str, OptionValue] = {
            "rank": self.rank,
            "fused_activation_function": self.activation,
            "asymmetric_quantize_inputs": self.asymmetric,
        }
        m.node("SVDF", inputs, [y], options, version=2)
        m.output(y)


class TestSvdf(OpTests):
    cases = cases(
        plain=Svdf(),
        no_bias=Svdf(bias=None),
        batches=Svdf((2, 16), 5, 1, 4),
        least=Svdf((1, 36), 6, 2, 10, least=-128),
        one_element=Svdf((1, 1), 1, 1, 1),
        rank_3=Svdf((1, 7), 3, 3, 8),
        saturates=Svdf(scales=(0.0001, 0.001)),
        zero_points=Svdf(zero_points=(-128, 127)),
        wraps=Svdf(scales=(0.0001, 10.0), weights=32767, memory=8),
        up=Svdf(scales=(0.0001, 0.0000001)),
        f32=RealSvdf(),
        f32_relu=RealSvdf(bias=None, activation="RELU"),
        f32_relu6=RealSvdf((1, 16), rank=1, memory=8, activation="RELU6"),
        f32_relu_n1_to_1=RealSvdf((1, 3), rank=9, memory=3, activation="RELU_N1_TO_1"),
        f32_one_element=RealSvdf((1, 1), 1, 1, 1),
        f32x8=RealSvdf(scale=0.013),
        f32x8_relu=RealSvdf((3, 16), bias=None, activation="RELU", scale=0.013),
        f32x8_asymmetric=RealSvdf(rank=9, scale=0.013, asymmetric=True),
        # Of these rows some have a range whose zero point is rounded from between 0.5 and 1.
        f32x8_zero_points=RealSvdf((150, 9), 1, 1, 1, scale=0.013, asymmetric=True),
        f32x8_one_element=RealSvdf((1, 1), 1, 1, 1, scale=0.013),
    )
    beyond_litert = (
        Case("byte_state", Svdf(scales=(0.5, 0.1), state_type="int8")),
        Case("byte_state_saturates", Svdf(scales=(0.005, 0.03), state_type="int8")),
        Case("byte_state_zero", Svdf(scales=(0.5, 0.1), state_type="int8", state_zero=-50)),
        Case("byte_state_batches", Svdf((2, 16), 5, 1, 4, (0.5, 0.1), state_type="int8")),
    )
    rejected = (
        refused("rank", Svdf((9,)), "x i8[9] must have 2 dimensions"),
        refused("depth", Svdf(depth=8), "do not fit features"),
        refused("no_rank", Svdf(rank=0), "are no multiple of rank 0"),
        refused("state", Svdf(state=(1, 25)), "state i16[1x25] is not 1x24"),
        refused("bias", Svdf(biases=3), "bias has 3 elements instead of 4"),
        refused("f32_bias", RealSvdf(bias=1), "bias has 4 elements instead of 3"),
        refused("f32x8_zero", RealSvdf(scale=0.1, zero_point=3), "must have zero point 0"),
        refused("f32x8_deep", RealSvdf((1, 1 << 17), 1, 1, 1, scale=0.1), "may overflow 32 bits"),
        refused("f32_tanh", RealSvdf(activation="TANH"), "activation TANH is not one of"),
        refused("state_zero", Svdf(state_zero=1), "state must have zero point 0"),
    )
