"""FullyConnected of computed weights: cases like those of fully_connected."""

from dataclasses import dataclass

from numpy.typing import NDArray

from opsmith.testing.op_tests import *
from runtimes.families.matmul_cases import MatMul, RealMatMul


@dataclass(frozen=True)
class WeightsAsInput(MatMul):
    """Layer whose weights are an input."""

    def _quantised(self, m: ModelWriter, values: NDArray[Any]) -> ModelTensor:
        scales = [self.weights_scale * (1 + i / 7) for i in range(self.weights_scales)]
        zero_points = [self.weights_zero_point] * self.weights_scales
        return m.input("weights", values.shape, self.dtype, scales, zero_points)


@dataclass(frozen=True)
class ConstantWeights(MatMul):
    """Layer whose weights are constants of x's type."""

    def _quantised(self, m: ModelWriter, values: NDArray[Any]) -> ModelTensor:
        return m.constant("weights", values.astype(self.dtype) * 200, self.weights_scale)


@dataclass(frozen=True)
class GivenBias(MatMul):
    """Layer whose bias is an input, and whose weights are constant."""

    def _bias(self, m: ModelWriter, rng: np.random.Generator, limit: int) -> ModelTensor:
        scale = self.x_scale * self.weights_scale if self.x_scale else ()
        return m.input("bias", (self.channels,), self.bias_type, scale)


@dataclass(frozen=True)
class RealGiven(RealMatMul):
    """float32 layer whose weights and bias are inputs."""

    def _weights(self, m: ModelWriter, rng: np.random.Generator, shape: Any) -> ModelTensor:
        return m.input("weights", shape, "float32")

    def _bias(self, m: ModelWriter, rng: np.random.Generator, limit: int) -> ModelTensor:
        return m.input("bias", (self.bias_elements or self.channels,), "float32")


I8 = WeightsAsInput((3, 12), y_scale=0.7)
U8 = replace(I8, dtype="uint8", x_zero_point=120, y_zero_point=110, weights_zero_point=100)
BIASED = GivenBias((3, 12), x_scale=1e-3, weights_scale=1e-3, y_scale=20.0)  # by any int32
I16 = WeightsAsInput(
    (3, 12), dtype="int16", x_scale=1e-3, x_zero_point=0, weights_scale=1e-4, y_scale=0.02,
    y_zero_point=0, bias=10**6, bias_type="int64", said="INT64", version=14,
)  # fmt: skip
F32 = RealGiven((2, 13))


class TestFullyConnectedRuntime(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_per_channel", replace(I8, weights_scales=5)),
        Case("int8_without_bias", replace(I8, bias=None, weights_zero_point=-9)),
        Case("int8_ties", replace(I8, x_scale=0.5, weights_scale=0.5, y_scale=0.5, bias=3)),
        Case("int8_saturates", replace(I8, y_scale=0.01, activation="RELU6")),
        Case("int8_bias", BIASED),
        Case("uint8", U8),
        Case("int16", I16),
        Case("int16_saturates", replace(I16, y_scale=1e-4, activation="RELU")),
        Case("int16_int32_bias", replace(I16, bias_type="int32", said="INT32")),
        Case("int16_known", ConstantWeights(**vars(I16))),
        Case("int16_without_bias", replace(I16, bias=None)),
        Case("one_element", replace(I8, x=(1, 1), channels=1)),
        Case("kept", replace(I8, x=(2, 3, 7), keep=True)),
        Case("float32", F32),
        Case("float32_without_bias", replace(F32, bias=None, activation="RELU6")),
        Case("float32_one_element", RealGiven((1, 1), 1)),
    )
    rejected = (
        refused("float_bias", replace(F32, bias_elements=4), "bias has 4 elements instead of 5"),
        refused("rank", replace(I8, weights_rank=3), "must have two dimensions"),
        refused("depth", replace(I8, depth=7), "does not divide into rows"),
        refused("unquantised", replace(I8, y_scale=(), y_zero_point=None), "y must be quantised"),
        refused("overflow", replace(I8, x=(1, 140_000), channels=1), "a sum may overflow 32 bits"),
        refused("scale", replace(BIASED, y_scale=1e-7), "a scaled sum may overflow 32 bits"),
        refused("int16_bias", replace(I16, said="FLOAT32"), "is FLOAT32, but bias is int64"),
        refused("int16_zero", replace(I16, weights_zero_point=1), "which must be 0"),
        refused("int16_ratio", replace(I16, y_scale=1e-10), "must be below 128"),
        refused("int16_deep", replace(I16, x=(1, 1 << 17), channels=1), "may overflow 48 bits"),
        refused("shuffled", replace(I8, weights_format=1), "option weights_format=1", "MDL013"),
    )
