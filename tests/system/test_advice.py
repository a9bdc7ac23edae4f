"""No `fix:` ends in another error: each command that one names is run where its error was made.

Which codes name a command is read from the source (`tests/advice.py`); a code without a scenario
here fails the test.
"""

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.tflite.writer import ModelWriter
from tests.advice import FOREIGN, advice, commands
from tests.gpu.custom_layers import write_layers
from tests.system.project import Project, make_project
from tests.unit.frontend.pt2_models import Name, Pt2Writer

pytestmark = [pytest.mark.system, pytest.mark.slow]
HOST = ("board=host", "model=tiny.tflite")
BUILT = "build/host-reference/tiny"
FIX = re.compile(r"^  fix:   (.*)$", re.MULTILINE)


@dataclass
class Place:
    """Project in which errors are made, and the commands that were run to mend the errors."""

    project: Project
    capfd: pytest.CaptureFixture[str]
    ran: dict[str, int] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """Folder of the project."""
        return self.project.root

    def opsmith(self, *arguments: str) -> str:
        """Error output of an `opsmith` command that must fail."""
        assert main([*arguments])
        return self.capfd.readouterr().err

    def scons(self, *arguments: str) -> str:
        """Output of a build that must fail."""
        outcome = self.project.scons(*arguments)
        assert outcome.status == 2, outcome.text
        return outcome.text

    def mends(self, command: str) -> None:
        """Run a command that must succeed, once."""
        if command not in self.ran:
            program, *arguments = shlex.split(command)
            if program == "scons":
                self.project.build(*arguments)
            else:
                assert program == "opsmith"
                self.ran[command] = _status(arguments)
                assert self.ran[command] == 0, self.capfd.readouterr().err
            self.ran[command] = 0


def _status(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:  # of -h
        return int(end.code or 0)


def model(root: Path, name: str, dtype: str = "int8", custom: str = "") -> str:
    """Path of a model of one MUL, or of a CUSTOM operator."""
    m = ModelWriter()
    x, y = m.input("x", (40,), dtype, 0.05), m.tensor("y", (40,), dtype, 0.05)
    if custom:
        m.node("CUSTOM", [x], [y], custom=custom)
    else:
        m.node("MUL", [x, x], [y], version=2)
    m.output(y)
    (root / name).write_bytes(m.bytes())
    return name


# For each error, what makes it: texts that name commands, and what their placeholders stand for.
Told = tuple[str, dict[str, str]]


def unknown_command(place: Place) -> Iterator[Told]:
    yield place.opsmith("nonsense"), {}


def wrong_arguments(place: Place) -> Iterator[Told]:
    for name in ("check", "new-op", "export"):
        yield place.opsmith(name, "--nonsense"), {}


def no_command(place: Place) -> Iterator[Told]:
    yield place.opsmith("../tiny.tflite"), {}
    with chdir(place.root):  # beside its SConstruct
        told = place.opsmith("build")
    yield told, {}


def wrong_types(place: Place) -> Iterator[Told]:
    write_layers(place.root / "layers")
    layer = str(place.root / "layers" / "leaky.xml")
    given = ["import-layer", layer, "--into", "mine", "--types", "f32", "f32", "f32"]
    yield place.opsmith(*given, "--ops", str(place.root / "layers")), {}


def occupied(place: Place) -> Iterator[Told]:
    folder = place.root / "taken"
    folder.mkdir()
    (folder / "SConstruct").write_text("")
    yield place.opsmith("init", str(folder)), {"DIR": "another"}
    Path("hiding").mkdir()
    Path("hiding", "opsmith.py").write_text("")
    yield place.opsmith("init", "hiding"), {"DIR": "other"}
    Path(".gitlab-ci.yml").write_text("")
    yield place.opsmith("new-ci", "gitlab"), {"KIND": "gitlab", "DIR": "elsewhere"}


def nameless(place: Place) -> Iterator[Told]:
    yield place.opsmith("new-op", "--custom", "Peak"), {"NAME": "peak"}


def nothing_missing(place: Place) -> Iterator[Told]:
    yield place.opsmith("new-op", "--from", "../tiny.tflite"), {"NAME": "peek"}


def unclaimed(place: Place) -> Iterator[Told]:
    name = model(Path(), "it's a gain.tflite", custom="Gain")
    given = ("resolve", "--model", name, "--out", "used.json", "--ops")
    yield place.opsmith(*given, "../ops"), {"DIR": "gains"}
    assert main([*given, "gains"]) == 0


def unread(place: Place) -> Iterator[Told]:
    torch = Pt2Writer((2, 5))
    y = torch.call("threshold", (2, 5), self=Name("x"), threshold=0.5, value=-1.0)
    torch.save(Path("unread.pt2"), y)
    given = ("resolve", "--model", "unread.pt2", "--out", "used.json", "--ops", "../ops")
    yield place.opsmith(*given), {"MODEL.pt2": "unread.pt2", "DIR": "torch_ops"}


def strange_types(place: Place) -> Iterator[Told]:
    name = model(Path(), "complex.tflite", "complex128")
    given = ("resolve", "--out", "u.json", "--ops", "../ops", "--model")
    custom = model(Path(), "complex_gain.tflite", "complex64", custom="Gain")
    text = place.opsmith(*given, custom)
    assert "complex numbers (complex64)" in text  # no folder that new-op could write would help
    yield place.opsmith(*given, name), {}


def not_measured(place: Place) -> Iterator[Told]:
    given = (*HOST, "tune=none.toml")
    yield place.scons(*given), {"…": shlex.join(given)}


def stale_measurements(place: Place) -> Iterator[Told]:
    place.mends(f"scons {shlex.join(HOST)} tune")
    file = place.root / "tiny.tune.toml"
    text = file.read_text()
    header = place.root / "runtimes/core/fixed_point.h"
    for changed in ("no TOML", text.replace('model_sha256 = "', 'model_sha256 = "0'), text):
        file.write_text(changed)
        kept = header.read_text()
        header.write_text(kept + ("// edited\n" if changed == text else ""))
        yield place.scons(*HOST), {}
        header.write_text(kept)


def nothing_said(place: Place) -> Iterator[Told]:
    yield place.scons(), {}


def unknown_target(place: Place) -> Iterator[Told]:
    yield place.scons(*HOST, "nonsense"), {}


def ninja_in_a_file(place: Place) -> Iterator[Told]:
    file = place.root / "SConstruct"
    kept = file.read_text()
    file.write_text(kept.replace("Project(", "Project(ninja='1', "))
    text = place.scons(*HOST)
    file.write_text(kept)
    yield text, {"…": shlex.join(HOST)}


def no_package(place: Place) -> Iterator[Told]:
    yield place.opsmith("export", "cmake", "../ops", "out"), {}
    place.mends(f"scons {shlex.join(HOST)} library")
    shutil.copytree(place.root / BUILT / "library", "library")
    Path("library", "opsmith.json").write_text("")
    yield place.opsmith("export", "cmake", "library", "out"), {}


def not_built(place: Place) -> Iterator[Told]:
    run = ("--model", "../tiny.tflite", "--board", "host", "--boards", "../boards", "--build")
    yield place.opsmith("run", *run, "nowhere"), {}
    place.mends(f"scons {shlex.join(HOST)}")
    yield place.opsmith("crosscheck", *run, f"../{BUILT}"), {"…": shlex.join(HOST)}
    report = place.root / BUILT / "report.json"
    kept = report.read_text()
    report.write_text(kept.replace('"sha256": "', '"sha256": "0'))
    yield place.opsmith("run", *run, f"../{BUILT}"), {}
    report.write_text(kept)


def no_board_in_a_map(place: Place) -> Iterator[Told]:
    place.mends("scons board=stm32 model=tiny.tflite")
    run = ("--model", "../tiny.tflite", "--board", "stm32", "--boards", "../boards")
    for content in (None, "[]"):
        Path("desk.yml").write_text(content) if content else Path("desk.yml").unlink(True)
        build = ("--build", "../build/stm32f405-cmsis/tiny")
        yield place.opsmith("run", *run, *build, "--map", "desk.yml"), {}


def unknown_mcu(place: Place) -> Iterator[Told]:
    yield place.opsmith("new-board", "mine", "--mcu", "nothing"), {}


SCAN = "opsmith rig scan --map {shlex.quote(escaped(str(path)))}"
SCENARIOS: dict[Callable[[Place], Iterator[Told]], set[tuple[str, str]]] = {
    unknown_command: {("BLD001", "opsmith -h")},
    wrong_arguments: {("BLD001", "{self.prog} -h")},
    no_command: {
        ("BLD001", "opsmith show {printable(name)}"),
        ("BLD001", "scons board=… model=…"),
    },
    wrong_types: {("BLD001", "opsmith import-layer -h")},
    occupied: {("BLD045", "opsmith init DIR"), ("BLD045", "opsmith new-ci KIND DIR")},
    nameless: {("BLD004", "opsmith new-op NAME"), ("BLD004", "opsmith new-op -h")},
    nothing_missing: {("OPS038", "opsmith new-op NAME")},
    unclaimed: {("MDL010", "opsmith new-op --from {shlex.quote(model)} --into DIR")},
    unread: {("MDL010", "opsmith new-op --from MODEL.pt2 --into DIR")},
    strange_types: {("MDL012", "scons ops")},
    not_measured: {("BLD003", "scons … tune")},
    stale_measurements: {(f"BLD07{n}", "scons board=… model=… tune") for n in range(3)},
    nothing_said: {("BLD004", "scons -h"), ("BLD004", "scons boards")},
    unknown_target: {("BLD005", "scons -h")},
    ninja_in_a_file: {("BLD101", "scons … ninja=1")},
    no_package: {("BLD052", "scons board=… model=… library")},
    not_built: {("RIG001", "scons board=… model=…"), ("RIG002", "scons board=… model=…")}
    | {("RIG016", "scons … {target}")},
    no_board_in_a_map: {("RIG014", SCAN), ("RIG059", SCAN)},
    unknown_mcu: {("BRD025", "scons boards")},
}


def test_each_command_has_a_scenario() -> None:
    found = {(each.code, command) for each in advice() for command in commands(each.text)}
    ours = {each for each in found if not each[1].startswith(FOREIGN)}  # see unit/test_advice.py
    assert ours == set().union(*SCENARIOS.values())


@pytest.fixture(scope="module")
def whole(projects: Path) -> Project:
    """Project with a model of one MUL and the ops that the model needs."""
    project = make_project(projects / "p", ops=("mul", "reshape"))
    model(project.root, "tiny.tflite")
    return project


@pytest.mark.few(9)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_command_succeeds(
    scenario: Callable[[Place], Iterator[Told]],
    whole: Project,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (whole.root / "desk").mkdir(exist_ok=True)
    monkeypatch.chdir(whole.root / "desk")  # beside the ops: those that commands know are ours
    place, wanted = Place(whole, capfd), SCENARIOS[scenario]
    left = {*wanted}
    for text, names in scenario(place):
        codes = set(re.findall(r"^error (\w+)", text, re.MULTILINE))
        assert codes == {code for code, _ in wanted} & codes, text
        for told in (command for fix in FIX.findall(text) for command in commands(fix)):
            left -= {each for each in left if each[0] in codes and _is(told, each[1])}
            place.mends(_filled(told, names))
    assert not left


def _is(told: str, template: str) -> bool:
    """Whether an error's command has the given form."""
    parts = re.split(r"\{[^}]*\}", template)
    return re.fullmatch(".+".join(map(re.escape, parts)), told) is not None


def _filled(command: str, names: dict[str, str]) -> str:
    """Command whose placeholders are filled in."""
    for given in HOST:
        command = command.replace(f"{given.partition('=')[0]}=…", given)
    for name, value in names.items():
        command = re.sub(rf"(?<!\w){name}(?!\w)", value.replace("\\", r"\\"), command)
    return command
