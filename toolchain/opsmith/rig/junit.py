"""Results of a run as JUnit's XML, for CI servers: one test case, its properties and text."""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from opsmith.errors import escaped

_FAIL = "fail"


def junit(result: Mapping[str, Any], text: str) -> str:
    """JUnit document of a run. Wrong outputs are a failure; all else but a pass is an error."""
    passed, failed = result["outcome"] == "pass", result["outcome"] == _FAIL
    seconds = f"{sum(phase['seconds'] for phase in result['phases']):.3f}"
    counts = {"tests": "1", "failures": str(int(failed)), "errors": str(int(not passed | failed))}
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", name="opsmith run", timestamp=result["started"])
    suite.attrib |= {**counts, "skipped": "0", "time": seconds}
    properties = SubElement(suite, "properties")
    for name, value in _properties(result):
        SubElement(properties, "property", name=name, value=value)
    case = SubElement(suite, "testcase", classname=result["board"]["name"], time=seconds)
    case.set("name", result["model"]["name"])
    if not passed:
        problems = (result["error"] or {}).get("problems", [])
        message = escaped("; ".join(each["what"] for each in problems)) or "other outputs"
        kind = problems[0]["code"] if problems else result["outcome"]
        SubElement(case, "failure" if failed else "error", type=kind, message=message)
    SubElement(case, "system-out").text = escaped(text)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _properties(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "outcome", result["outcome"]
    yield "model", result["model"]["sha256"] or ""
    for group in ("firmware", "toolchain", "place"):
        for name, value in (result[group] or {}).items():
            yield f"{group}.{name}", str(value)
    yield "runtime", result["runtime"] or ""
    yield "kernels", ", ".join(result["kernels"])
