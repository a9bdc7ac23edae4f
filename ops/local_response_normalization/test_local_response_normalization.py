"""LocalResponseNormalization: windows of every size, and powers from a C library, as LiteRT has."""

from opsmith.testing.op_cases import numpy_reference
from opsmith.testing.op_tests import *


def norm(
    x: Sequence[int] = (2, 3, 2, 9),
    radius: int = 2,
    bias: float = 2.0,
    alpha: float = 0.3,
    beta: float = 0.75,
) -> Build:
    """Normalisation of float32 to build."""
    options = {"radius": radius, "bias": bias, "alpha": alpha, "beta": beta}
    tensor = (x, "float32")
    return one_node("LOCAL_RESPONSE_NORMALIZATION", {"x": tensor}, {"y": tensor}, options)


class TestLocalResponseNormalization(OpTests):
    cases = (
        Case("plain", norm()),
        Case("root", norm(bias=1.0, alpha=1e-4, beta=0.5)),
        Case("whole_power", norm(radius=5, beta=1.0)),
        Case("greater_power", norm((4, 1, 1, 33), radius=3, bias=0.7, beta=2.6)),
        Case("without_bias", norm(radius=40, bias=0.0, beta=0.0625)),  # of all channels
        Case("no_window", norm(radius=0, bias=3.0, beta=1.7)),
        Case("without_alpha", norm(alpha=0.0, bias=1e-30, beta=1.25)),
        Case("one_channel", norm((5, 1, 1, 1), radius=1, beta=127.0)),
    )
    oracle = "numpy"
    rejected = (
        refused("beta", norm(beta=-1.0), "beta is -1: it must be from"),
        refused("large_beta", norm(beta=129.0), "beta is 129: it must be from"),
        refused("bias", norm(bias=-0.5), "bias is -0.5: it must be finite and not negative"),
        refused("alpha", norm(alpha=np.inf), "alpha is inf: it must be finite and not negative"),
        refused("radius", norm(radius=-1), "radius is -1: it must not be negative"),
    )

    @pytest.mark.slow
    @pytest.mark.parametrize("beta", [0.25, 0.75, 1.0, 3.3])
    def test_kernels_have_the_powers_of_a_c_library(self, beta: float) -> None:
        """Compares sums from the least to beyond the greatest, with zero, infinity and NaN."""
        random = np.random.default_rng(int(100 * beta))
        sizes = np.exp2(random.uniform(-70, 60, (1, 64, 64, 1)))
        x = (sizes * random.choice([-1, 1], sizes.shape)).astype(np.float32)
        x[0, 0, :6, 0] = 0, -0.0, np.inf, -np.inf, np.nan, 1
        build = norm(x.shape, radius=1, bias=1e-30, alpha=1.0, beta=beta)
        self.check_kernels([Case("powers", build)], [[x]])

    @pytest.mark.slow
    def test_windows_are_those_of_litert_s_default_kernel(self) -> None:
        """Windows alone: LiteRT's default kernel has a sliding sum and powers of float32."""
        for case in self.cases:
            ours = numpy_reference(self.folder, case)
            litert = Reference(merged_model([case]), default=True)
            x = np.random.default_rng(3).normal(size=ours.inputs[0].shape).astype(np.float32)
            np.testing.assert_allclose(ours.run([x])[0], litert.run([x])[0], rtol=1e-4)
