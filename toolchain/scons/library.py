"""`library`: the model for somebody else's build: libmodel.a, headers, a list of sources."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ARCHIVE = "rm -f $TARGET && $AR rcsD $TARGET $SOURCES"
DEPENDENCIES = "$CXX -MM $CXXFLAGS $CCFLAGS $_CCCOMCOM $SOURCES > $TARGET"
COLLECT = "$PYTHON -m toolchain.scons.library $SOURCES --out ${TARGET.dir} --flags $LIBRARY_FLAGS"


def library_targets(env: Any, emitted: Any, objects: Any, flags: Iterable[str]) -> list[Any]:
    """Declare libmodel.a, include/ and sources.txt; returns them."""
    from toolchain.scons.environment import command, folder, literal

    where = emitted.folder / "library"
    build = env.Clone()
    build.Prepend(CPPPATH=[folder(env, emitted.folder)])
    archive = build.Command(
        str(where / "libmodel.a"), objects.model, command(env, ARCHIVE, "AR ${TARGET.file}")
    )
    sources = [emitted[name] for name in emitted.files if name.endswith(".cc")]
    interface = build.Command(
        str(where / "interface.d"),
        [emitted["model.h"]],
        command(env, DEPENDENCIES.replace("-MM", "-MM -x c++"), "SCAN model.h"),
    )
    everything = build.Command(
        str(where / "sources.d"), sources, command(env, DEPENDENCIES, "SCAN model.cc")
    )
    listing = build.Command(
        str(where / "sources.txt"),
        [interface, everything],
        command(env, COLLECT, "COLLECT ${TARGET.file}"),
        LIBRARY_FLAGS=literal(env, " ".join([build.subst("$_CPPINCFLAGS"), *flags])),
    )
    env.Depends(listing, [*emitted.files.values(), *objects.model])
    env.Depends([interface, everything], objects.model)  # so that every header exists
    return [*archive, *listing]


def main(argv: list[str]) -> int:
    """Copy the headers that users of the library include; list all the model is made of."""
    parser = argparse.ArgumentParser(prog="python -m toolchain.scons.library", description=__doc__)
    parser.add_argument("interface", type=Path, help="make rule of model.h")
    parser.add_argument("everything", type=Path, help="make rule of the model's sources")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--flags", required=True, help="what kernels have to be compiled with")
    arguments = parser.parse_args(argv)
    include = arguments.out / "include"
    shutil.rmtree(include, ignore_errors=True)
    for header in prerequisites(arguments.interface.read_text(encoding="utf-8")):
        copy = include / (header.name if header.name == "model.h" else header)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(header, copy)
    build = arguments.out.parent
    files = [
        *prerequisites(arguments.everything.read_text(encoding="utf-8")),
        build / "weights.bin",
    ]
    shutil.copyfile(build / "libraries.txt", arguments.out / "libraries.txt")
    lines = [
        "# Files of the generated program, relative to the root of the checkout. Compile .cc with",
        f"# {arguments.flags}",
        "# and link with @libraries.txt.",
        *sorted({str(file) for file in files}),
    ]
    (arguments.out / "sources.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def prerequisites(rules: str) -> list[Path]:
    """The files on the right-hand sides of make rules, without doubles, in order."""
    joined = rules.replace("\\\n", " ")
    found: dict[Path, None] = {}
    for line in joined.splitlines():
        for word in re.findall(r"(?:\\.|\S)+", line.partition(": ")[2]):
            found[Path(re.sub(r"\\(.)", r"\1", word))] = None
    return list(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
