"""SignalDelay: whole signals, with delays shorter and longer than a row."""

from opsmith.testing.op_tests import *


def delay(x: Sequence[int], length: int) -> Build:
    """Delay of each row of x by `length` samples to build."""
    tensor = (x, "int16")
    return custom_node("SignalDelay", {"x": tensor}, {"y": tensor}, {"delay_length": length})


class TestSignalDelay(OpTests):
    oracle = "numpy"
    cases = cases(
        short=delay((16,), 5),
        long=delay((2, 3, 7), 40),
        none=delay((5,), 0),
        one_element=delay((1,), 1),
    )
    rejected = (
        refused("negative", delay((4,), -1), "delay_length -1 is not 0 to 2^24 - 1"),
        refused("scalar", delay((), 1), "x i16[] must have 1 dimension or more"),
    )

    @pytest.mark.parametrize("length", [0, 1, 4, 9])
    def test_a_signal_comes_later(self, length: int) -> None:
        asked = self.in_numpy(delay((2, 4), length))
        signal = np.arange(1, 49, dtype=np.int16).reshape(2, 24)
        found = [asked.run([signal[:, at : at + 4]])[0] for at in range(0, 24, 4)]
        wanted = np.pad(signal, ((0, 0), (length, 0)))[:, :24]
        np.testing.assert_array_equal(np.concatenate(found, axis=1), wanted)
