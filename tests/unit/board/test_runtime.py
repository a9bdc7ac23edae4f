"""Runtimes: what a runtime.toml may say."""

from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.cores import features
from opsmith.board.device import Device, device_on
from opsmith.board.manifest import load_board
from opsmith.board.runtime import command_in, known_libraries, list_runtimes, load_runtime
from opsmith.contract.check_features import runtime_problems
from opsmith.conversion import device_of
from opsmith.errors import ToolchainError
from tests.refusals import refusal

SHIPPED = Path(__file__).resolve().parents[3] / "runtimes"


def write(root: Path, name: str, text: str) -> None:
    (root / name).mkdir()
    (root / name / "runtime.toml").write_text(text, encoding="utf-8")


def test_the_shipped_ones_are_right() -> None:
    assert {"reference", "cmsis"} <= set(list_runtimes(SHIPPED))
    for name in list_runtimes(SHIPPED):
        assert load_runtime(name, SHIPPED).title
    granted = {"thumb", "thumb2", "dsp", "fpu", "mve", "mve_float", "slow_mla", "dual_issue"}
    assert load_runtime("cmsis", SHIPPED).grants == granted
    assert [each.name for each in load_runtime("cmsis", SHIPPED).libraries] == ["cmsis_nn"]


def test_an_unknown_one_gets_a_suggestion() -> None:
    with pytest.raises(ToolchainError, match="did you mean 'cmsis'"):
        load_runtime("cmsi", SHIPPED)


def test_all_problems_of_a_file_come_at_once(tmp_path: Path) -> None:
    write(tmp_path, "mine", 'titel = "x"\ngrants = [1]\nfallback = "x"\n')
    text = str(refusal(load_runtime, "mine", tmp_path))
    assert "unknown key 'titel' (did you mean 'title'?)" in text
    assert "'title' is missing" in text
    assert "'grants' holds 1" in text
    assert "unknown key 'fallback'" in text


def test_the_type_that_a_key_wants_is_named_in_words_of_toml(tmp_path: Path) -> None:
    write(tmp_path, "mine", 'title = 5\ngrants = "dsp"\nlibrary = 5\n')
    fixes = [problem.fix for problem in refusal(load_runtime, "mine", tmp_path).problems]
    assert fixes == ["write a text", "write a list", "write a table"]


@pytest.mark.parametrize("text", ["title = ", 'title = "x"\ngrants = "dsp"\n', "\udcff"])
def test_a_broken_file_is_an_error(tmp_path: Path, text: str) -> None:
    write(tmp_path, "mine", "")
    path = tmp_path / "mine" / "runtime.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ToolchainError, match="BLD030"):
        load_runtime("mine", tmp_path)


@pytest.mark.parametrize(
    "text", ['title = "\\u001b[31m"\ngrants = []', f"x = {'[' * 5000}", f"title = {'9' * 5000}"]
)
def test_a_hostile_runtime_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "runtime.toml").write_text(text)
    said = str(refusal(load_runtime, "odd", tmp_path))
    assert "BLD030" in said and "\x1b" not in said


LIBRARY = """title = "x"
grants = ["dsp"]
provides = ["turbo"]
[library.vendor_nn]
title = "Vendor NN"
header = "include/vendor.h"
archive = "lib/libvendor-nn.a"
cores = ["dsp"]
revision = 'V(\\d+)\\.(\\d+)\\.(\\d+)'
from = "1.2"
below = "3.0"
release = "1.2.0"
attributes = ["Tag_CPU_arch"]
"""


def test_features_are_granted_provided_or_those_of_a_library(tmp_path: Path) -> None:
    write(tmp_path, "vendor", LIBRARY)
    runtime = load_runtime("vendor", tmp_path)
    core = frozenset({"dsp", "mve"})
    assert runtime.features(core) == {"dsp", "turbo"}
    assert runtime.features(core, ["vendor_nn", "other_nn"]) == {"dsp", "turbo", "vendor_nn"}
    assert runtime.all_features == {"turbo", "vendor_nn"}
    (library, caller) = known_libraries(SHIPPED, tmp_path)["vendor_nn"]
    assert (library.first, library.below, caller.name) == ((1, 2), (3, 0), "vendor")


READERS = """title = "x"
grants = []
emits = ["calls.cc", "kernels.cl"]
devices = ["fast"]
environment = ["VENDOR_DEVICE"]
times = "VENDOR_TIMES"
[derive."kernels.bin"]
from = "kernels.cl"
command = ["cc", "{source}", "-o", "{target}", "-I{folder}"]
when = "fast"
[check.syntax]
from = "kernels.cl"
command = ["cc", "-fsyntax-only", "{source}"]
[device]
launch_ns = 1
border_ns = 1
byte_ns = 1
instruction_ns = 1
cpu_instruction_ns = 1
"""


def test_programs_read_what_is_emitted(tmp_path: Path) -> None:
    write(tmp_path, "vendor", READERS)
    (tmp_path / "vendor" / "emitter.py").touch()
    runtime = load_runtime("vendor", tmp_path)
    assert runtime.times == "VENDOR_TIMES"
    made, check = runtime.readers
    assert (made.name, made.makes, made.source, made.device) == (
        "kernels.bin",
        True,
        "kernels.cl",
        "fast",
    )
    assert made.filled(source="a", target="b", folder="c") == ["cc", "a", "-o", "b", "-Ic"]
    assert (check.name, check.makes, check.device) == ("syntax", False, "")


@pytest.mark.parametrize(("old", "new", "told"), [
    ('grants = ["dsp"]', 'grants = ["dps"]', "'grants' has 'dps', which no core has (did you"),
    ('["turbo"]', '["mve"]', "'provides' has 'mve', which is a feature of cores"),
    ('cores = ["dsp"]', 'cores = ["no"]', "'library.vendor_nn.cores' has 'no', which no core"),
    ("library.vendor_nn", "library.mve", "'library.mve' brings the feature 'mve', which is"),
])  # fmt: skip
def test_features_are_those_of_cores(tmp_path: Path, old: str, new: str, told: str) -> None:
    write(tmp_path, "vendor", LIBRARY)
    manifest = tmp_path / "vendor" / "runtime.toml"
    shipped = [SHIPPED / name for name in list_runtimes(SHIPPED)]
    assert not [*runtime_problems([tmp_path / "vendor", *shipped], features())]
    manifest.write_text(LIBRARY.replace(old, new), encoding="utf-8")
    (problem,) = runtime_problems([tmp_path / "vendor"], features())
    assert told in problem.what
    assert (problem.code, problem.where) == ("BLD030", str(manifest))


DEVICE = """title = "x"
grants = []
emits = ["calls.cc"]
[device]
launch_ns = 4000
border_ns = 20_000
byte_ns = 0.1
instruction_ns = 0.01
cpu_instruction_ns = 0.5
"""


def test_a_runtime_says_what_its_device_costs_and_a_board_knows_better(tmp_path: Path) -> None:
    write(tmp_path, "vendor", DEVICE)
    (tmp_path / "vendor" / "emitter.py").touch()
    found = load_runtime("vendor", tmp_path).device
    assert found == Device("vendor", 4000, 20_000, 0.1, 0.01, 0.5)
    board = {"vendor": {"launch_ns": 9.5}, "other": {"byte_ns": 1.0}}
    assert device_on(found, board, ("vendor", "other"), "b") == replace(found, launch_ns=9.5)
    assert device_on(None, board, ("vendor", "other"), "b") is None
    with pytest.raises(ToolchainError, match="BRD002: unknown key 'device.vendr'.*'vendor'"):
        device_on(found, {"vendr": {}}, ("vendor", "other"), "b")


PI = "raspberry_pi_5"


@pytest.mark.parametrize(("named", "devices", "costs", "said"), [
    (PI, ("opencl",), ("gpu",), ""),
    (PI, (), ("gpu",), "'device.gpu' changes nothing: runtime 'gpu' computes on a device (cuda, "
     "opencl), and the board has none"),
    (PI, ("cuda",), ("cmsis",), "'device.cmsis' changes nothing: runtime 'cmsis' computes on the "
     "processor"),
    ("nucleo_f446re", ("cuda",), (), "'devices' holds 'cuda', which changes nothing: it needs an "
     "operating system, and cortex-m4f has none"),
    (PI, ("opencll",), (), "'devices' holds 'opencll', which changes nothing: no runtime computes "
     "on it (did you mean 'opencl'?)"),
])  # fmt: skip
def test_devices_and_their_costs_that_no_runtime_uses_are_refused(
    named: str, devices: tuple[str, ...], costs: tuple[str, ...], said: str
) -> None:
    shipped = load_board(named, [SHIPPED.parent / "boards"])
    times = {name: {"launch_ns": 3.0} for name in costs}
    board = replace(shipped, devices=devices, device_times=times)
    runtime = load_runtime("cmsis", SHIPPED)
    if said:
        (problem,) = refusal(device_of, runtime, board, ()).problems
        assert (problem.code, problem.what) == ("BRD020", said)
    else:
        assert device_of(runtime, board, ()) is None


MISTAKES = {LIBRARY: [
    ("library.vendor_nn", "library.Vendor-NN", "library 'Vendor-NN' is no lower-case"),
    ("[library.vendor_nn]", "library = 3\n[other]", "'library' is 3"),
    ("[library.vendor_nn]", "[library]", "'library.title' is"),
    ("archive", "arcive", "unknown key 'library.vendor_nn.arcive' (did you mean 'archive'?)"),
    ("archive", "arcive", "'library.vendor_nn.archive' is missing"),
    ('"lib/lib', '"../lib', "'library.vendor_nn.archive' is '../libvendor-nn.a'"),
    ('"1.2"', '"one"', "'library.vendor_nn.from' is 'one'"),
    ('["dsp"]\nrevision', "[1]\nrevision", "'library.vendor_nn.cores' holds 1"),
    ('["Tag_CPU_arch"]', "[1]", "'library.vendor_nn.attributes' holds 1"),
    ("V(", "V((", "'library.vendor_nn.revision' is no regular expression"),
    ("V(\\d+)", "V", "'library.vendor_nn.revision' has 2 groups"),
    ('below = "3.0"', 'below = "1.2"', "'library.vendor_nn.below' is not above 'from'"),
    ('["turbo"]', '["", "a,b"]', "'provides' holds '', which is no name"),
    ('["turbo"]', '["", "a,b"]', "'provides' holds 'a,b', which is no name"),
    ('grants = ["dsp"]', 'grants = ["Dsp"]', "'grants' holds 'Dsp', which is no name"),
    ('["turbo"]', '"turbo"', "'provides' is 'turbo'"),
    ('["turbo"]', "[1]", "'provides' holds 1"),
], READERS: [
    ('from = "kernels.cl"', 'form = "kernels.cl"', "key 'derive.kernels.bin.form' (did you mean"),
    ('from = "kernels.cl"', "", "'derive.kernels.bin.from' is missing"),
    ('from = "kernels.cl"', 'from = "kernel.cl"', "bin.from 'kernel.cl' (did you mean"),
    ('when = "fast"', 'when = "fats"', "bin.when 'fats' (did you mean 'fast'?)"),
    ('when = "fast"', "when = 1", "'derive.kernels.bin.when' is 1"),
    ("VENDOR_DEVICE", "vendor device", "'environment' holds 'vendor device'"),
    ("VENDOR_TIMES", "vendor times", "'times' is 'vendor times'"),
    ('"VENDOR_TIMES"', "1", "'times' is 1"),
    ("[device]", "[check.device]", "'times' needs [device], whose nodes take them"),
    ('["fast"]', '["Fast"]', "'devices' holds 'Fast', which is no name"),
    ('["cc", "{source}"', '["", "{source}"', "'derive.kernels.bin.command' holds ''"),
    ('["cc", "-f', '["{folder}/cc", "-f', "syntax.command' begins with '{folder}/cc'"),
    ("{folder}", "{floder}", "'derive.kernels.bin.command' has {floder} (did you mean 'folder'?)"),
    ('"{target}", ', "", "'derive.kernels.bin.command' does not say where the file goes"),
    ('only", "{source}"', 'only", "{target}"', "syntax.command' has {target}, and a check"),
    ('"kernels.bin"', '"calls.cc"', "derive.calls.cc: the emitter writes a file of this name"),
    ('"kernels.bin"', '"more.cc"', "derive.more.cc: only an emitter can write a file"),
    ('"kernels.bin"', '"../x"', "derive.../x: the name can be none of a file"),
    ("[check.syntax]", "[check]\nsyntax = 1\n[derive.x]", "'check.syntax' is 1"),
    ("[derive", "check = 1\n[derive", "'check' is 1"),
], DEVICE: [
    ("launch_ns", "lunch_ns", "unknown key 'device.lunch_ns' (did you mean 'launch_ns'?)"),
    ("launch_ns = 4000\n", "", "'device.launch_ns' is missing"),
    ("4000", "-1", "'device.launch_ns' is -1"),
    ("4000", "true", "'device.launch_ns' is True"),
    ("0.1", "nan", "'device.byte_ns' is nan"),
    ("0.1", "inf", "'device.byte_ns' is inf"),
    ("0.1", '"0.1"', "'device.byte_ns' is '0.1'"),
    ("[device]", "device = 3\n[other]", "'device' is 3"),
    ('emits = ["calls.cc"]\n', "", "'device' needs an emitter"),
]}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "vendor").mkdir()
    if "emits" in text:
        (tmp_path / "vendor" / "emitter.py").touch()
    for old, new, told in MISTAKES[text]:
        assert old in text
        changed = text.replace(old, new, 1)
        changed = changed.split("[check.syntax]")[0] if "check = 1" in new else changed
        (tmp_path / "vendor" / "runtime.toml").write_text(changed, encoding="utf-8")
        said = str(refusal(load_runtime, "vendor", tmp_path))
        assert "BLD030" in said and told in said, (old, new)


def test_a_device_cannot_be_called_like_the_processor(tmp_path: Path) -> None:
    write(tmp_path, "cpu", DEVICE)
    with pytest.raises(ToolchainError, match="BLD030: a device cannot be called 'cpu'"):
        load_runtime("cpu", tmp_path)


@pytest.mark.parametrize(("text", "told"), [
    ('do-this = ""', "'commands.do-this' is empty"),
    ("do-this = 1", "'commands.do-this' is 1"),
    ('"Do this" = "x"', "'commands' has 'Do this'"),
    ('do-that = "x"', "'commands' has 'do-that', and there is no do_that.py"),
    ('do-this = "does this"', ""),
])  # fmt: skip
def test_commands_of_a_runtime(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path, "mine", f'title = "Mine"\ngrants = []\n[commands]\n{text}\n')
    (tmp_path / "mine" / "do_this.py").touch()
    if not told:
        found = load_runtime("mine", tmp_path)
        assert found.commands == {"do-this": "does this"}
        assert command_in(found.folder, "do-this") == tmp_path / "mine" / "do_this.py"
        return
    said = str(refusal(load_runtime, "mine", tmp_path))
    assert "BLD030" in said and told in said
