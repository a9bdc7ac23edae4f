"""Members of structs are spelled as they are declared, whatever numbers they are given."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from opsmith.contract.literals import initializer
from opsmith.emit.writing import struct_constant
from opsmith.ir.types import i8, u32


@dataclass(frozen=True)
class Mixed:
    """Struct with one member of each kind."""

    real: Any  # a float, which ops give as a number of numpy or as an int, too
    pair: tuple[Any, float]
    whole: int
    wide: Annotated[int, u32]
    few: Annotated[tuple[int, ...], i8, 2]
    flag: Any


Mixed.__annotations__.update(real="float", pair="tuple[float, float]", flag="bool")
REALS = [
    (np.float32(0.1), "0.10000000149011612"),
    (np.float16(1.5), "1.5"),
    (np.float64(-0.0), "-0.0"),
    (3, "3.0"),
    (np.int8(-1), "-1.0"),
    (2**63, "9.223372036854776e+18"),
]


@pytest.mark.parametrize(("real", "literal"), REALS)
def test_a_float_is_a_float_literal(real: Any, literal: str) -> None:
    struct = Mixed(real, (real, 0.5), -(2**31), 2**32 - 1, (1, -1), np.bool_(True))
    each = [literal, f"{{{literal}, 0.5}}", "INT32_MIN", "4294967295", "{1, -1}", "true"]
    assert initializer(struct) == "{" + ", ".join(each) + "}"
    lines = struct_constant("Mixed", "mixed", struct)
    assert [line.partition("  //")[0].strip() for line in lines[1:-1]] == [f"{e}," for e in each]
