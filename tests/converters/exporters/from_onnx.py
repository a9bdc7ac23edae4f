"""Converts ONNX files: `PYTHON from_onnx.py DIR NAME…`, by an interpreter that has onnx2tf. What a
conversion fails with goes to a file beside it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx2tf
from onnx2tf import onnx2tf as module

SHOWN = 150  # of a failure
# where the program onnxsim lies, which onnx2tf runs
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def main(folder: Path, names: list[str]) -> None:
    """Convert each network in a process of its own, since onnx2tf ends its process on errors."""
    for name in names:
        path = folder / f"{name}.onnx"
        if path.exists() and (child := os.fork()) == 0:
            failure = folder / f"{name}.txt"
            failure.write_text("onnx2tf ends its process", encoding="utf-8")
            try:
                _convert(path, folder)
                failure.unlink()
            except Exception as error:
                text = f"{type(error).__name__}: {error}".splitlines()[0][:SHOWN]
                failure.write_text(text, encoding="utf-8")
            os._exit(0)
        elif path.exists():
            os.waitpid(child, 0)


def _convert(path: Path, folder: Path) -> None:
    # what it would download to try a network of images with
    module.download_test_image_data = lambda: np.zeros((20, 128, 128, 3), np.float32)
    made = folder / f"{path.stem}_saved"
    onnx2tf.convert(str(path), output_folder_path=str(made), non_verbose=True)
    shutil.move(made / f"{path.stem}_float32.tflite", folder / f"{path.stem}.tflite")
    shutil.rmtree(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
