"""Table of a run: as JSON, as JUnit's XML, as a page, and as lines for a terminal."""

import json
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from opsmith.errors import escaped
from opsmith.matrix.plan import AXES
from opsmith.rig.outcome import FAIL, PASS

SCHEMA = 1
COLUMNS = ("outcome", "flash", "ram", "instructions", "cycles", "exact", "accuracy")
TEMPLATE = "page.html.jinja"
Row = Mapping[str, Any]
Table = Mapping[str, Any]


def table_of(run: str, rows: Mapping[str, Row], compared: Mapping[str, Any] | None) -> Table:
    """Table as data; runs with equal results have equal tables."""
    cells = [{"name": name, **row} for name, row in rows.items()]
    return {"schema": SCHEMA, "run": run, "cells": cells, "against": compared}


def is_right(table: Table) -> bool:
    """True if all cells passed, and none is worse than in the earlier run."""
    worse = (table["against"] or {}).get("regressions", [])
    return not worse and all(row["outcome"] == PASS for row in table["cells"])


def files_of(table: Table) -> dict[str, str]:
    """Contents of the table's files by name; with the page if the extra `report` is installed."""
    files = {
        "matrix.json": json.dumps(table, indent=1, ensure_ascii=False) + "\n",
        "matrix.xml": _junit(table),
    }
    return files | ({"matrix.html": _page(table)} if find_spec("jinja2") else {})


def lines_of(table: Table) -> Iterator[str]:
    """Table for a terminal: a line for each cell, and the regressions."""
    head = ["cell", *COLUMNS]
    rows = [[row["name"], *(shown(row[name]) for name in COLUMNS)] for row in table["cells"]]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in [head, *rows]:
        first, *rest = [*zip(row, widths, strict=True)]
        cells = [f"{first[0]:{first[1]}}", *(f"{text:>{width}}" for text, width in rest)]
        yield escaped("  ".join(cells).rstrip())
    for row in table["cells"]:
        yield from [escaped(f"{row['name']}: {_why(row)}")] if row["outcome"] != PASS else []
    for name, worse in _worse(table).items():
        yield from (escaped(f"{name}: {each}") for each in worse)
    compared = table["against"] or {}
    for word in ("new", "gone"):
        yield from (escaped(f"{name}: {word}") for name in compared.get(word, []))


def shown(value: object) -> str:
    """Figure as text; empty where it was not measured."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _why(row: Row) -> str:
    return ": ".join(filter(None, (row["code"], row["what"] or row["outcome"])))


def _worse(table: Table) -> dict[str, list[str]]:
    """Regressions against the earlier run in words, by cell."""
    found: dict[str, list[str]] = {}
    for each in (table["against"] or {}).get("regressions", []):
        before, now = (shown(each[when]) or "not measured" for when in ("before", "now"))
        found.setdefault(each["cell"], []).append(f"{each['column']} was {before} and is {now}")
    return found


def _junit(table: Table) -> str:
    """JUnit XML with a test case for each cell: regressions and wrong outputs are failures."""
    worse = _worse(table)
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", name="opsmith matrix", tests=str(len(table["cells"])))
    failures = errors = 0
    for row in table["cells"]:
        case = SubElement(suite, "testcase", classname=escaped(row["board"]))
        case.set("name", escaped(row["name"]))
        said = worse.get(row["name"], [])
        if row["outcome"] not in (PASS, FAIL):
            errors += 1
            of = {"type": row["code"] or row["outcome"], "message": escaped(_why(row))}
            SubElement(case, "error", of)
        elif said or row["outcome"] != PASS:
            failures += 1
            why = said or [_why(row)]
            of = {"type": "regression" if said else FAIL, "message": escaped("; ".join(why))}
            SubElement(case, "failure", of)
        figures = (f"{name}: {shown(row[name])}" for name in COLUMNS if row[name] is not None)
        SubElement(case, "system-out").text = escaped("\n".join(figures))
    suite.attrib |= {"failures": str(failures), "errors": str(errors), "skipped": "0"}
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _page(table: Table) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    axes = [axis for axis in AXES if any(row[axis] for row in table["cells"])]
    given = {"table": table, "axes": axes, "columns": COLUMNS, "worse": _worse(table)}
    return str(environment.get_template(TEMPLATE).render(given))
