"""Index of Conan recipes: a package for each op, and for the code that the kernels of all ops
share.

The index is a folder that Conan accepts as a remote of type local-recipes-index. All recipes are
the same file; their conandata.yml is in JSON, which is YAML.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.board.runtime import SHIPPED, Runtime, runtime_of
from opsmith.errors import ToolchainError
from opsmith.home import HOME, PACKAGE, RUNTIMES
from opsmith.op.index import OpFolder
from opsmith.package.headers import (
    ANY,
    PackageHeaders,
    headers_of_backend,
    headers_of_core,
    headers_of_op,
    included,
)

RECIPE = PACKAGE / "package" / "header_library" / "conanfile.py"
LICENCE = "Apache-2.0"
LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*")
INCLUDES = ("include", "include/ops", "include/runtimes")
FLAGS = ("-ffp-contract=off",)  # a fused multiply-add rounds once where definitions round twice


def package_name(part: str) -> str:
    """Name of the package of an op, a backend, or the core."""
    return f"opsmith-{part}"


def recipes(ops: Sequence[OpFolder], backends: Sequence[Path], version: str) -> dict[str, bytes]:
    """Content of the index by path, for ops and the kernels that backends bring for them."""
    runtimes = list(map(runtime_of, backends))
    names = [found.name for found in ops]
    packages = [headers_of_core(SHIPPED, package_name("core"), "What kernels of all ops share.")]
    for runtime in runtimes:
        title = f"{runtime.title}: what its kernels share."
        name = package_name(runtime.name)
        packages.append(headers_of_backend(runtime.folder, names, name, title))
    packages += [headers_of_op(found, backends, package_name(found.name)) for found in ops]
    packages = [each for each in packages if each.files]
    _raise_if_taken(packages)
    index = _Index(packages, runtimes, version)
    found = {f"recipes/{place}": text for each in packages for place, text in index.recipe(each)}
    return dict(sorted(found.items()))


def _raise_if_taken(packages: Sequence[PackageHeaders]) -> None:
    """Raise OPS091 where two packages have one name."""
    names = [each.name for each in packages]
    for twice in sorted({name for name in names if names.count(name) > 1}):
        what = f"an op and a runtime would both be the package {twice}"
        raise ToolchainError.of("OPS091", what, where="ops=", fix="rename the op's folder")


@dataclass(frozen=True)
class _Index:
    """Packages of the index, with the owner and the includes of each header."""

    packages: Sequence[PackageHeaders]
    runtimes: Sequence[Runtime]
    version: str
    owners: dict[str, str] = field(default_factory=dict)  # path of a header -> its package
    read: dict[str, tuple[str, ...]] = field(default_factory=dict)  # place -> what it includes

    def __post_init__(self) -> None:
        for package in self.packages:
            self.owners.update(dict.fromkeys(package.files, package.name))
        for package in self.packages:
            for place, content in package.files.items():
                named = included(place, content.decode("utf-8", "replace"), self.owners)
                self.read[place] = tuple(dict.fromkeys(each for _, each in named if each))

    def recipe(self, package: PackageHeaders) -> Iterator[tuple[str, bytes]]:
        """Content by path below recipes/ of one package."""
        top, parts = package.name, self._parts(package)
        yield f"{top}/config.yml", _json({"versions": {self.version: {"folder": "all"}}})
        yield f"{top}/all/conanfile.py", RECIPE.read_bytes()
        yield (
            f"{top}/all/conandata.yml",
            _json({"versions": {self.version: self._data(package, parts)}}),
        )
        for part, places in parts.items():
            for place in (each for each in places if each in package.files):
                yield f"{top}/all/headers/{part}/{place}", package.files[place]
        yield from ((f"{top}/all/licenses/{n}", text) for n, text in _licences(package).items())

    def _data(self, package: PackageHeaders, parts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        required = {
            part: sorted(self._reference(name) for name in self._required(package, places))
            for part, places in parts.items()
        }
        ops = {self._reference(each.name) for each in self.packages if each.kernels}
        return {
            "title": package.title,
            "license": LICENCE if _is_shipped(package) else "",
            "runtimes": self._choices if package.kernels else [],  # of an op: its kernels'
            "headers": required,
            "ops": sorted(ops & {name for names in required.values() for name in names}),
            "libraries": list(package.libraries),
            "includes": INCLUDES,
            "flags": FLAGS,
        }

    @property
    def _core(self) -> str:
        return package_name("core")

    @property
    def _choices(self) -> list[str]:
        """Runtimes for an option, the default first; those that grant nothing precede the rest."""
        plain = [not (each.grants or each.provides or each.emits) for each in self.runtimes]
        ranked = sorted(zip(plain, self.runtimes, strict=True), key=lambda r: (not r[0], r[1].name))
        return [runtime.name for _, runtime in ranked]

    def _reference(self, name: str) -> str:
        return f"{name}/{self.version}"

    def _required(self, package: PackageHeaders, places: Sequence[str]) -> set[str]:
        """Packages whose headers are included by the headers of a package."""
        named = {each for place in places for each in self.read.get(place, ())} | {*places}
        core = {self._core} if package.name != self._core else set()
        return ({self.owners[each] for each in named} | core) - {package.name}

    def _parts(self, package: PackageHeaders) -> dict[str, list[str]]:
        """Places of a package's headers, and of headers elsewhere that contain its kernels, by
        part: any, or a runtime.
        """
        found: dict[str, list[str]] = {ANY: []}
        elsewhere = [place for place, _ in package.kernels if place not in package.files]
        taken_by = self._taken_by(package)
        own = package.name.removeprefix(package_name(""))
        for place in dict.fromkeys([*package.files, *elsewhere]):
            if place not in self.owners:
                continue  # a header of a library
            parts = {each for read in self._closure(place) for each in self._backend(read)} - {own}
            taken = taken_by.get(place, {""})
            parts |= set() if "" in taken else taken
            for part in sorted(parts) or [ANY]:
                found.setdefault(part, []).append(place)
        return found

    def _taken_by(self, package: PackageHeaders) -> dict[str, set[str]]:
        """Runtimes that grant the features required by the kernels that read a header, by place; ""
        where kernels require none.
        """
        found: dict[str, set[str]] = {}
        for place, required in package.kernels:
            granting = {r.name for r in self.runtimes if required <= r.grants | r.all_features}
            for each in self._closure(place):
                found.setdefault(each, set()).update(granting if required else {""})
        return found

    def _closure(self, place: str) -> list[str]:
        """Places of a header and of all headers that it includes, directly or not."""
        found, left = dict.fromkeys([place]), [place]
        while left:
            new = [each for each in self.read.get(left.pop(), ()) if each not in found]
            found.update(dict.fromkeys(new))
            left += new
        return list(found)

    def _backend(self, place: str) -> list[str]:
        return [each.name for each in self.runtimes if place.startswith(f"runtimes/{each.name}/")]


def _is_shipped(package: PackageHeaders) -> bool:
    ours = (HOME / "ops", RUNTIMES)
    return any(package.folders[0].resolve().is_relative_to(each) for each in ours)


def _licences(package: PackageHeaders) -> dict[str, bytes]:
    if _is_shipped(package):
        return {"LICENSE": (HOME / "LICENSE").read_bytes()}
    files = (file for folder in package.folders for form in LICENCES for file in folder.glob(form))
    return {file.name: file.read_bytes() for file in sorted(files) if file.is_file()}


def _json(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, indent=1) + "\n").encode()
