"""Structs of kernels have the members of the dataclasses that fill them, in the same order."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

OPS = Path(__file__).resolve().parents[3] / "ops"
TOLD = re.compile(r'class (_\w+):\n    """What (\w+\.h) calls (\w+)[.:]')
PAIRS = [
    (path, *found.groups())
    for path in sorted(OPS.glob("**/*.py"))
    for found in TOLD.finditer(path.read_text(encoding="utf-8"))
]


def test_kernels_have_some() -> None:
    assert len(PAIRS) >= 4


@pytest.mark.parametrize(("path", "name", "header", "struct"), PAIRS)
def test_members_are_the_fields(path: Path, name: str, header: str, struct: str) -> None:
    module = import_module(".".join(path.relative_to(OPS.parent).with_suffix("").parts))
    text = (path.parent / header).read_text(encoding="utf-8")
    (body,) = re.findall(rf"\nstruct {struct} {{\n(.*?)\n}};\n", text, re.DOTALL)
    members = re.findall(r"^  int32_t (\w+);", body, re.MULTILINE)
    assert members == [field.name for field in fields(getattr(module, name))]
