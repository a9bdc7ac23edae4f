"""Rules of numerics: the arithmetic that defines elements of quantised tensors."""

from enum import StrEnum


class Numerics(StrEnum):
    """Rule that defines the elements that a node computes. Each rule has an oracle."""

    REFERENCE = "reference"  # LiteRT's reference kernels
    NOTEBOOK = "notebook"  # LiteRT's default interpreter on x86-64, which takes XNNPACK
    TFLM = "tflm"  # TensorFlow Lite Micro's reference kernels
