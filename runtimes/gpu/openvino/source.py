"""OpenCL C of a custom layer: constructs with which a kernel cannot run unchanged."""

import re
from collections.abc import Iterator
from itertools import islice

from runtimes.gpu.neighbours import directive_problems, reading_problems
from runtimes.gpu.preprocessor import INCLUDES, QUOTED, as_compilers_read, lines_of

MOST_BYTES = 1 << 20
_LOCAL = re.compile(r"\b(?:__)?local\b")
_KERNEL = re.compile(r"\b(?:__)?kernel\b")
_NAMED = re.compile(r"\bvoid\s+(\w+)\s*\(")
_MOST_NAMED = 100
_WORDS = {
    "reqd_work_group_size": "its groups are as WorkSizes says: remove the attribute, name local=",
    "intel_reqd_sub_group_size": "it needs a GPU of Intel: write it without subgroups",
    "work_group_size_hint": "compilers need not heed it: remove it",
    "vec_type_hint": "compilers need not heed it: remove it",
    "image2d_t": "tensors are buffers: take a pointer",
    "sampler_t": "tensors are buffers: take a pointer",
}

Complaint = tuple[str, str]  # what, fix


def source_problems(text: str) -> Iterator[Complaint]:
    """Constructs of a file that cannot be honoured: (what, fix)."""
    text = as_compilers_read(text)
    for name, rest in (line.directive or ("", "") for line in lines_of(text)):
        if name in INCLUDES:
            fix = "put that text into the file: OpenVINO finds none either"
            yield f"it includes {rest[:80]}", fix
    yield from ((f"it {what}", fix) for what, fix in directive_problems(text))
    yield from ((f"it {what}", fix) for what, fix in reading_problems(text))
    code = _code(text)
    if found := _declared_local(code):
        what = f"it declares memory of a group in the kernel: '{' '.join(found.split())[:60]}'"
        yield what, "write the kernel as a gpu.cl, with work=Work(items, group, local)"
    for word, fix in _WORDS.items():
        if re.search(rf"\b{word}\b", code):
            yield f"it says {word}", fix


def _code(text: str) -> str:
    """Text without comments, strings and character literals."""
    lines = (line.code for line in lines_of(as_compilers_read(text)))
    return "\n".join(re.sub(QUOTED, " ", each) for each in lines)


def _declared_local(code: str) -> str:
    """First variable in the memory of a group, up to its size or value, or ""."""
    for part in re.finditer(r"[^*;(){},]+;?", code):
        found = _LOCAL.search(part[0])
        end = max(map(part[0].rfind, ";[=")) if found else -1
        if found and end > found.end() - 1:
            return part[0][found.start() : end + 1]
    return ""


def parameters(text: str, entry: str) -> int | None:
    """Number of parameters of the kernel of this name; None where the text has no such kernel."""
    for name, rest, stop in _heads(text):
        given, closed, after = rest.rpartition(")")
        if name == entry and stop == "{" and closed and not after.strip():
            return _count(given)
    return None


def _count(given: str) -> int:
    """Number of parameters in the text between parentheses."""
    depth, count = 0, 1
    for character in given:
        depth += {"(": 1, ")": -1}.get(character, 0)
        count += character == "," and depth == 0
    return count if given.strip() not in ("", "void") else 0


def kernels(text: str) -> list[str]:
    """Names of the text's kernels, at most the first hundred."""
    return [name for name, _, _ in islice(_heads(text), _MOST_NAMED)]


def _heads(text: str) -> Iterator[tuple[str, str, str]]:
    """(name, text after its parenthesis, end of that text) of each kernel."""
    parts = re.split("([;{}])", _code(text))
    for part, stop in zip(parts[::2], [*parts[1::2], ""], strict=True):
        start = _KERNEL.search(part)
        named = _NAMED.search(part, start.end()) if start else None
        if named is not None:
            yield named[1], part[named.end() :], stop
