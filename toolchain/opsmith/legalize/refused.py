"""Operators of LiteRT's reference kernels that no op claims: their kinds, and what to do."""

from collections.abc import Mapping

from opsmith.legalize.kinds import ModelKind

BOTH_WAYS = ModelKind(
    "a layer that runs both ways, in one operator, with a further input",
    "convert keras.layers.Bidirectional with TensorFlow 2, which makes two layers of it",
)
ONE_STEP = ModelKind(
    "one step of a recurrent layer, of TensorFlow 1",
    "convert the layer with TensorFlow 2, which makes one operator of the sequence",
)
FEATURES = ModelKind("features of text", "turn text into numbers before the model")
RANDOM = ModelKind(
    "random numbers, as layers of training need",
    "convert the network for inference, without augmentation, dropout and sampling",
)
KINDS: Mapping[ModelKind, str] = {
    BOTH_WAYS: "BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN",
    ONE_STEP: "LSTM RNN",
    FEATURES: "HASHTABLE_LOOKUP LSH_PROJECTION SKIP_GRAM",
    RANDOM: "MULTINOMIAL RANDOM_STANDARD_NORMAL RANDOM_UNIFORM STABLEHLO_RNG_BIT_GENERATOR",
    ModelKind(
        "a front end of TensorFlow 1 for audio", "compute features before the model"
    ): "CUSTOM.AudioSpectrogram CUSTOM.Mfcc",
    ModelKind("a check of the quantiser", "convert without it"): "CUSTOM.NumericVerify",
}
REFUSED: Mapping[str, ModelKind] = {
    f"tflite.{name}": kind for kind, names in KINDS.items() for name in names.split()
}


def of_training(operator: str) -> ModelKind | None:
    """Kind of an operator that inference does not need, such as one of training; else None."""
    return RANDOM if REFUSED.get(operator) == RANDOM else None
