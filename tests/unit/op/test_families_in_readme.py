"""Tables of runtimes/families/README.md are those of the ops."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "runtimes" / "families" / "README.md"
BLOCKS = re.findall(r"\n\n((?:(?: {4}.*)?\n)+)\n", PAGE.read_text("utf-8"))


@pytest.mark.parametrize(
    ("start", "file"),
    [("def walk(", "reverse_v2/op.py"), ("expand = ", "expand_dims/test_expand_dims.py")],
)
def test_a_block_is_part_of_the_file(start: str, file: str) -> None:
    (shown,) = (text for text in map(dedent, BLOCKS) if text.lstrip("\n").startswith(start))
    assert shown.strip() in (ROOT / "ops" / file).read_text("utf-8")
