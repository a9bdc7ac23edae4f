"""Names in what is emitted of several models: what a build knows before anything is emitted."""

from __future__ import annotations

SPACE = "opsmith_models"  # the namespace of what the models have together


def for_c(model: str, suffix: str) -> str:
    """The file with the calls of a model for programs in C; no file of another model has its name,
    since names of models have no dots.
    """
    return f"{model}.c_api{suffix}"
