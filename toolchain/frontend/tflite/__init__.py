"""The front end that reads `.tflite` files."""

from toolchain.frontend.model import Model
from toolchain.frontend.tflite.frontend import read_model

__all__ = ["Model", "read_model"]
