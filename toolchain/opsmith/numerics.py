"""Rules of numerics: which arithmetic the elements of quantised tensors come from."""

from enum import StrEnum


class Numerics(StrEnum):
    """Rule that says which elements a node computes. Each has an oracle that it equals."""

    REFERENCE = "reference"  # LiteRT's reference kernels
    NOTEBOOK = "notebook"  # LiteRT's default interpreter on x86-64, which takes XNNPACK
    TFLM = "tflm"  # TensorFlow Lite Micro's reference kernels
