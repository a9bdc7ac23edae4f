"""Rules of numerics: which arithmetic the elements of quantised tensors come from."""

from enum import StrEnum


class Numerics(StrEnum):
    """Whose elements a node computes. Each rule has an oracle that it equals byte for byte."""

    REFERENCE = "reference"  # LiteRT's reference kernels
    NOTEBOOK = "notebook"  # LiteRT's default interpreter on x86-64, which takes XNNPACK
    TFLM = "tflm"  # TensorFlow Lite Micro's reference kernels
