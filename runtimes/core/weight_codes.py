"""Weights of int8 stored as codes of a few bits into tables of values: for layers with few distinct
weights, as compression, pruning or int4 leave.
"""

from opsmith.op import *

MOST_BITS = 4  # of a code
TOGETHER = 8  # codes in a group, which fills whole bytes
BYTE_VALUES = 256


@dataclass(frozen=True, kw_only=True)
class Coded:
    """Params of kernels that decode weights: bits per code, and distance between tables."""

    bits: int  # of a code
    values_step: int  # values from the table of a channel to that of the next: 0 where all share it


@dataclass(frozen=True, kw_only=True)
class Coding(Coded):
    """Storage of rows of coded weights, each of whole groups of eight codes."""

    size: int  # values of a table
    bytes: int  # of codes and tables


def coding_of(rows: Array) -> Coding | Refused:
    """Smaller storage of int8 rows, with one table or one per row, or Refused if none saves."""
    both = (_coding(rows, _present(rows, shared=shared)) for shared in (True, False))
    found = min(both, key=lambda coding: coding.bytes)
    if found.bits > MOST_BITS or found.bytes >= rows.size:
        return Refused(f"codes of {found.size} values would save no flash")
    return found


def encoded(rows: Array, coding: Coding) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Codes [channels][bytes of a row], the first in a byte's lowest bits, and tables."""
    present = _present(rows, shared=not coding.values_step)
    filled = np.pad(rows, ((0, 0), (0, -rows.shape[1] % TOGETHER)), mode="edge")
    places = np.broadcast_to(np.cumsum(present, axis=1) - 1, (len(rows), BYTE_VALUES))
    codes = np.take_along_axis(places, filled.view(np.uint8).astype(np.intp), axis=1)
    bits = np.unpackbits(
        codes.astype(np.uint8)[..., np.newaxis], axis=2, count=coding.bits, bitorder="little"
    )
    packed = np.packbits(bits.reshape(len(rows), -1), axis=1, bitorder="little")
    tables = np.zeros((len(present), coding.size), np.uint8)
    for table, held in zip(tables, present, strict=True):
        values = np.flatnonzero(held)
        table[: len(values)] = values
    return packed, tables.view(np.int8).reshape(-1)


def _present(rows: Array, *, shared: bool) -> NDArray[np.bool_]:
    """Mask [row][byte value] of bytes that occur in each row, or [1][byte value] for all rows."""
    found: NDArray[np.bool_] = np.zeros((len(rows), BYTE_VALUES), np.bool_)
    found[np.arange(len(rows))[:, np.newaxis], rows.view(np.uint8)] = True
    return np.logical_or.reduce(found, axis=0)[np.newaxis] if shared else found


def _coding(rows: Array, present: NDArray[np.bool_]) -> Coding:
    """Storage with a table for each line of the mask `present`."""
    size = int(present.sum(axis=1).max())
    bits = max((size - 1).bit_length(), 1)
    row_bytes = -(-rows.shape[1] // TOGETHER) * bits
    step = size if len(present) > 1 else 0
    total = len(rows) * row_bytes + len(present) * size
    return Coding(bits=bits, values_step=step, size=size, bytes=total)
