"""CircularBuffer: frame after frame, and options that do not end runs."""

from opsmith.testing.op_tests import *

X, Y = (1, 1, 1, 3), (1, 4, 1, 3)


def buffered(
    x: tuple[int, ...] = X,
    y: tuple[int, ...] = Y,
    zero_points: tuple[int, int] = (0, 0),
    **options: Any,
) -> Build:
    """Buffer to build of as many frames as y has, with its options, or without any."""
    given, made = (
        (each, "int8", 0.5, zero) for each, zero in zip((x, y), zero_points, strict=True)
    )
    return custom_node("CIRCULAR_BUFFER", {"x": given}, {"y": made}, options or b"")


def variable(m: ModelWriter) -> None:
    """Add a buffer whose y is a variable tensor, as in models of TensorFlow Lite Micro."""
    x = m.input("x", X, "int8", 0.5, 3)
    y = m.tensor("y", Y, "int8", 0.5, 3, variable=True)
    m.node("CUSTOM", [x], [y], custom="CIRCULAR_BUFFER", custom_options={"cycles_max": 1})
    m.output(y)


EVERY = buffered(cycles_max=1)


class TestCircularBuffer(OpTests):
    oracle = "numpy"
    cases = cases(
        every=EVERY,
        variable=variable,
        zero_point=buffered((1, 1, 2, 5), (1, 3, 2, 5), (-7, -7), cycles_max=1),
        one_slot=buffered(X, X, cycles_max=1),
        one_element=buffered((1, 1, 1, 1), (1, 2, 1, 1), cycles_max=1),
        no_options=buffered(X, (1, 5, 1, 3)),
        no_cycles=buffered(X, (1, 13, 1, 3), cycles_max=0),
    )
    rejected = (
        refused("cycles", buffered(cycles_max=2), "cycles_max 2 would end some runs early"),
        refused("slots", buffered(), "4 slots without cycles_max would end some runs early"),
        refused("rank", buffered((1, 3), cycles_max=1), "x i8[1x3] is not 1x1xWxC"),
        refused("batch", buffered((2, 1, 1, 3), cycles_max=1), "is not 1x1xWxC"),
        refused("frames", buffered(X, (1, 4, 1, 2), cycles_max=1), "does not consist of frames"),
        refused("y_rank", buffered(X, (4, 3), cycles_max=1), "does not consist of frames"),
        refused("quantised", buffered(zero_points=(0, 1), cycles_max=1), "the same quantisation"),
    )

    def test_frames_move_up(self) -> None:
        """Compares with the values of TensorFlow Lite Micro's own test."""
        asked = self.in_numpy(EVERY)
        for last in range(3, 16, 3):
            (y,) = asked.run([np.arange(last - 2, last + 1, dtype=np.int8).reshape(X)])
            wanted = np.maximum(np.arange(last - 11, last + 1), 0)
            np.testing.assert_array_equal(y.reshape(-1), wanted)

    @pytest.mark.slow
    def test_kernels_move_them_too(self) -> None:
        sets = [[np.full(X, value, np.int8)] for value in range(1, 7)]
        self.check_kernels([Case("x", EVERY)], sets)
