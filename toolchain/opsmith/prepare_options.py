"""Options for making a `.tflite` of a model before the model is compiled."""

from dataclasses import dataclass

from opsmith.option import by_both, by_hash, option

INT8, INT16X8 = "int8", "int16x8"
FACTS = "prepared.json"  # written beside the model made


@dataclass(frozen=True)
class PrepareOptions:
    """Options that specify how a model is quantised, and by which Python."""

    calibrate: str = option(
        "an `.npz` of samples by which a float model is quantised",
        more="; with labels it says the accuracy before and after "
        "([how](coming_from/float_model.md))",
        given="FILE",
        exists="*.npz",
        naming=by_hash,
        place=True,
    )
    recipe: str = option(
        "how `calibrate=` quantises: int8, int16x8, or another recipe",
        INT8,
        more=", by its name in ai-edge-quantizer or its `.json` file",
        given="NAME",
        naming=by_both,
    )
    python: str = option(
        "the Python that has ai-edge-quantizer, TensorFlow; default: this one",
        given="FILE",
        exists="python*",
    )
