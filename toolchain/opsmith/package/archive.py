"""Archives of `conan cache save` without facts that vary from run to run: times, modes, owners, and
the random name of the folder in which Conan made a package.
"""

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from typing import Any

TIME = 315532800  # 1980; SOURCE_DATE_EPOCH of builds, while caches record the restore time
LIST, MANIFEST = "pkglist.json", "conanmanifest.txt"


def settled(archive: bytes) -> bytes:
    """Archive of the same packages whose bytes depend only on their content."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = {member.name: tar.extractfile(member) for member in tar}
        contents = {name: file.read() if file else None for name, file in files.items()}
    listed = json.loads(contents.pop(LIST) or b"")
    folders = dict(_settle(listed))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        _add(tar, LIST, json.dumps(listed, indent=2).encode())
        for name, content in contents.items():
            folder = "/".join(name.split("/")[:2])
            if name.endswith(f"/{MANIFEST}") and content:
                content = b"%d\n%b" % (TIME, content.partition(b"\n")[2])
            _add(tar, folders.get(folder, folder) + name[len(folder) :], content)
    return gzip.compress(made.getvalue(), mtime=0)


def _settle(listed: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give each revision the fixed time, and each package the folder of its revision; yields old
    and new folders.
    """
    for recipe in (each for recipes in listed.values() for each in recipes["revisions"].values()):
        recipe["timestamp"] = TIME
        for package in recipe["packages"].values():
            for revision, found in package["revisions"].items():
                found["timestamp"] = TIME
                old = found["package_folder"].rpartition("/")[0]
                new = f"b/{revision[: len(old) - 2]}"
                for kind in (each for each in found if each.endswith("_folder")):
                    found[kind] = found[kind].replace(old, new)
                yield old, new


def _add(tar: tarfile.TarFile, name: str, content: bytes | None) -> None:
    """Add a file, or a folder if `content` is None."""
    entry = tarfile.TarInfo(name)  # without an owner
    entry.mtime, entry.size = TIME, len(content or b"")
    entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
    entry.mode = 0o755 if content is None else 0o644
    tar.addfile(entry, io.BytesIO(content or b""))
