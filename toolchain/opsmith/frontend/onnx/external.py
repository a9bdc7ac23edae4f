"""Elements of tensors that lie in files beside the model."""

import math
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.onnx.beside import place_beside

_FIX = "store it inside: onnx.save(onnx.load(FILE), OTHER)"


def take_in(path: Path, onnx: Any, tensor: Any) -> None:
    """Read the elements of a tensor from the file that the tensor names."""
    name = shown(tensor.name)
    said = {each.key: each.value for each in tensor.external_data}
    try:
        file = place_beside(path, said.get("location", ""))
        if file is None:
            what = f"the data of '{name}' are in no file of the model's folder, or in a link"
            raise ToolchainError.of("MDL039", what, where=str(path), fix=_FIX)
        size = math.prod(tensor.dims)
        size *= onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        offset, length = (
            _number(said.get(key, str(n))) for key, n in (("offset", 0), ("length", size))
        )
        if length != size or offset + length > file.stat().st_size:
            raise ValueError(length)
        with file.open("rb") as stream:
            stream.seek(offset)
            tensor.raw_data = stream.read(length)
    except (KeyError, ValueError, TypeError) as wrong:
        what = f"the elements of '{name}' do not fit its type, its shape and its file"
        raise ToolchainError.of("MDL006", what, where=str(path), fix=_FIX) from wrong
    except OSError as wrong:
        what = f"cannot read the data of '{name}': {wrong.strerror}"
        raise ToolchainError.of("MDL039", what, where=str(path), fix=_FIX) from wrong
    del tensor.external_data[:]
    tensor.data_location = onnx.TensorProto.DEFAULT


def _number(text: str) -> int:
    """Offset or length in a file, from text. Raises ValueError."""
    if len(text) > 19 or not (text.isascii() and text.isdigit()):
        raise ValueError(text[:19])
    return int(text)
