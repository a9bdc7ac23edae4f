"""Runs the programs that make a `.tflite`, perhaps by another Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from opsmith.child import Ended, finished
from opsmith.elsewhere import QUANTIZER, TENSORFLOW, command_of, versions
from opsmith.errors import ToolchainError
from opsmith.prepare.renewed import renewed

PROGRAMS = Path(__file__).parent / "by"
_QUANTIZER, _TENSORFLOW = PROGRAMS / "quantizer.py", PROGRAMS / "tensorflow_lite.py"
_SECONDS = 4 * 3600.0
_NO_RECIPE, _REFUSED = 3, 4


def quantised(python: str, model: Path, recipe: str, out: Path, samples: Path) -> bytes:
    """Content of a float model quantised by ai-edge-quantizer. Raises MDL050, MDL052, MDL053."""
    versions(python, QUANTIZER)
    content, given = model.read_bytes(), model
    if (new := renewed(content)) != content:
        given = out.with_name("renewed.tflite")
        given.write_bytes(new)
    arguments = [str(given), recipe, str(out), str(samples)]
    fixes = {
        _NO_RECIPE: ("MDL052", "no recipe", "name a recipe, or correct the file"),
        _REFUSED: ("MDL053", "ai-edge-quantizer refuses", "take another recipe, or export again"),
    }
    return _made(python, _QUANTIZER, arguments, out, model, fixes)


def converted(python: str, model: Path, kind: str, out: Path, samples: Path | None = None) -> bytes:
    """TensorFlow model converted to float, int8 or int16x8. Raises MDL050 and MDL053."""
    versions(python, TENSORFLOW)
    arguments = [str(model), kind, str(out), *([] if samples is None else [str(samples)])]
    fixes = {_REFUSED: ("MDL053", "TensorFlow refuses", "export the model again")}
    return _made(python, _TENSORFLOW, arguments, out, model, fixes)


def _made(
    python: str,
    program: Path,
    arguments: Sequence[str],
    out: Path,
    model: Path,
    fixes: Mapping[int, tuple[str, str, str]],
) -> bytes:
    """Content of the file that a program wrote. Raises the error of its exit status."""
    try:
        done = finished(command_of(python, str(program), *arguments), _SECONDS)
    except Ended as error:
        raise ToolchainError.of("MDL050", str(error), where=python, fix="name a Python 3") from None
    if done.status == 0 and out.is_file():
        return out.read_bytes()
    lines = [line.strip() for line in done.said.splitlines() if line.strip()] or [done.how]
    how = done.how if done.status else "it wrote no model"
    code, why, fix = fixes.get(done.status or 0, ("MDL053", how, "see the reason"))
    raise ToolchainError.of(code, f"{why}: {lines[-1]}", where=str(model), fix=fix)
