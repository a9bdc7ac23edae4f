"""RNN: layouts, activations, and a state that lasts."""

from dataclasses import dataclass

from opsmith.testing.op_tests import *


@dataclass(frozen=True)
class Rnn:
    """float32 layer; calling it adds it to a model."""

    x: tuple[int, ...] = (1, 4, 9)
    units: int = 5
    time_major: bool = False
    activation: str = "RELU"
    size: float = 0.3  # of the weights
    recurrent: int | None = None  # columns; None: as many as units

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(3)

        def constant(name: str, *shape: int) -> ModelTensor:
            return m.constant(name, (random.normal(size=shape) * self.size).astype(np.float32))

        batches = self.x[1 if self.time_major else 0]
        inputs = [
            m.input("x", self.x, "float32"),
            constant("weights", self.units, self.x[-1]),
            constant("recurrent", self.units, self.recurrent or self.units),
            constant("bias", self.units),
            m.tensor("h", (batches, self.units), "float32", variable=True),
        ]
        y = m.tensor("y", (*self.x[:-1], self.units), "float32")
        options: dict[str, OptionValue] = {
            "fused_activation_function": self.activation,
            "time_major": self.time_major,
        }
        m.node("UNIDIRECTIONAL_SEQUENCE_RNN", inputs, [y], options)
        m.output(y)


class TestUnidirectionalSequenceRnn(OpTests):
    cases = cases(
        batch_major=Rnn((2, 3, 9), activation="TANH"),
        time_major=Rnn((3, 2, 5), 8, time_major=True, activation="TANH"),
        relu=Rnn(),
        relu6=Rnn((2, 3, 4), activation="RELU6"),
        relu_n1_to_1=Rnn((2, 2, 7), activation="RELU_N1_TO_1"),
        no_activation=Rnn((2, 3, 9), activation="NONE"),
        one_element=Rnn((1, 1, 1), 1, activation="NONE"),
    )
    rejected = (
        refused("rank", Rnn((4, 9)), "must have 3 dimensions"),
        refused("recurrent", Rnn(recurrent=4), "recurrent f32[5x4] is not 5x5"),
        refused("activation", Rnn(activation="SIGN_BIT"), "activation SIGN_BIT is not one of NONE"),
    )
