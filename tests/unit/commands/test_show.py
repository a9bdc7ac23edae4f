"""`opsmith show` describes models, says why they are refused, and estimates within its error."""

import json
from pathlib import Path
from typing import Any

import pytest

from opsmith.cli import main
from opsmith.commands import show_estimates
from opsmith.commands.show import Folders, facts
from opsmith.commands.show_estimates import EstimatedModel, Modelled, linked, table
from opsmith.commands.show_text import lines
from opsmith.conversion import Conversion
from opsmith.discover import discover as discovering
from opsmith.discover import kept_claims
from opsmith.errors import ToolchainError
from opsmith.pipeline import Reading
from opsmith.select import choice
from opsmith.testing.checkout import ROOT
from opsmith.tflite.writer import ModelWriter
from tests.bench.estimates import CORES, Build, builds, recorded, said
from tests.bench.recorded import SHIPPED
from tests.commands import refused
from tests.unit.frontend import control_models as control
from tests.unit.frontend.control_models import adds, branch, doubles, loop, passes

pytestmark = pytest.mark.slow

DIGITS = ROOT / "tests/models/digits_int8.tflite"
HOSTILE = "\x1b[2J\n</script>\x07 error MDL001: " + "x" * 500


def shown(model: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    status = main(["show", str(model), *more])
    found = capsys.readouterr()
    return status, found.out, found.err


def written(path: Path, *operators: str, name: str = "x") -> Path:
    model = ModelWriter()
    x = model.input(name, (1, 4), "float32")
    for number, operator in enumerate(operators):
        y = model.value(operator, [x], model.tensor(f"{name}{number}", (1, 4), "float32"))
        x = y
    model.output(x)
    path.write_bytes(model.bytes())
    return path


def test_a_model_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = shown(DIGITS, capsys, "--json")
    found: dict[str, Any] = json.loads(out)
    assert (status, err, found["refused"]) == (0, "", [])
    assert [each["op"] for each in found["nodes"]][:2] == ["conv_2d", "depthwise_conv_2d"]
    assert found["macs"] == sum(each["macs"] or 0 for each in found["nodes"]) > 10_000
    assert found["inputs"][0]["quantization"].keys() == {"scale", "zero_point"}
    assert found["alive"]["bytes"] >= 960  # what the planner needs, where outputs overlap inputs
    by_core = {each["core"]: each for each in found["estimates"]}
    assert by_core["cortex-m4f"]["arena"] == 960
    assert by_core.keys() >= CORES.keys()
    units = {name: by_core[name]["unit"] for name in ("cortex-m0plus", "cortex-m33f", "hazard3")}
    assert list(units.values()) == [
        "instructions of cortex-m0",
        "modelled cycles of cortex-m4f",
        "instructions of rv32imac",
    ]
    boards = {each["board"]: each["fit"] for each in found["boards"]}
    assert boards["stm32f405"] == "fits"
    assert set(boards.values()) <= {"fits", "tight", "too small"}
    assert "RAM has the\nstack that is used" in "\n".join(lines(found))


@pytest.mark.parametrize(("given", "fix"), [
    (["ops=my_ops"], "write --ops my_ops"),
    (["ops=my ops"], "write --ops 'my ops'"),
    (["ops=a", "backends=b c"], "write --ops a --backends 'b c'"),
    (["json=1"], "see opsmith show -h"),  # an option without a value
    (["ops=a", "json=1"], "see opsmith show -h"),
    (["ops=-a"], "see opsmith show -h"),  # argparse would take the value for an option
    (["ops=a", "--none"], "see opsmith show -h"),
    (["opss=my_ops"], "see opsmith show -h"),  # no option of `show`
])  # fmt: skip
def test_a_variable_of_scons_is_shown_as_an_option(given: list[str], fix: str) -> None:
    assert f"  fix:   {fix}\n" in refused("show", "kws.tflite", *given)


def test_text_has_what_json_has() -> None:
    found, _ = facts(DIGITS, Reading(), Folders())
    text = "\n".join(lines(found))
    for number in (found["macs"], found["parameter_bytes"], found["alive"]["bytes"]):
        assert f"{number:,}" in text
    assert all(each["board"] in text for each in found["boards"])
    assert "agreement with LiteRT: every node follows" in text
    nowhere = {**found, "alive": {"bytes": 0, "at": ""}}  # a model without nodes
    assert "tensors alive at one node: 0 bytes" in [*lines(nowhere)]


@pytest.mark.parametrize(
    ("build", "looped", "time"),
    [(branch(doubles, passes), 0, "one inference"), (loop(adds), 3, "one pass of loops")],
)
def test_nodes_in_loops_count_once_and_are_told(
    build: control.Build, looped: int, time: str, tmp_path: Path
) -> None:
    model = ModelWriter()
    build(model)
    (tmp_path / "m.tflite").write_bytes(model.bytes())
    found, _ = facts(tmp_path / "m.tflite", Reading(), Folders())
    text = "\n".join(lines(found))
    assert (found["looped"] >= looped, time in text) == (True, True)
    assert (f"each of {found['looped']} nodes in loops" in text) == bool(looped)


def test_nodes_that_depart_for_one_reason_are_one_line() -> None:
    found, _ = facts(DIGITS, Reading(), Folders())
    row = {"numerics": "tflm", "op": "mul", "why": "it rounds"}
    departs = [{**row, "source": name} for name in "abc"] + [{**row, "source": "d", "op": "add"}]
    told = [each for each in lines({**found, "agreement": departs}) if "numerics=" in each]
    assert told == [
        "numerics=tflm is not followed by a and 2 more (mul): it rounds",
        "numerics=tflm is not followed by d (add): it rounds",
    ]


def test_every_reason_of_a_refusal_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = written(tmp_path / "m.tflite", "CUSTOM.Peak", "RELU", "CUSTOM.Valley")
    status, out, err = shown(model, capsys, "--json")
    found = json.loads(out)
    assert status == 2
    told = [each["what"] for each in found["refused"]]
    assert told == ["no op claims CUSTOM.Peak", "no op claims CUSTOM.Valley"]
    assert all(each in err for each in told)
    assert [each["op"] for each in found["nodes"]] == ["CUSTOM.Peak", "RELU", "CUSTOM.Valley"]


@pytest.mark.parametrize(("text", "named"), [
    ('OP = Op("peak", claims=[Rename("tflite.CUSTOM.Peak")])', "my_ops"),
    ('OP = Op("peak", claims=[Rename("tflite.CUSTOM.Peaks")])', "DIR"),
    ('# "tflite.CUSTOM.Peak"', "DIR"),
    ("", "DIR"),
    ("(", "DIR"),
])  # fmt: skip
def test_a_folder_here_whose_op_claims_the_operator_is_named(
    text: str,
    named: str,
    here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An SConstruct may name it, which `show` does not run."""
    (here / "my_ops/peak").mkdir(parents=True)
    (here / "my_ops/peak/op.py").write_text(text)
    _, _, err = shown(written(Path("m.tflite"), "CUSTOM.Peak"), capsys)
    assert f"give the folder that claims it: --ops {named}, or: opsmith new-op --from m" in err


def test_names_of_a_model_stay_on_their_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = written(tmp_path / "plain.tflite", "RELU", "ABS")
    hostile = written(tmp_path / "hostile.tflite", "RELU", "ABS", name=HOSTILE)
    _, wanted, _ = shown(plain, capsys)
    status, out, _ = shown(hostile, capsys)
    assert status == 0
    assert len(out.splitlines()) == len(wanted.splitlines())
    assert all(line.isprintable() and len(line) < 2000 for line in out.splitlines())
    _, text, _ = shown(hostile, capsys, "--json")
    assert text.isascii()
    assert json.loads(text)["inputs"][0]["name"].startswith(HOSTILE[:20])


def test_a_scale_that_is_no_number_is_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ModelWriter()
    x = model.input("x", (1, 4), "int8", [float("inf")], [0])
    y = model.value("CUSTOM.Peak", [x], model.tensor("y", (1, 4), "int8", [float("nan")], [0]))
    model.output(y)
    (tmp_path / "m.tflite").write_bytes(model.bytes())
    status, out, _ = shown(tmp_path / "m.tflite", capsys, "--json")
    assert status == 2
    assert json.loads(out, parse_constant=pytest.fail)["nodes"]


def test_a_board_that_cannot_be_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "board.toml").write_text("title = 1\n")
    status, out, err = shown(DIGITS, capsys, "--boards", str(tmp_path), "--json")
    assert status == 2
    assert "odd/board.toml" in err
    assert "stm32f405" in {each["board"] for each in json.loads(out)["boards"]}


def test_what_no_kernel_of_a_runtime_computes_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def on(self: EstimatedModel, conversion: Conversion) -> Modelled:
        if conversion.runtime.name == "cmsis":
            raise ToolchainError.of("KRN029", "no kernel", where="x", fix="y")
        return Modelled(1.0, 10_000, 100)

    monkeypatch.setattr(EstimatedModel, "on", on)
    found, problems = facts(DIGITS, Reading(), Folders())
    boards = {each["board"]: (each["fit"], each["why"]) for each in found["boards"]}
    assert not problems
    assert boards["stm32f405"] == ("not estimated", ["no kernel"])
    assert boards["qemu_riscv32"] == ("fits", [])
    assert "stm32f405 (no kernel)" in "\n".join(lines(found))


def test_a_kernel_is_asked_once_about_a_node_of_several_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, int]] = []
    judge = choice._judged

    def noted(kernel: Any, index: int, seen: Any, preferences: Any) -> list[Any]:
        asked.append((seen.name, index))
        return judge(kernel, index, seen, preferences)

    monkeypatch.setattr(choice, "_judged", noted)
    once, _ = facts(DIGITS, Reading(), Folders())
    assert len(asked) == len(set(asked))
    monkeypatch.setattr(show_estimates, "choose_on_cores", lambda: choice.choose)
    assert facts(DIGITS, Reading(), Folders())[0]["estimates"] == once["estimates"]
    assert len(asked) > 2 * len(set(asked))


def test_no_model_is_estimated_for_seconds(tmp_path: Path) -> None:
    long = written(tmp_path / "long.tflite", *["RELU", "ABS"] * 100)
    found, problems = facts(long, Reading(), Folders(), most=150)
    assert (found["estimates"], problems) == ([], ())
    assert found["not_estimated"] == ("the model has more than 150 nodes, which --estimate ignores")
    assert facts(long, Reading(), Folders(), most=200)[0]["estimates"]


def within(build: Build, core: str) -> None:
    """Require that no measured figure differs from its estimate by more than the table says."""
    row = table()[core]
    estimates = {"time": build.said.cost * row["time"], "flash": linked(row, build.said)}
    if "ram" in row:
        estimates["ram"] = build.said.arena + row["ram"]
    for name in estimates.keys() & build.measured.keys():
        error = 100 * abs(estimates[name] / build.measured[name] - 1)
        refit = "run: .venv/bin/python -m tests.bench.estimates --models=DIR"
        assert error <= row[f"{name}_error"][1], (core, build.model, name, error, refit)


@pytest.mark.parametrize("core", CORES)
def test_the_error_of_estimates_holds_for_the_shipped_model(core: str) -> None:
    within(Build(SHIPPED, recorded()[core][SHIPPED], said(core, DIGITS)), core)


@pytest.mark.few(3)
@pytest.mark.parametrize("core", CORES)
def test_the_error_of_estimates_holds_for_recorded_builds(core: str, models_dir: Path) -> None:
    found = list(builds(core, models_dir))
    assert len(found) == len(recorded()[core]) == table()[core]["builds"]
    for build in found:
        within(build, core)


def test_an_installed_opsmith_brings_the_claims_of_its_ops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ops = {name: each.claims for name, each in discovering.discover([ROOT / "ops"]).by_name.items()}
    monkeypatch.setattr(kept_claims, "INSTALLED", True)

    def loads(folder: Path, backends: object = None) -> None:
        raise AssertionError(f"{folder} is loaded")

    monkeypatch.setattr(discovering, "load_op", loads)
    found = discovering.discover([ROOT / "ops"]).by_name
    assert {name: each.claims for name, each in found.items()} == ops
