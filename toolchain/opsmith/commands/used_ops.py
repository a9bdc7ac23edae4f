"""List of the ops that a model uses: `resolve` writes it, `convert` loads only the ops in it.

An edit between the two would go unnoticed, since `convert` depends on the list, not on every op.py;
so the digests in the list are compared.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.contract.assertions import shown_path
from opsmith.discover.discover import discover
from opsmith.errors import Problem, raise_all
from opsmith.op.index import OpFolder, OpIndex
from opsmith.registration import registration_files

# by op: its folder, the backends that bring kernels for it, and a digest of all registrations
Used = Mapping[str, Mapping[str, Any]]


def used_text(ops: Iterable[OpFolder]) -> str:
    """Text of the list of given ops."""
    return list_text({found.op.name: _entry(found.folder, found.backends) for found in ops})


def list_text(used: Used) -> str:
    """Return a list of used ops as JSON."""
    return json.dumps(used, indent=1) + "\n"


def read_used(path: Path) -> Used:
    """Read a list that `resolve` wrote."""
    used: Used = json.loads(path.read_text(encoding="utf-8"))
    return used


def load_used(used: Used, backends: Sequence[Path] = ()) -> OpIndex:
    """Load the listed ops, unchanged since `resolve`. Raises BLD023, OPS0xx and KRN0xx."""
    ops = discover([Path(entry["folder"]) for entry in used.values()], backends, part=True)
    check_unchanged(used)
    return ops


def check_unchanged(used: Used) -> None:
    """Raise BLD023 for each op that has changed since `resolve` read it."""
    fix = "build again once nothing writes it"
    raise_all(
        Problem("BLD023", "changed while the model was converted", _where(entry), fix)
        for entry in used.values()
        if _entry(Path(entry["folder"]), [Path(each) for each in entry["backends"]]) != entry
    )


def _where(entry: Mapping[str, Any]) -> str:
    return " or ".join([f"{entry['folder']}/op.py", *entry["backends"]])


def _entry(folder: Path, backends: Sequence[Path]) -> dict[str, Any]:
    """Entry of an op: its folder, its backends, and the SHA-256 of their registrations' files."""
    digest = hashlib.sha256()
    for place in (folder, *backends):
        for file in registration_files(place):
            content = hashlib.sha256(file.read_bytes()).digest()
            digest.update(os.fsencode(file.relative_to(place)) + b"\0" + content)
    shown = [shown_path(each) for each in backends]
    return {"folder": folder.as_posix(), "sha256": digest.hexdigest(), "backends": shown}
