"""Front end of `.tflite` files."""

from opsmith.frontend.model import Model
from opsmith.frontend.tflite.frontend import read_model

__all__ = ["Model", "read_model"]
