"""Lines in an op's folder at which exceptions were raised."""

import traceback
from collections.abc import Sequence
from pathlib import Path

from opsmith.errors import ToolchainError, described, did_you_mean
from opsmith.modules import nearest

FIX = "correct this function, or let it raise OpError for nodes that the op does not allow"


def failure(
    error: BaseException,
    registered: Path,
    owner: str,
    who: str,
    fix: str = FIX,
    names: Sequence[str] = (),
) -> ToolchainError:
    """Error for an exception that a function of an op raised; `who` describes the function where no
    line of the op's folder is in the traceback.

    `registered` is the op.py that names the function, or the file of a backend; `owner` is the
    function's owner: "op 'x'"; `names` are candidates for the key of a KeyError.
    """
    if (found := _frame(error, registered)) is None:
        return _ended(who, error, str(registered), fix, names)
    named = who if found.name.startswith("<") else f"{found.name} of {owner}"
    return _ended(named, error, _place(found, registered), fix, names)


def line(error: BaseException, registered: Path) -> str:
    """Line of the folder of an op.py at which an exception was raised; the file where no line of
    the folder is in the traceback.
    """
    found = _frame(error, registered)
    return str(registered) if found is None else _place(found, registered)


def _frame(error: BaseException, registered: Path) -> traceback.FrameSummary | None:
    """Innermost call of a function of the folder."""
    places = {*_names(registered.parent)}
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((each for each in frames if places & {*Path(each.filename).parents}), None)


def _names(folder: Path) -> tuple[Path, ...]:
    """Paths of a folder as the user, importlib and a module's own code may have them."""
    return folder, folder.absolute(), folder.resolve()


def _place(frame: traceback.FrameSummary, registered: Path) -> str:
    """File and line of a call, below the folder as the user names it."""
    file, folder = Path(frame.filename), registered.parent
    for name in filter(file.is_relative_to, _names(folder)):
        return f"{folder / file.relative_to(name)}:{frame.lineno}"
    return f"{file}:{frame.lineno}"


def failure_of_op(error: BaseException) -> ToolchainError | None:
    """Error for an exception that a function of any op.py raised; None for any other exception."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        folder = _op_folder(file)
        if folder is not None:
            who = f"{frame.name} of op '{folder.name}'"
            return _ended(who, error, f"{file}:{frame.lineno}", FIX)
    return None


def _op_folder(file: Path) -> Path | None:
    """Folder of the op to which a file belongs, directly or in the folder of a variant."""
    if file.name == "op.py":
        return file.parent
    return next((each for each in file.parents[:2] if (each / "op.py").is_file()), None)


def _ended(
    who: str, error: BaseException, where: str, fix: str, names: Sequence[str] = ()
) -> ToolchainError:
    what = f"{who} ended with {described(error)}"
    if isinstance(error, KeyError) and names and isinstance(key := next(iter(error.args), 0), str):
        what += did_you_mean(key, names) or f"; the op has {', '.join(names)}"
    else:
        what += nearest(error)
    return ToolchainError.of("OPS061", what, where=where, fix=fix)
