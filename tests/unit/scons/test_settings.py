"""The variables of a build."""

from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.keywords import identifier
from opsmith.scons.settings import help_text, read_settings, require
from tests.refusals import refusal
from tests.special import SPECIAL, replace_by


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for app in ("runner", "bench"):
        (tmp_path / "runtimes/apps" / app).mkdir(parents=True)
        (tmp_path / "runtimes/apps" / app / "main.cc").touch()
    (tmp_path / "x.tflite").touch()
    (tmp_path / "more" / "sum").mkdir(parents=True)
    (tmp_path / "more" / "sum" / "op.py").touch()
    return tmp_path


@pytest.mark.parametrize(("stem", "expected"), [
    ("kws_int8", "kws_int8"),
    ("my model-v2 (final)", "my_model_v2_final"),
    ("2nd", "model_2nd"),
    ("int", "model_int"),
    ("main", "model_main"),
    ("tanh", "model_tanh"),
    ("expf", "model_expf"),
    ("size_t", "model_size_t"),
    ("EOF", "model_EOF"),
    ("time", "model_time"),
    ("y1", "model_y1"),
    ("m", "model_m"),
    ("c", "model_c"),
    ("__x__", "x"),
    ("модель", "unnamed"),
])  # fmt: skip
def test_a_name_is_an_identifier(stem: str, expected: str) -> None:
    assert identifier(stem) == expected
    assert expected.isidentifier()


def test_defaults_are_filled_in(root: Path) -> None:
    settings = read_settings({"model": "x.tflite"}, root)
    assert (settings.opt, settings.app, settings.verbose) == ("balanced", "runner", False)
    assert (settings.op_roots, settings.board_roots, settings.outputs) == (
        ("ops",),
        ("boards",),
        (),
    )


@pytest.mark.parametrize(
    ("given", "stream"), [("1", "rows"), ("rows", "rows"), ("frames", "frames"), ("0", "0")]
)
def test_rows_are_what_streams_unless_frames_are_asked_for(
    root: Path, given: str, stream: str
) -> None:
    assert read_settings({"stream": given}, root).stream == stream


def test_lists_are_split_and_follow_the_built_in_root(root: Path) -> None:
    settings = read_settings({"ops": "more, more/", "outputs": "a/b,c"}, root)
    assert settings.op_roots == ("ops", "more", "more/")
    assert settings.outputs == ("a/b", "c")


def test_all_problems_of_a_kind_come_at_once(root: Path) -> None:
    with pytest.raises(ToolchainError) as error:
        read_settings({"model": "y.tflite", "ops": "mor", "opt": "fast", "app": "bensh"}, root)
    assert [problem.code for problem in error.value.problems] == ["BLD006", *["BLD003"] * 3]
    assert "did you mean 'more'" in str(error.value)
    assert "did you mean 'bench'" in str(error.value)


def test_an_op_folder_is_no_folder_of_op_folders(root: Path) -> None:
    with pytest.raises(ToolchainError, match="give the folder above: ops=more"):
        read_settings({"ops": "more/sum"}, root)
    with pytest.raises(ToolchainError, match=r"holds no folder with a board\.toml"):
        read_settings({"boards": "more"}, root)


@pytest.mark.parametrize(("given", "told"), [
    ({"ops": "x.tflite"}, "ops=x.tflite is not a folder"),
    ({"boards": "x.tflite"}, "boards=x.tflite is not a folder"),
    ({"app": "x.tflite"}, "app=x.tflite is not a folder"),
    ({"app": "more"}, "app=more holds no .cc file"),
    ({"model": "more"}, "model=more is a folder"),
    ({"model": "."}, "model=. is a folder"),
    ({"input": "more"}, "input=more is a folder"),
    ({"model": "/dev/null"}, "model=/dev/null is not a file"),
    ({"ops": "mor"}, "ops=mor does not exist (did you mean 'more'?)"),
])  # fmt: skip
def test_a_path_of_the_wrong_kind_is_not_said_to_be_absent(
    root: Path, given: dict[str, str], told: str
) -> None:
    with pytest.raises(ToolchainError, match="BLD003") as error:
        read_settings(given, root)
    assert [problem.what for problem in error.value.problems] == [told]


def test_a_link_to_nothing_is_not_said_to_be_itself(root: Path) -> None:
    (root / "z.tflite").symlink_to("gone.tflite")
    with pytest.raises(ToolchainError, match="is a link to gone.tflite, which is not there"):
        read_settings({"model": "z.tflite"}, root)


def test_a_model_that_is_named_twice_is_not_to_be_renamed(root: Path) -> None:
    (problem,) = refusal(read_settings, {"model": "x.tflite,x.tflite"}, root).problems
    assert (problem.code, problem.what) == ("BLD042", "x.tflite is named twice")
    assert problem.fix == "name each model once"


@pytest.mark.parametrize("value", ["0", "0.0", "-1", "1000001", "1e9", "x"])
def test_a_timeout_is_refused_before_anything_is_built(root: Path, value: str) -> None:
    with pytest.raises(ToolchainError, match="BLD006: timeout cannot be .*[\\s\\S]*1,000,000"):
        read_settings({"timeout": value}, root)
    assert read_settings({"timeout": "1e6"}, root).timeout == 1e6


def test_unknown_variables_come_first(root: Path) -> None:
    error = refusal(read_settings, {"modle": "x.tflite", "bord": "b"}, root)
    assert [problem.code for problem in error.problems] == ["BLD001", "BLD001"]


def test_what_a_target_needs_is_named(root: Path) -> None:
    with pytest.raises(ToolchainError, match="which board and which model"):
        require(read_settings({}, root), "board", "model")


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e", "0,5", "٣"])
def test_a_tolerance_is_a_number(root: Path, value: str) -> None:
    error = refusal(read_settings, {"atol": value, "rtol": value}, root)
    assert [problem.code for problem in error.problems] == ["BLD006"] * 2
    assert f"rtol cannot be '{value}'" in str(error)


@pytest.mark.parametrize("value", ["-1", "64KB", "64k", "1e6", "٣", "1_", "9" * 30])
def test_a_flash_budget_is_a_number_of_bytes(root: Path, value: str) -> None:
    with pytest.raises(ToolchainError, match="BLD006: flash_budget cannot be"):
        read_settings({"flash_budget": value}, root)


@pytest.mark.parametrize(("value", "size"), [("65536", 65536), ("64K", 65536), ("1M", 1 << 20)])
def test_a_flash_budget_is_written_as_in_a_board_toml(root: Path, value: str, size: int) -> None:
    assert read_settings({"flash_budget": value}, root).flash_budget == size


def test_an_application_of_ones_own_takes_no_input(root: Path) -> None:
    with pytest.raises(ToolchainError, match="BLD006: input cannot be set with this app"):
        read_settings({"app": "mine", "input": "x.npz"}, root)


def test_what_tune_measured_is_beside_the_model(root: Path) -> None:
    assert read_settings({"model": "x.tflite"}, root).tune_file == Path("x.tune.toml")
    assert read_settings({"model": "x.tflite", "tune": "t.toml"}, root).tune_file == Path("t.toml")


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_lies_in_the_place_of_measurements_is_told(root: Path, kind: str) -> None:
    replace_by(root / "x.tune.toml", kind)
    with pytest.raises(ToolchainError, match="BLD070: is not a file that `tune` wrote"):
        read_settings({"model": "x.tflite"}, root)


def test_help_names_every_variable() -> None:
    text = help_text()
    assert all(f"  {name}=" in text for name in ("board", "model", "outputs", "verbose"))
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("other", ["stream=rows", "guards=1"])
def test_a_budget_of_ram_needs_tensors_of_the_arena(root: Path, other: str) -> None:
    name, _, value = other.partition("=")
    with pytest.raises(ToolchainError, match=f"BLD006: {name} and ram_budget cannot be set"):
        read_settings({"ram_budget": "64K", name: value}, root)
    assert read_settings({"ram_budget": "64K"}, root).ram_budget == 65536
