"""Hardware maps: which board is taken, what is refused, and what a scan writes."""

import json
import shlex
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from opsmith.board.manifest import list_boards, load_board
from opsmith.cli import main
from opsmith.errors import ToolchainError
from opsmith.rig import scan
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.hardware_map import fitting, load_map
from opsmith.rig.place import RunRequest, Where, find_places
from opsmith.rig.scan import scanned
from opsmith.rig.serial import Adapter
from tests.refusals import refusal

BOARDS = Path(__file__).resolve().parents[3] / "boards"
NUCLEO = load_board("nucleo_l4r5zi", [BOARDS])
ROW: dict[str, Any] = {
    "connected": True,
    "id": "0671FF",
    "platform": "nucleo_l4r5zi",
    "product": "STM32 STLink",
    "runner": "openocd",
    "serial": "/dev/ttyACM0",
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "map.yml"
    path.write_text(yaml.safe_dump(list(rows)))
    return path


def refused(path: Path) -> list[str]:
    caught = refusal(load_map, path)
    assert {problem.code for problem in caught.problems} == {"RIG059"}
    return [problem.what for problem in caught.problems]


def test_a_map_of_twister_is_read(tmp_path: Path) -> None:
    more = {"fixtures": ["fixture_display", "lamp:3"], "flash_timeout": 30, "baud": 9600}
    more |= {"notes": "on the shelf", "flash_before": True}
    more |= {"script_param": {"post_flash_timeout": 3, "pre_script_arg": ["-v", "a b"]}}
    (entry,) = load_map(written(tmp_path, ROW | more))
    assert (entry.baud, entry.flash_timeout, entry.probe) == (9600, 30, "0671FF")
    assert (entry.post_flash_timeout, entry.pre_script_arg) == (3, ("-v", "a b"))
    path = tmp_path / "map.yml"
    assert fitting([entry], NUCLEO, ["lamp", "fixture_display"], path) == [entry]


@pytest.mark.parametrize("platform", [["frdm_k64f", "nucleo_l4r5zi/x"], "frdm_k64f nucleo_l4r5zi"])
def test_an_entry_may_have_several_platforms(tmp_path: Path, platform: object) -> None:
    path = written(tmp_path, ROW | {"platform": platform, "serial_baud": 9600})
    (entry,) = fitting(load_map(path), NUCLEO, [], path)
    assert entry.baud == 9600


def test_scripts_of_a_map_get_their_arguments(tmp_path: Path) -> None:
    script, said = tmp_path / "script", tmp_path / "said"
    script.write_text(f'#!/bin/sh\necho "$1" >> {said}\necho "no lamp: $1"\nexit $2\n')
    script.chmod(0o755)
    row = {name: value for name, value in ROW.items() if name != "serial"} | {
        "serial_pty": "cat", "pre_script": str(script), "post_script": str(script),
    }  # fmt: skip
    asked = RunRequest(LinkedFirmware(tmp_path, tmp_path, "b"), NUCLEO)
    for status, failure in (("0", ""), ("7", "pre_script failed.*status 7: no lamp: lamp on")):
        arguments = {"pre_script_arg": ["lamp on", status], "post_script_arg": ["off", "0"]}
        path = written(tmp_path, row | {"script_param": arguments})
        (place,) = find_places(asked, Where(map=str(path)))
        with pytest.raises(ToolchainError, match=failure) if failure else nullcontext():
            with place.console():
                assert said.read_text() == "lamp on\n"
            assert said.read_text() == "lamp on\noff\n"


def test_a_serial_number_is_no_octal_number(tmp_path: Path) -> None:
    path = written(tmp_path, ROW)
    path.write_text(path.read_text().replace("0671FF", "0671"))
    assert load_map(path)[0].id == "0671"


@pytest.mark.parametrize(("row", "what"), [
    ({"serail": "x"}, "'serail' is no field (did you mean 'serial'?)"),
    ({"connected": "yes"}, "'connected' is 'yes'"),
    ({"baud": True}, "'baud' is True"),
    ({"fixtures": [1]}, "'fixtures' is [1]"),
    ({"runner_params": ["-x"]}, "'runner_params' is not supported"),
    ({"hooks": []}, "'hooks' is not supported"),
    ({"baud": 0}, "'baud' is 0"),
    ({"flash_timeout": -1.5}, "'flash_timeout' is -1.5"),
    ({"flash_timeout": float("inf")}, "'flash_timeout' is inf"),
    ({"script_param": {"post_timeout": 3}}, "script_param: 'post_timeout' is no field"),
    ({"script_param": {"pre_script_timeout": "x"}}, "'pre_script_timeout' is 'x'"),
    ({7: 8}, "'7' is no field"),
])  # fmt: skip
def test_a_wrong_field_is_refused(tmp_path: Path, row: dict[Any, Any], what: str) -> None:
    (found,) = refused(written(tmp_path, ROW | row))
    assert what in found


def test_a_runner_that_nobody_has_is_refused_for_the_board(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *(ROW | dict.fromkeys(("runner", "id", "serial"), name) for name in ("nrfjprog", "bogus")),
    )
    (problem,) = refusal(fitting, load_map(path), NUCLEO, [], path).problems
    assert (problem.code, "'bogus', which nobody knows" in problem.what) == ("RIG059", True)
    other = written(
        tmp_path, ROW, ROW | {"id": "1", "serial": "", "platform": "frdm_k64f", "runner": "bogus"}
    )
    assert len(fitting(load_map(other), NUCLEO, [], other)) == 1


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    second = {name: value for name, value in ROW.items() if name not in ("product", "runner")}
    found = refused(written(tmp_path, ROW, second | {"x": 1}))
    assert found == [
        "board 2: 'x' is no field",
        "board 2 has no product, runner",
        "board 2 has the id '0671FF' of board 1",
        "board 2 has the serial '/dev/ttyACM0' of board 1",
    ]
    ports = ROW, ROW | {"id": "1", "connected": False}, ROW | {"id": "2"}
    assert refused(written(tmp_path, *ports)) == [
        "board 3 has the serial '/dev/ttyACM0' of board 1"
    ]


@pytest.mark.parametrize("repeated", ["[{}]", "{{<<: [{}]}}"])
def test_aliases_of_aliases_are_not_written_out(tmp_path: Path, repeated: str) -> None:
    lines = ["- {id: a, x: &a0 {y: 1}}"]
    for level in range(40):
        twice = repeated.format(f"*a{level}, *a{level}")
        lines.append(f"- {{id: a, x: &a{level + 1} {twice}}}")
    (tmp_path / "map.yml").write_text("\n".join(lines))
    (what,) = refused(tmp_path / "map.yml")
    assert "more than 65,536 values, aliases written out" in what


def test_a_map_of_more_than_hundreds_of_boards_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "map.yml").write_text(f"- [{'1,' * (1 << 17)}1]")
    (what,) = refused(tmp_path / "map.yml")
    assert what.endswith("more than 262,144 bytes")


@pytest.mark.parametrize("text", [
    "{", "a: 1", "- 1", "&a [*a]", "\0", "- !!python/object:x {}",
    *(f"- id: !!{tag}" for tag in ("int ''", "float ''", "bool x", "timestamp x")),
])  # fmt: skip
def test_what_is_no_map_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.yml").write_text(text)
    refused(tmp_path / "map.yml")
    refused(tmp_path / "none.yml")


@pytest.mark.parametrize(("row", "what"), [
    ({"platform": "frdm_k64f"}, "no board 'nucleo_l4r5zi': its platforms are frdm_k64f"),
    ({"platform": "nucleo_l4r5z"}, "has no board 'nucleo_l4r5zi' (did you mean 'nucleo_l4r5z'?)"),
    ({"connected": False}, "none of the map's 1 boards"),
    ({"available": False}, "none of the map's 1 boards"),
    ({"fixtures": ["other"]}, "with fixtures lamp"),
    ({"serial": ""}, "none of the map's 1 boards"),
])  # fmt: skip
def test_a_board_that_is_not_there_is_no_board(
    tmp_path: Path, row: dict[str, Any], what: str
) -> None:
    path = written(tmp_path, {"fixtures": ["lamp"]} | ROW | row)
    with pytest.raises(ToolchainError, match="RIG014") as caught:
        fitting(load_map(path), NUCLEO, ["lamp"], path)
    assert what in caught.value.problems[0].what


def test_the_probe_chooses_among_boards_of_a_map(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, ROW | {"id": "0672FF", "serial": "/dev/ttyACM1"})
    for probe, count in (("", 2), ("0672FF", 1)):
        asked = RunRequest(LinkedFirmware(tmp_path, tmp_path, "b"), replace(NUCLEO, probe=probe))
        places = find_places(asked, Where(map=str(path)))
        assert len(places) == count
        assert places[-1].locks() == ["port /dev/ttyACM1", "probe 0672FF"]


@pytest.mark.slow
def test_a_scan_marks_what_is_attached(tmp_path: Path) -> None:
    found = [
        Adapter("/dev/ttyACM3", "0483:374b", "0671FF", "STM32 STLink"),
        Adapter("/dev/ttyUSB0", "ffff:0001", "", "a cable"),
    ]
    gone = ROW | {"id": "0999FF", "notes": "mine"}
    rows = scanned(found, list_boards([BOARDS]), [ROW | {"fixtures": ["lamp"]}, gone])
    assert [(row["id"], row["connected"]) for row in rows] == [
        ("0671FF", True), ("0999FF", False), ("/dev/ttyUSB0", True),
    ]  # fmt: skip
    assert (rows[0]["serial"], rows[0]["fixtures"]) == ("/dev/ttyACM3", ["lamp"])
    assert (rows[1]["notes"], rows[2]["platform"]) == ("mine", "unknown")
    assert len(load_map(written(tmp_path, *rows))) == 3


@pytest.mark.slow
def test_a_scan_writes_a_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Adapter("/dev/ttyACM3", "0483:374b", "0671FF", "STM32 STLink")]
    monkeypatch.setattr(scan, "adapters", lambda: found)
    path = tmp_path / "map.yml"
    assert scan.main(["scan", f"--map={path}"]) == 0
    (entry,) = load_map(path)
    assert (entry.id, entry.serial) == ("0671FF", "/dev/ttyACM3")
    assert "1 boards in" in capsys.readouterr().out
    assert scan.main(["scan", f"--map={path}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["map"], told["boards"][0]["id"]) == (str(path), "0671FF")


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, "{}"])
def test_the_advice_about_a_map_mends_it(here: Path, content: str | None) -> None:
    """A scan writes the map that was named; one that cannot be read has to go first."""
    path = Path("my lab.yml")
    if content is not None:
        path.write_text(content)
    (problem,) = refusal(load_map, path).problems
    *before, command = problem.fix.partition("write it by: ")[::2]
    assert before == ["remove it, and " if content else ""]
    path.unlink(missing_ok=True)
    assert main(shlex.split(command)[1:]) == 0
    assert path.is_file()
