"""The recipe of a model: its name, and that a model's file runs no code in it."""

import ast

import pytest

from opsmith.package.recipe import conan_name, recipe


@pytest.mark.parametrize(
    ("model", "name"), [("kws", "kws"), ("KWS_2", "kws_2"), ("q", "model_q"), ("Q", "model_q")]
)
def test_a_name_is_one_of_conan(model: str, name: str) -> None:
    assert conan_name(model) == name


def values(text: str) -> dict[str, object]:
    """Values of the attributes of the recipe's class, by name."""
    (found,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    assigned = [node for node in found.body if isinstance(node, ast.Assign)]
    return {ast.unparse(node.targets[0]): ast.literal_eval(node.value) for node in assigned}


def test_it_says_which_model_it_is_of() -> None:
    found = values(recipe("KWS", "1.0", "KWS.tflite", "abc"))
    assert (found["name"], found["version"]) == ("kws", "1.0")
    assert "KWS.tflite" in str(found["description"])
    assert "abc" in str(found["description"])


@pytest.mark.parametrize("file", ['a"""\nimport os\n.tflite', "a'+x+'.tflite", "{name}{0}\\"])
def test_a_name_of_a_file_is_text_in_it(file: str) -> None:
    found = values(recipe("a", "1.0", file, "abc"))
    assert str(found["description"]).startswith(f"{file}, ")
    assert set(found) == set(values(recipe("a", "1.0", "a.tflite", "abc")))
