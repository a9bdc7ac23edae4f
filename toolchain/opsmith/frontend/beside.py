"""Files beside a model that hold a part of its data, on which a build depends, too."""

import hashlib
import importlib
from pathlib import Path

_SHIPPED = Path(__file__).parent


def files_beside(model: Path) -> tuple[Path, ...]:
    """Files found by the module beside.py of the front end for the model's suffix; sorted."""
    suffix = model.suffix.lower().removeprefix(".")
    if not suffix.isidentifier() or not (_SHIPPED / suffix / "beside.py").is_file():
        return ()
    found: tuple[Path, ...] = importlib.import_module(
        f"{__package__}.{suffix}.beside"
    ).files_beside(model)
    return found


def model_digest(model: Path) -> str:
    """SHA-256 of the model and the files beside it, one after the other. Raises OSError."""
    found = hashlib.sha256()
    for each in (model, *files_beside(model)):
        with each.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()
