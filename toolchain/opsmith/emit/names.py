"""File names of emitted code for one model or several, known before anything is emitted."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

SPACE = "opsmith_models"  # the namespace of what several models have together


@dataclass(frozen=True)
class ModelFiles:
    """Names of the files that a model has for itself, for programs in C++ and in C."""

    header: str = "model.h"
    source: str = "model.cc"
    c_header: str = "model_c.h"
    c_source: str = "model_c.cc"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all files of a model."""
        return astuple(self)


ALONE = ModelFiles()


def files_of(models: Sequence[str]) -> list[ModelFiles]:
    """Files of each model. Of several, files for C have a dot, which no model's name has."""
    if len(models) == 1:
        return [ALONE]
    return [ModelFiles(f"{m}.h", f"{m}.cc", f"{m}.c_api.h", f"{m}.c_api.cc") for m in models]
