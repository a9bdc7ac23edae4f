"""Headers of shipped ops include what they use of headers that ops share.

Tests of ops do not see it: they compile the kernels of several ops one after the other.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

import pytest

from opsmith.contract.bind import bind
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops

pytestmark = pytest.mark.slow  # it writes the headers of all ops

SHARED = ("runtimes/core/", "runtimes/families/")
PLACES = ("", "ops/", "runtimes/")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
IGNORED = re.compile(r'^#(?:.*\\\n)*.*|//.*|"[^"\n]*"', re.MULTILINE)
NAMESPACE = re.compile(r"^namespace opsmith::(\w+) \{", re.MULTILINE)
# At the start of a line, what other files may use; anywhere, what has a name after its type. Macros
# are left out.
DEFINED = re.compile(
    r"^(?!return|using namespace|namespace)(?:(?:struct|enum class|using) (\w+)"
    r"|[A-Za-z][^\n;={}()]*?[ *&](\w+)(?: =|\{|\(|\[))",
    re.MULTILINE,
)
TYPED = re.compile(
    r"\b(?!return|else|case)[A-Za-z_]\w*(?:<[^;{}]*?>)?(?: const)?[ *&]+(\w+)\s*(?=[,;=(){\[:])"
    r"|, \*?(\w+) = |\[(\w+)"
)
FREE = re.compile(r"(?<![\w.:])(?<!->)(\w+)\b(?!::)")
QUALIFIED = re.compile(r"\b(\w+)::(\w+)")


@pytest.fixture(scope="module")
def files() -> Mapping[str, str]:
    """Text of all headers of ops and runtimes, with generated ones, by path."""
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for part in ("ops", "runtimes")
        for path in ROOT.glob(f"{part}/**/*.h")
    }
    generated = {f"{each.op.name}.op.h": bind(each) for each in shipped_ops().by_name.values()}
    return found | generated


def missing(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Names that a header of an op uses and no included header defines, by header."""
    texts = {path: IGNORED.sub("", text) for path, text in files.items()}
    shared = {path: texts[path] for path in texts if path.startswith(SHARED)}
    anywhere = set(chain.from_iterable(map(_defined, shared.values())))
    spaces = set(chain.from_iterable(map(NAMESPACE.findall, shared.values())))
    words = {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}

    @cache
    def named(path: str) -> set[str]:
        return {*_defined(texts[path]), *_groups(TYPED, texts[path])}

    found = {}
    for path in (path for path in files if path.startswith("ops/")):
        known = {path, *_closure(files, path)}
        free = set(FREE.findall(texts[path])) & anywhere
        found[path] = free - set().union(*map(named, known)) - {"__attribute__"}
        for space, name in QUALIFIED.findall(texts[path]):
            here = (each for each in known if space in NAMESPACE.findall(texts[each]))
            if space in spaces and not any(name in words[each] for each in here):
                found[path].add(f"{space}::{name}")
    return {path: names for path, names in found.items() if names}


def _defined(text: str) -> Iterator[str]:
    return _groups(DEFINED, text)


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    return (name for found in pattern.finditer(text) for name in found.groups() if name)


def _closure(files: Mapping[str, str], path: str) -> set[str]:
    found: set[str] = set()
    waiting = [path]
    while waiting:
        at = waiting.pop()
        for name in INCLUDE.findall(files[at]):
            places = (f"{place}{name}" for place in (f"{at.rpartition('/')[0]}/", *PLACES))
            there = next((each for each in places if each in files), None)
            if there is not None and there not in found:
                found.add(there)
                waiting.append(there)
    return found


def test_headers_of_ops_include_what_they_use(files: Mapping[str, str]) -> None:
    assert missing(files) == {}


@pytest.mark.few(1)
@pytest.mark.parametrize(("header", "included", "name"), [
    ("ops/neg/reference.h", "runtimes/families/unary.h", "unary::of_each"),
    ("ops/cumsum/reference.h", "runtimes/core/wrapping.h", "wrapping_sum"),
])  # fmt: skip
def test_one_that_does_not_is_found(
    files: Mapping[str, str], header: str, included: str, name: str
) -> None:
    line = f'#include "{included}"\n'
    assert line in files[header]
    assert name in missing({**files, header: files[header].replace(line, "")})[header]
