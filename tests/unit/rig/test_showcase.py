"""A side file makes `run` show examples, pictures and labels; every mistake in it is one error."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.showcase import Showcase, load_showcase
from tests.refusals import refusal

GOOD = """
title = "Finds the brightest corner"
[input]
examples = "corners.npz"
arrays = ["pictures"]
index = 1
show = "image"
[output]
labels = ["left", "right"]
truth = "corners"
"""
PICTURES = np.array([[[127, -128]], [[-128, 127]]], np.int8)  # two examples of 1 x 2 pixels
LEFT, RIGHT = np.array([[100, -128]], np.int8), np.array([[-128, 100]], np.int8)


def model_with(folder: Path, text: str) -> Path:
    """Path of a model with a side file and examples beside it."""
    np.savez(folder / "corners.npz", pictures=PICTURES, corners=np.array([0, 1]))
    (folder / "corner.toml").write_text(text)
    return folder / "corner.tflite"


def load(folder: Path, text: str = GOOD) -> Showcase:
    """Showcase that a side file with `text` describes."""
    showcase = load_showcase(model_with(folder, text))
    assert showcase is not None
    return showcase


def test_a_model_without_side_file_has_no_showcase(tmp_path: Path) -> None:
    assert load_showcase(tmp_path / "corner.tflite") is None


def test_the_chosen_example_is_the_default_input(tmp_path: Path) -> None:
    (picture,) = load(tmp_path).default_inputs()
    np.testing.assert_array_equal(picture, PICTURES[1:2])


def test_description_shows_picture_answer_and_truth(tmp_path: Path) -> None:
    text = load(tmp_path).describe([PICTURES[1:2]], [RIGHT], [(0.01, -128)])
    assert text.splitlines() == [
        "Finds the brightest corner",
        "+----+",
        "|  @@|",
        "+----+",
        "the board says right (2.280), then left (0.000)",
        "example 1 is right: right",
    ]


def test_a_wrong_answer_is_called_wrong(tmp_path: Path) -> None:
    text = load(tmp_path).describe([PICTURES[1:2]], [LEFT])
    assert text.splitlines()[-2:] == [
        "the board says left (100), then right (-128)",
        "example 1 is right: wrong",
    ]


def test_of_an_input_that_is_no_example_no_truth_is_reported(tmp_path: Path) -> None:
    text = load(tmp_path).describe([PICTURES[1:2] // 2], [RIGHT])
    assert text.splitlines()[-1].startswith("the board says right")


def test_labels_belong_to_the_output_of_their_number(tmp_path: Path) -> None:
    text = load(tmp_path).describe([PICTURES[:1]], [np.zeros((1, 3), np.int8), LEFT])
    assert "the board says left" in text


def test_only_title_and_examples_are_required(tmp_path: Path) -> None:
    text = 'title = "t"\n[input]\nexamples = "corners.npz"\narrays = ["pictures"]\n'
    showcase = load(tmp_path, text)
    np.testing.assert_array_equal(showcase.default_inputs()[0], PICTURES[:1])
    assert showcase.describe(showcase.default_inputs(), [LEFT]) == "t"


def test_labels_that_fit_no_output_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="RIG033: 2 labels, but"):
        load(tmp_path).describe([PICTURES[:1]], [np.zeros(3, np.int8)])


@pytest.mark.parametrize(("old", "new", "message"), [
    ("title =", "titel =", "RIG031: unknown key 'titel' (did you mean 'title'?)"),
    ("title =", "titel =", "RIG031: 'title' is missing"),
    ("index = 1", 'index = "1"', "RIG031: 'input.index' is '1'"),
    ("index = 1", "index = true", "RIG031: 'input.index' is True"),
    ('["pictures"]', "[]", "RIG031: 'input.arrays' is missing"),
    ('"image"', '"imge"', "RIG031: unknown input.show 'imge' (did you mean 'image'?)"),
    ("index = 1", "index = 2", "RIG032: 'input.index' is 2, there are 2 examples"),
    ("index = 1", "index = -1", "RIG031: 'input.index' is -1"),
    ('["pictures"]', '["picture"]', "no array 'picture' (did you mean 'pictures'?)"),
    ('["left", "right"]', '["left"]', "RIG032: 'output.truth' names values"),
    ("corners.npz", "corner.npz", "RIG032: cannot read the examples"),
    ("corners.npz", "corner.toml", "RIG032: cannot read the examples"),
    ("title =", "title", "RIG030: "),
    ("corners.npz", "\\u0000.npz", "RIG032: cannot read the examples"),
    ("[input]", "input = 1\n[other]", "RIG031: unknown key 'other'"),
])  # fmt: skip
def test_each_mistake_is_an_error(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert message in str(refusal(load, tmp_path, GOOD.replace(old, new)))


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("show", "shw").replace("index = 1", "index = 1.5")
    assert len(refusal(load, tmp_path, text).problems) == 2


def test_the_digits_have_a_showcase() -> None:
    root = Path(__file__).parents[3]
    showcase = load_showcase(root / "tests" / "models" / "digits_int8.tflite")
    assert showcase is not None
    (image,) = showcase.default_inputs()
    assert (image.shape, image.dtype) == ((1, 8, 8, 1), np.dtype(np.int8))
    assert showcase.labels == tuple("0123456789")
