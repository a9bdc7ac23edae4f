"""Small pieces of C++ text."""

import random

import pytest

from opsmith.emit.writing import COLUMNS, LONGEST, broken, comment_text


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


def test_broken_lines_are_short_and_the_same_code() -> None:
    draw = random.Random(0)
    for _ in range(500):
        literal = f'"{"a b, " * draw.randrange(10)}"'
        words = [draw.choice(("{x},", "name" * draw.randrange(1, 15), literal)) for _ in range(9)]
        comment = draw.choice(("", "  // what it is", f"  // {'long ' * 12}end"))
        line = " " * draw.choice((0, 2, 4)) + " ".join(words) + comment
        found = broken(line)
        assert all(len(each) <= COLUMNS for each in found.split("\n")), found
        assert [*found.replace(literal, "L").split()] == [*line.replace(literal, "L").split()]
        about = f"// {' '.join(words)}"
        assert broken(about).replace("\n// ", " ") == about
