"""Sizes in whole words, in which the kernels for the DSP extension read rows."""

from dataclasses import dataclass

WORD = 4  # bytes


@dataclass(frozen=True, kw_only=True)
class PaddedRows:
    """Params of kernels that read rows of x in whole words."""

    padded_depth: int  # elements of a row, filled up to whole words


def whole_words(elements: int, width: int = 1) -> int:
    """Number of elements of `width` bytes, filled up to whole words."""
    return -(-elements * width // WORD) * WORD // width


def products_of_parts(size: int, part: int) -> int:
    """Number of sums that a kernel of dsp_rows.h keeps of a row in several parts; 0 of one part."""
    return -(-size // part) if part < size else 0


def copied_words(elements: int, width: int = 1) -> int:
    """Elements of the copy that dsp_padding.h makes of a row; none of whole words."""
    padded = whole_words(elements, width)
    return padded if padded != elements else 0
