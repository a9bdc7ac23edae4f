"""Opsmith: turns a .tflite model into bit-exact firmware for one board, ahead of time."""

import sys

from opsmith.home import HOME

if str(HOME) not in sys.path:  # of the package `runtimes`
    sys.path.append(str(HOME))
