"""Inputs that a firmware can generate, so that large ones need not cross a slow console."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opsmith.rig.arrays import Array
from opsmith.rig.build import PortTensor

_WORD = 2**32
_WORTH = 32  # bytes; fewer take no longer to send than a generator


@dataclass(frozen=True)
class Fill:
    """Generator of bytes: x = x * multiplier + increment modulo 2^32, and each byte is x >> 24.

    The defaults are those of Numerical Recipes' ranqd1, which app=bench uses, too.
    """

    start: int
    multiplier: int = 1664525
    increment: int = 1013904223

    @classmethod
    def constant(cls, byte: int) -> Fill:
        """Fill with one byte everywhere; `byte` is taken modulo 256."""
        return cls(byte % 256 << 24, 1, 0)

    @classmethod
    def alternating(cls, first: int, second: int) -> Fill:
        """Fill with two bytes in turn, modulo 256."""
        return cls(second % 256 << 24, _WORD - 1, (first % 256 + second % 256 << 24) % _WORD)

    @classmethod
    def ramp(cls, start: int, step: int) -> Fill:
        """Fill with a sawtooth, in which neighbours differ by about step / 2^24."""
        return cls(start, 1, step)

    @classmethod
    def of(cls, data: bytes) -> Fill | None:
        """Return the generator of bytes that are all equal or two alternating; else None."""
        pair = data[:2]
        if len(data) < _WORTH or data != (pair * (len(data) // 2 + 1))[: len(data)]:
            return None
        return cls.alternating(*pair)

    def array(self, tensor: PortTensor) -> Array:
        """Return the values with which the firmware fills a tensor."""
        x, found = self.start, bytearray(tensor.bytes)
        for i in range(tensor.bytes):
            x = (x * self.multiplier + self.increment) % _WORD
            found[i] = x >> 24
        return np.frombuffer(bytes(found), tensor.dtype).reshape(tensor.shape)
