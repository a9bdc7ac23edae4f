"""Small pieces of C++ text."""

import pytest

from opsmith.emit.writing import LONGEST, comment_text


@pytest.mark.parametrize(("text", "comment"), [
    ("dense/BiasAdd", "dense/BiasAdd"),
    ("x" * LONGEST, "x" * LONGEST),
    ("x" * (LONGEST + 1), "x" * (LONGEST - 3) + "..."),
    ("a\\ ", "a"),
    ("a\\ " + " " * LONGEST, "a\\ " + " " * (LONGEST - 6) + "..."),
    ("a\nb", "a?b"),
    ("??/", "?/"),
    ("", "unnamed"),
])  # fmt: skip
def test_a_models_text_is_one_harmless_comment_that_says_where_it_is_cut(
    text: str, comment: str
) -> None:
    assert comment_text(text) == comment
