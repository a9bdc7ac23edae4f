"""Mistakes in registrations: text of the good op.py, what replaces it, code, the whole sentence."""

from tests.unit.op.mistakes.kernels import KERNELS
from tests.unit.op.mistakes.operands import OPERANDS
from tests.unit.op.mistakes.values import VALUES

MISTAKES = [*VALUES, *OPERANDS, *KERNELS]
