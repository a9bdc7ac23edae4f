"""Opsmith: turns a .tflite model into bit-exact firmware for one board, ahead of time."""

from pathlib import Path

from opsmith.bytecode import PackageLoader, import_exactly

import_exactly(Path(__file__).parent, PackageLoader)
