"""Lines of an op's folder that exceptions come from."""

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
    """The error for what a function of an op let out; `who` where none of its lines is known.

    `registered` is the op.py that names the function, or the file of a backend;
    `owner` is whose function it is: "op 'x'"; `names` are those that a KeyError may have missed.
    """
    places = {registered.parent, registered.parent.resolve()}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if places & {*file.parents}:
            named = who if frame.name.startswith("<") else f"{frame.name} of {owner}"
            return _ended(named, error, f"{file}:{frame.lineno}", fix, names)
    return _ended(who, error, str(registered), fix, names)


def failure_of_op(error: BaseException) -> ToolchainError | None:
    """The error for an exception that a function of some op.py let out; None for another's."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        folder = _op_folder(file)
        if folder is not None:
            who = f"{frame.name} of op '{folder.name}'"
            return _ended(who, error, f"{file}:{frame.lineno}", FIX)
    return None


def _op_folder(file: Path) -> Path | None:
    """The folder of the op that a file is of, or of one of its variants."""
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
