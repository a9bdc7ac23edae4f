"""Hooks of PEP 517 and PEP 660, without a build system: equal trees give equal bytes.

Neither the folder, the time, the umask nor the file system affects an archive, and a wheel made of
the sdist equals the wheel made of the checkout.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import stat
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "toolchain/opsmith"
SHIPPED = ("LICENSE", "SConstruct", "boards", "ops", "runtimes")  # in the root folder
PLACE = "opsmith/shipped"  # of these in a wheel
BESIDE = ("CHANGELOG.md", "README.md", "bootstrap", "pyproject.toml", "toolchain")


ROOT = Path(__file__).resolve().parents[2]
TAG = "py3-none-any"
FIRST = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip archive can have
WHEEL = f"Wheel-Version: 1.0\nGenerator: opsmith\nRoot-Is-Purelib: true\nTag: {TAG}\n"
Settings = Mapping[str, Any] | None


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel into a folder; returns its file name."""
    return _wheel(Path(wheel_directory), packed(ROOT))


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Write a wheel that imports this checkout into a folder; returns its file name."""
    path = str(ROOT / "toolchain")
    # Python before 3.13 reads the file in the encoding of the locale, and ends where it cannot.
    line = path if path.isascii() else f"import sys; sys.path.append({path!a})"
    content = MemberContent(f"{line}\n".encode())
    return _wheel(Path(wheel_directory), iter([("opsmith.pth", content)]))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Write the archive of sources into a folder; returns its file name."""
    metadata = Metadata.read(ROOT)
    stem = f"{metadata.name}-{metadata.version}"
    members = [*sources(ROOT), ("PKG-INFO", MemberContent(metadata.text.encode()))]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in sorted(members, key=lambda member: member[0]):
            entry = tarfile.TarInfo(f"{stem}/{name}")  # without an owner, dated at the epoch
            entry.mode = content.mode
            entry.size = len(content.data)
            tar.addfile(entry, io.BytesIO(content.data))
    path = Path(sdist_directory, f"{stem}.tar.gz")
    path.write_bytes(gzip.compress(archive.getvalue(), mtime=0))
    return path.name


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Requirements of a build: none besides Python."""
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def _wheel(folder: Path, members: Iterator[tuple[str, MemberContent]]) -> str:
    metadata = Metadata.read(ROOT)
    stem = f"{metadata.name}-{metadata.version}"
    info = f"{stem}.dist-info"
    described = {
        "METADATA": metadata.text,
        "WHEEL": WHEEL,
        "entry_points.txt": metadata.entry_points,
        "licenses/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    found = dict(sorted(members))
    found |= {f"{info}/{name}": MemberContent(text.encode()) for name, text in described.items()}
    lines = [f"{name},{_digest(each.data)},{len(each.data)}\n" for name, each in found.items()]
    record = f"{info}/RECORD"
    found[record] = MemberContent("".join([*lines, f"{record},,\n"]).encode())
    path = folder / f"{stem}-{TAG}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            entry = zipfile.ZipInfo(name, FIRST)
            entry.create_system = 3  # Unix, the only system for which the mode counts
            entry.external_attr = (0o100000 | content.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.data)
    return path.name


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.decode().rstrip('=')}"


@dataclass(frozen=True)
class Metadata:
    """Name and version of the package, and the texts of METADATA and entry_points.txt."""

    name: str
    version: str
    text: str
    entry_points: str

    @classmethod
    def read(cls, root: Path) -> Metadata:
        """Metadata of the checkout at `root`."""
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        readme = (root / project["readme"]).read_text(encoding="utf-8")
        head = "".join(f"{key}: {value}\n" for key, value in _fields(project))
        groups = {"console_scripts": project["scripts"], **project["entry-points"]}
        points = "\n".join(_section(name, group) for name, group in groups.items())
        return cls(project["name"], project["version"], f"{head}\n{readme}", points)


def _fields(project: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Metadata-Version", "2.4"
    yield "Name", project["name"]
    yield "Version", project["version"]
    yield "Summary", project["description"]
    yield "License-Expression", project["license"]
    yield from (("License-File", file) for file in project["license-files"])
    yield "Requires-Python", project["requires-python"]
    yield from (("Requires-Dist", each) for each in project["dependencies"])
    for extra, required in project["optional-dependencies"].items():
        yield "Provides-Extra", extra
        yield from (("Requires-Dist", f'{each}; extra == "{extra}"') for each in required)
    yield "Description-Content-Type", "text/markdown"


def _section(name: str, values: Mapping[str, str]) -> str:
    return "".join([f"[{name}]\n", *(f"{key} = {value}\n" for key, value in values.items())])


@dataclass(frozen=True, order=True)
class MemberContent:
    """Content and permissions of an archive member."""

    data: bytes
    mode: int = 0o644


def packed(root: Path) -> Iterator[tuple[str, MemberContent]]:
    """Members of the wheel by name: the package's folder, and a file by which tools that import
    nothing find `runtimes`.
    """
    yield "opsmith.pth", MemberContent(f"{PLACE}\n".encode())
    yield from _below("opsmith", root / PACKAGE)
    for name in SHIPPED:
        yield from _below(f"{PLACE}/{name}", root / name)


def sources(root: Path) -> Iterator[tuple[str, MemberContent]]:
    """Members of the sdist by name, laid out as in the checkout."""
    for name in (*SHIPPED, *BESIDE):
        yield from _below(name, root / name)


def _below(name: str, path: Path) -> Iterator[tuple[str, MemberContent]]:
    """Members of a path: the file, or files of the folder, without bytecode and hidden files."""
    if path.is_dir():
        for each in path.iterdir():
            if each.name[0] != "." and each.name != "__pycache__" and each.suffix != ".egg-info":
                yield from _below(f"{name}/{each.name}", each)
    elif path.suffix != ".pyc":
        runs = path.stat().st_mode & stat.S_IXUSR
        yield name, MemberContent(path.read_bytes(), 0o755 if runs else 0o644)
