"""Writes the files of a run of ninja: build.ninja, argument lists and records."""

import json
import os
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.digests import RECENT, stamp_of
from opsmith.ninja.build_file import FILE, RECORDS, Edge, build_file
from opsmith.ninja.check import GRAPH, UNKNOWN, content_digest, includes_digest, write_record
from opsmith.ninja.check import stamp_of as check_stamp
from opsmith.ninja.graph import absent_headers, for_scons, scanned
from opsmith.ninja.heard import Heard, short
from opsmith.ninja.records import (
    file_lines,
    files_of,
    link_lines,
    nothing_lines,
    process_lines,
    write_step,
)
from opsmith.ninja.step import SCANNED, STEPS, step_as_data
from opsmith.steps.programs import Builds
from opsmith.steps.seal import Made
from opsmith.steps.sealed import Declared

LONG_AGO = (1, 1)  # s since 1970; to ninja, 0 means a missing file
LOGS = (".ninja_log", ".ninja_deps")  # ninja's logs, with facts about older steps


@dataclass(frozen=True)
class Decided:
    """Inputs that decided which steps exist, besides files recorded by Heard."""

    read: Sequence[str]  # files read outside of Heard
    since: int  # ns: a file newer than this may have changed since it was read
    programs: Sequence[str]  # programs that are compared by the toolchain's id
    absent: Sequence[str]  # paths at which nothing was found
    variables: Sequence[str]


def write(
    folder: Path,
    builds: Builds,
    heard: Heard,
    decided: Decided,
    scons: Sequence[str],
    said: Mapping[str, Any],
) -> None:
    """Write all files into a folder of products. `scons` is the command to run SCons; `said` has
    the entries `environ`, `passed_on` and `verbose` of the file of steps.
    """
    steps = builds.steps
    records = folder / RECORDS
    records.mkdir(exist_ok=True)
    (records / f"{GRAPH}.record").unlink(missing_ok=True)  # then SCons does everything
    for path in records.glob("*.record"):
        path.unlink()
    before = for_scons(steps)
    left = [step for step in steps if step not in before]
    _settle(steps)
    graph, sources = _files(before, builds.made), scanned(steps, ())
    _write_steps(records, left, said)
    _write_scanned(records, scanned(left, graph), builds)
    for step in left:
        write_step(records, step.name, builds.made[step.products[0]], graph, builds.digests)
    for step in left:
        _made_long_ago(records / f"{step.name}.changed")
    _write_build_file(folder, left, scons)
    lines = file_lines(graph, builds.digests)
    lines += _decided_lines(heard, decided, graph)
    lines += nothing_lines(sorted({*absent_headers(sources.items()), *decided.absent}))
    files = {*graph, *map(short, heard.files), *(file for step in left for file in step.files)}
    folders = {*map(os.path.dirname, files), *map(short, heard.folders)}
    lines += link_lines({*sources, *folders})
    own = [folder / FILE, records / STEPS, records / SCANNED]
    lines += [_line(str(path), time.time_ns()) for path in own]
    lines += [f"record - - {records / step.name}.record" for step in left]
    write_record(str(records / f"{GRAPH}.record"), lines)


def _settle(steps: Sequence[Declared]) -> None:
    """Wait until any later write of a product gives another stamp."""
    newest = max(max(stamp_of(file)[1:3]) for step in steps for file in step.products)
    if newest > time.time_ns() - RECENT:
        time.sleep(RECENT / 1e9)


def _files(steps: Sequence[Declared], made: Mapping[str, Made]) -> dict[str, str]:
    """Digests of the files of steps when they were used, by path."""
    found: dict[str, str] = {}
    for step in steps:
        for path, digest in files_of(made[step.products[0]]).items():
            # A file with different digests in two steps was changed between them.
            found[path] = digest if found.get(path, digest) == digest else UNKNOWN
    return dict(sorted(found.items()))


def _write_steps(records: Path, steps: Sequence[Declared], said: Mapping[str, Any]) -> None:
    as_data = {
        step.name: step_as_data(step.work, step.products, step.values, step.files) for step in steps
    }
    (records / STEPS).write_text(json.dumps({**said, "steps": as_data}), encoding="utf-8")


def _write_scanned(records: Path, sources: Iterable[str], builds: Builds) -> None:
    lines = [f"{builds.digests.of(path)} {includes_digest(path)} {path}" for path in sources]
    write_record(str(records / SCANNED), lines)


def _made_long_ago(path: Path) -> None:
    if not path.exists():  # ninja may be waiting, and would run the step after a change of time
        path.touch()
        os.utime(path, LONG_AGO)


def _write_build_file(folder: Path, steps: Sequence[Declared], arguments: Sequence[str]) -> None:
    makers = {product for step in steps for product in step.products}
    edges = [
        Edge(step.name, step.work.says, step.products, sorted(makers.intersection(step.files)))
        for step in steps
    ]
    new = folder / f"{FILE}.new"
    new.write_text(build_file(folder, arguments, edges), encoding="utf-8")
    new.replace(folder / FILE)
    for log in LOGS:
        (folder / log).unlink(missing_ok=True)


def _decided_lines(heard: Heard, decided: Decided, known: Container[str]) -> list[str]:
    lines = [f"file {check_stamp(path)} {UNKNOWN} {path}" for path in decided.programs]
    others = {short(path) for path in (*decided.read, *heard.files)} - {*decided.programs}
    lines += [_line(path, decided.since) for path in sorted(others) if path not in known]
    lines += [heard.folders[path] for path in sorted(heard.folders)]
    return lines + process_lines(decided.variables)


def _line(path: str, since: int) -> str:
    """Line of a record for a file that was read after `since`, in nanoseconds; a file that was
    written meanwhile may have been different. A file's own time may be arbitrary, even in the
    future; the system's is not.
    """
    written = stamp_of(path)[2]
    digest = content_digest("file", path)
    return f"file {UNKNOWN} {UNKNOWN if since <= written <= time.time_ns() else digest} {path}"
