"""Runtimes and what their kernels share, C++ beside Python."""

from pathlib import Path

from opsmith.bytecode import import_exactly

import_exactly(Path(__file__).parent)
