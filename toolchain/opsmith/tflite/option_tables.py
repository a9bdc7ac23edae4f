"""Options tables of TFLite's operators, which the schema pairs with operators only by name."""

import fnmatch
from functools import cache

import tflite

# Operators whose options table has an irregular name in the schema.
_IRREGULAR = {
    "*_POOL_2D": "Pool2D",
    "REDUCE_[!W]*": "Reducer",
    "MEAN": "Reducer",
    "SUM": "Reducer",
    "MAXIMUM": "MaximumMinimum",
    "MINIMUM": "MaximumMinimum",
    "RANDOM_*": "Random",
    "MULTINOMIAL": "Random",
    "L2_NORMALIZATION": "L2Norm",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNN",
    "CONV_3D_TRANSPOSE": "Conv3D",
}
UNIONS = ("BuiltinOptions", "BuiltinOptions2")


@cache
def options_of(operator: str) -> tuple[str, str] | None:
    """Union and name of the options table of an operator ('CONV_2D'); None if it has no table."""
    irregular = [name for glob, name in _IRREGULAR.items() if fnmatch.fnmatchcase(operator, glob)]
    wanted = _plain(irregular[0] if irregular else operator) + "options"
    for union in UNIONS:
        for name in vars(getattr(tflite, union)):
            if _plain(name) == wanted:
                return union, name
    return None


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
