"""Facts that the files of a firmware's record share."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.reading import read_bytes

DOCUMENTS = Path("/usr/share/doc")  # Debian's folder of licences of packages
UNKNOWN = "NOASSERTION"
_MOST_BYTES = 1 << 28  # limit of a linker's map
_LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*")
# For a library with a matching path: its name, its licence, and the Debian package with the
# licence's text.
_KNOWN = (
    (r"/lib/gcc(?:-cross)?/([^/]+)/.*/libgcc(_eh|_s)?\.", "GCC's runtime library",
     "GPL-3.0-or-later WITH GCC-exception-3.1", ("gcc-{}", "libgcc-s1")),
    (r"/picolibc/([^/]+)/", "picolibc", "LicenseRef-picolibc", ("picolibc-{}",)),
    (r"/lib/gcc/([^/]+)/.*/lib[cgm](_nano)?\.a$", "newlib", "LicenseRef-newlib", ("libnewlib-{}",)),
    (r"/lib/gcc/([^/]+)/.*/lib(nosys|rdimon)(_nano)?\.a$", "libgloss", "LicenseRef-newlib",
     ("libnewlib-{}",)),
    (r"-linux-gnu[^/]*/()(?:lib/)?(?:lib[cm]|ld-linux[^/]*)[.-]", "GNU C Library",
     "LGPL-2.1-or-later", ("libc6",)),
)  # fmt: skip
_MEMBER = re.compile(r"^(\S.*\.a)\(.+\)$", re.MULTILINE)
_SHARED = re.compile(r"^LOAD (\S+\.so\.[\d.]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Linked:
    """A library that is linked into a firmware in parts, or that it needs when it runs."""

    file: str  # its name, without folders
    title: str
    licence: str  # SPDX expression
    sha256: str | None
    texts: tuple[Path, ...]  # texts of the licence; none if none was found


@dataclass(frozen=True)
class Facts:
    """Facts about a firmware, from its record and its report."""

    info: Mapping[str, Any]  # content of firmware.buildinfo.json
    models: Sequence[Mapping[str, Any]]  # content of report.json
    board: str
    linked: Sequence[Linked]
    measured: Mapping[str, Any] | None  # measurements of a data set, by `run`
    profile: Mapping[str, Any] | None  # measurements by `profile`
    opsmith: str  # version of Opsmith
    supplier: str
    version: str  # of the product
    builder: str  # URI of the builder
    date: str | None

    @property
    def name(self) -> str:
        """Name of the firmware, made of the models' and the board's."""
        return f"{'_'.join(str(each['name']) for each in self.models)}-{self.board}"

    @property
    def record(self) -> str:
        """Digest of all inputs."""
        return str(self.info["record"])


def linked_libraries(build: Path, supplied: Mapping[str, str]) -> tuple[Linked, ...]:
    """Libraries in the linker's map; `supplied` has digests of those not of the toolchain."""
    text = read_bytes(build / "firmware.map", _MOST_BYTES).decode("utf-8", "replace")
    before = text.partition("\nDiscarded input sections")[0]
    paths = dict.fromkeys([*_MEMBER.findall(before), *_SHARED.findall(text)])
    found = {(each.title, each.file): each for each in (_linked(p, build) for p in paths)}
    files = {each.file for each in found.values()}
    for file, digest in supplied.items():
        if (name := file.rpartition("/")[2]) not in files:
            texts = tuple(_package_texts(build))
            found["a library", name] = Linked(name, "a library", UNKNOWN, digest, texts)
    return tuple(found[key] for key in sorted(found))


def _linked(path: str, build: Path) -> Linked:
    file = Path(path)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
    for pattern, title, licence, packages in _KNOWN:
        if found := re.search(pattern, path):
            names = (package.format(found[1]) for package in packages)
            texts = (DOCUMENTS / name / "copyright" for name in names)
            return Linked(file.name, title, licence, sha256, tuple(filter(Path.is_file, texts))[:1])
    return Linked(file.name, "a library", UNKNOWN, sha256, tuple(_package_texts(build)))


def _package_texts(build: Path) -> Iterator[Path]:
    """Licence files of the packages that ops require."""
    for folder in sorted(build.glob("packages/*")):
        yield from sorted({f for form in _LICENCES for f in folder.rglob(form) if f.is_file()})
