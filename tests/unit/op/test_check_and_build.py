"""`check` refuses whatever a build refuses because of an op, with the same codes."""

import re
import shutil
from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path

import pytest

from opsmith.cli import main
from tests.unit.op import rogues
from tests.unit.op.folders import GOOD, write
from tests.unit.op.mistakes import MISTAKES

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("alone")
Mistake = tuple[str, str, str, str]  # a text, what replaces it, the code and the words of the error
CODE = re.compile(r"^error (\w{3}\d{3})", re.MULTILINE)


class Commands:
    """Runner of commands in a folder, which keeps the error codes of each."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys

    def codes(self, *arguments: str) -> set[str]:
        """Error codes of one command."""
        status = main([*arguments])
        said = self._capsys.readouterr().err
        assert status == (2 if CODE.findall(said) else 0), said
        return set(CODE.findall(said))

    def built(self, op: Path, root: Path | None = None) -> set[str]:
        """Error codes of a build's steps, up to the first step with an error; `root` is what ops=
        names.
        """
        out, model = self._folder / "out", self._folder / "m.tflite"
        model.write_bytes(rogues.twice_model())
        shutil.rmtree(out, ignore_errors=True)
        found = self.codes("bind", "--op", str(op), "--out", f"{out}/x.op.h")
        found |= self.codes("bind", "--op", str(op), "--check", f"{out}/x.cc")
        given = ["--model", str(model), "--ops", str(root or op), "--out", f"{out}/used.json"]
        resolved = self.codes("resolve", *given)
        if resolved:
            assert not (out / "used.json").exists()
            return found | resolved
        given = ["--model", str(model), "--used", f"{out}/used.json", "--runtime", "reference"]
        given += ["--boards", str(ROOT / "boards")]
        return found | self.codes(
            "convert", *given, "--board", "host", "--name", "m", "--out", str(out)
        )


def agree(op: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Require that `check` refuses whatever a build refuses because of the op, by equal codes."""
    commands = Commands(folder, capsys)
    checked, built = commands.codes("check", str(op)), commands.built(op)
    of_op = {code for code in built if not code.startswith("MDL")}
    assert of_op <= checked, (of_op, checked)
    assert checked or not built


def tried(
    mistakes: Sequence[Mistake], config: pytest.Config, kind: Callable[[Mistake], object]
) -> Sequence[Mistake]:
    """Mistakes to try: one of each kind, or all with --examples=2; test_mistakes.py and
    test_rogues.py try all.
    """
    if config.getoption("--examples") > 1:
        return mistakes
    return [*{kind(each): each for each in mistakes}.values()]


def of_function(mistake: Mistake) -> object:
    """Code of a mistake, and the function that the mistake is about."""
    return mistake[2], mistake[3].partition(" ")[0]


@pytest.mark.slow
def test_check_and_build_agree_on_modules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, line in enumerate(rogues.MODULES):
        agree(rogues.write_module(tmp_path / str(number), line), tmp_path, capsys)


@pytest.mark.slow
def test_check_and_build_agree_on_functions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pytestconfig: pytest.Config
) -> None:
    for number, (old, new, _, _) in enumerate(tried(rogues.HOOKS, pytestconfig, of_function)):
        agree(rogues.write_rogue(tmp_path / str(number), old, new), tmp_path, capsys)


@pytest.mark.slow
def test_check_and_build_agree_on_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pytestconfig: pytest.Config
) -> None:
    for number, (old, new, _, _) in enumerate(tried(MISTAKES, pytestconfig, itemgetter(2))):
        text = GOOD.replace(old, new, 1)
        agree(write(tmp_path / str(number), text=text), tmp_path, capsys)


@pytest.mark.slow
def test_check_and_build_agree_on_what_is_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(tmp_path, capsys)
    good = write(tmp_path, text=rogues.TWICE)
    assert commands.codes("check", str(good)) | commands.built(good) == set()
    assert (tmp_path / "out" / "model.json").is_file()
