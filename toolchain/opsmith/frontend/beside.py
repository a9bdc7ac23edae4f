"""Files beside a model that it has a part of its data in: a build depends on them, too."""

import hashlib
import importlib
from pathlib import Path

_SHIPPED = Path(__file__).parent


def files_beside(model: Path) -> tuple[Path, ...]:
    """The files that the front end of the model's suffix finds by a module beside.py; sorted."""
    suffix = model.suffix.lower().removeprefix(".")
    if not suffix.isidentifier() or not (_SHIPPED / suffix / "beside.py").is_file():
        return ()
    found: tuple[Path, ...] = importlib.import_module(
        f"{__package__}.{suffix}.beside"
    ).files_beside(model)
    return found


def model_digest(model: Path) -> str:
    """SHA-256 of the model and of the files beside it, one after the other. Raises OSError."""
    found = hashlib.sha256()
    for each in (model, *files_beside(model)):
        with each.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()
