"""Which file and line a message about a kernel leads to."""

from pathlib import Path

import pytest

from opsmith.contract.assertions import line_of, registration
from opsmith.testing.known_ops import loaded

OPS = Path(__file__).resolve().parents[3] / "ops"


@pytest.mark.parametrize(("op", "types", "kernel", "file"), [
    ("conv_2d", ("i8", "i8", "i32"), "winograd", "i8/winograd.py"),
    ("conv_2d", ("i16", "i8", "i64"), "dsp", "i16x8/dsp.py"),
    ("conv_2d", ("i8", "i8", "i32"), "reference", "i8/__init__.py"),
    ("conv_2d", ("f32", "f32", "f32"), "reference", "f32/__init__.py"),
    ("max_pool_2d", ("i8",), "mve", "cmsis.py"),
    ("max_pool_2d", ("i8",), "reference", "op.py"),
])  # fmt: skip
def test_a_kernel_is_where_its_name_stands(
    op: str, types: tuple[str, ...], kernel: str, file: str
) -> None:
    found = loaded(OPS / op)
    (variant,) = (v for v in found.op.variants if tuple(map(str, v.types.values())) == types)
    declared = next(each for each in variant.kernels if each.name == kernel)
    path = registration(found, declared)
    assert path.resolve() == (found.folder / file).resolve()
    line = path.read_text(encoding="utf-8").splitlines()[line_of(found, declared) - 1]
    assert kernel in line.lower()
