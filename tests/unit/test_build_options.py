"""Build options: one field each, from which variable, flag, help, README and folder follow."""

import argparse
from dataclasses import dataclass, replace
from typing import Any

import pytest

from opsmith.build_options import BuildOptions
from opsmith.option import Variable, add_flags, by_both, flagged, flags_of, option, variables
from opsmith.report.pages import options_page
from tests.each import for_each

EVERY = variables(BuildOptions)


def another(variable: Variable) -> Any:
    """Value of an option that differs from the default."""
    if variable.choices:
        text = next(each for each in variable.choices if each != variable.default_text)
        return variable.read(text)
    if variable.option.form:
        return "1.2-rc.1"
    others = {"int": 7, "float": 0.5, "tuple": ("a", "b c"), "Pairs": (("npu", "/a b=c"),)}
    return others.get(variable.kind, "some words")


@for_each(*EVERY, of=lambda variable: variable.name)
def test_a_value_is_read_as_it_is_written(variable: Variable) -> None:
    value = another(variable)
    assert value != variable.default
    assert variable.read(variable.text(value)) == value
    assert not variable.problems(variable.text(value))
    assert variable.read("") == variable.default


def test_a_value_that_there_is_not_is_refused_with_what_would_be_right() -> None:
    bad = {"opt": "sped", "guards": "yes", "flash_budget": "1" * 19, "atol": "a", "stream": "2"}
    bad |= {"libraries": "npu=/opt/x,npu=/opt/y", "version": "1"}
    found = {each.name: each.problems(bad[each.name]) for each in EVERY if each.name in bad}
    assert {name: problem.code for name, (problem,) in found.items()} == dict.fromkeys(
        bad, "BLD006"
    )
    assert found["opt"][0].what == "opt cannot be 'sped' (did you mean 'speed'?)"
    assert found["stream"][0].fix == "one of: 0, 1, rows, frames"
    assert found["flash_budget"][0].fix == "give a number of bytes, like 65536 or 64K"


@pytest.mark.parametrize("version", ["1", "1.0!", "1.0 ", "V1.0", "-1", "../x", "1.0\n", "1" * 101])
def test_a_version_that_conan_does_not_take_is_refused(version: str) -> None:
    (problem,) = next(each for each in EVERY if each.name == "version").problems(version)
    assert problem.code == "BLD006"
    assert "like 1.0" in problem.fix


def parsed(*words: str) -> BuildOptions:
    """Build options that `opsmith convert` makes of flags."""
    parser = argparse.ArgumentParser()
    add_flags(parser, BuildOptions)
    options = flagged(parser.parse_args(words), BuildOptions)
    assert isinstance(options, BuildOptions)
    return options


@pytest.mark.slow
@for_each(*EVERY, of=lambda variable: variable.name)
def test_convert_is_given_what_it_heeds_and_nothing_else(variable: Variable) -> None:
    changed: Any = {variable.name: another(variable)}
    options = replace(BuildOptions(), **changed)
    flags = [flag for _, flag in flags_of(options)]
    assert bool(flags) == variable.option.converts
    assert parsed(*flags) == (options if variable.option.converts else BuildOptions())


def test_a_bad_flag_is_refused_like_a_bad_variable(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed("--opt=sped")
    told = "opt cannot be 'sped' (did you mean 'speed'?); one of: speed, balanced, size"
    assert told in capsys.readouterr().err


@for_each(*EVERY, of=lambda variable: variable.name)
def test_what_makes_another_program_makes_another_folder(variable: Variable) -> None:
    part = variable.part(another(variable))
    if variable.option.converts and not variable.option.unsigned:
        assert part.word or part.hashed
    default = variable.part(variable.default)
    assert (default.word, default.hashed) == ("", "")


@dataclass(frozen=True)
class Extended(BuildOptions):
    """Build options with a field that a later version could add."""

    depth: int = option("how deep", 3, converts=True, naming=by_both, given="N")
    checks: bool = option("checks a lot", True, converts=True, naming=by_both)


@dataclass(frozen=True)
class Strange(BuildOptions):
    """Build options with a field of a type that no parser reads."""

    words: frozenset[str] = option("words", frozenset())


def test_a_type_without_a_rule_is_a_bug_that_shows() -> None:
    with pytest.raises(TypeError, match=r"words: no rule for values of frozenset\[str\]"):
        variables(Strange)[0].read("a")


def test_an_option_is_one_field() -> None:
    depth, *_ = variables(Extended)
    assert depth.description == "how deep (default: 3)"
    assert depth.part(4).word == "depth-4"
    assert [flag for _, flag in flags_of(Extended(depth=4))] == ["--depth=4"]
    assert "| `depth=N` | how deep; default: `3` |" in options_page(Extended)
    assert depth.problems("x")[0].fix == "give an integer, like 8"


def test_what_is_on_by_default_can_be_off() -> None:
    _, checks, *_ = variables(Extended)
    assert "| `checks=0` | checks a lot |" in options_page(Extended)
    assert checks.part(False).word == "checks-0"
    (flag,) = (flag for _, flag in flags_of(Extended(checks=checks.read("0"))))
    parser = argparse.ArgumentParser()
    add_flags(parser, Extended)
    assert flagged(parser.parse_args([flag]), Extended) == Extended(checks=False)


def test_the_page_of_options_has_every_option() -> None:
    assert all(f"| `{each.name}=" in options_page() for each in EVERY)
