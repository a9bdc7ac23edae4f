"""Sizes of rows in whole words, which kernels for the DSP extension read."""

from dataclasses import dataclass

WORD = 4  # bytes


@dataclass(frozen=True, kw_only=True)
class PaddedRows:
    """Params of kernels that read rows of x in whole words."""

    padded_depth: int  # elements of a row, filled up to whole words


def whole_words(elements: int, width: int = 1) -> int:
    """Number of elements of `width` bytes, rounded up to whole words."""
    return -(-elements * width // WORD) * WORD // width


def products_of_parts(size: int, part: int) -> int:
    """Sums that a kernel of dsp_rows.h keeps for a row in several parts; 0 for one part."""
    return -(-size // part) if part < size else 0


def copied_words(elements: int, width: int = 1) -> int:
    """Elements of the copy of a row that dsp_padding.h makes; 0 where rows are whole words."""
    padded = whole_words(elements, width)
    return padded if padded != elements else 0
