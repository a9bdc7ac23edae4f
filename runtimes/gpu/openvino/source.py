"""The OpenCL C of a custom layer: what keeps a kernel from running as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opsmith.runtimes.gpu.neighbours import directive_problems
from opsmith.runtimes.gpu.preprocessor import INCLUDES, QUOTED, as_compilers_read, lines_of

MOST_BYTES = 1 << 20
_LOCAL = re.compile(r"\b(?:__local|local)\b[^*;(){},]*[;\[=]")
_WORDS = {
    "reqd_work_group_size": "its groups are as WorkSizes says: remove the attribute, name local=",
    "intel_reqd_sub_group_size": "it needs a GPU of Intel: write it without subgroups",
    "work_group_size_hint": "compilers need not heed it: remove it",
    "vec_type_hint": "compilers need not heed it: remove it",
    "image2d_t": "tensors are buffers: take a pointer",
    "sampler_t": "tensors are buffers: take a pointer",
}

Told = tuple[str, str]  # what, fix


def source_problems(text: str) -> Iterator[Told]:
    """What in a file cannot be honoured."""
    text = as_compilers_read(text)
    for name, rest in (line.directive or ("", "") for line in lines_of(text)):
        if name in INCLUDES:
            fix = "put that text into the file: OpenVINO finds none either"
            yield f"it includes {rest[:80]}", fix
    yield from ((f"it {what}", fix) for what, fix in directive_problems(text))
    code = _code(text)
    if found := _LOCAL.search(code):
        what = f"it declares memory of a group in the kernel: '{' '.join(found[0].split())[:60]}'"
        yield what, "write the kernel as a gpu.cl, with work=Work(items, group, local)"
    for word, fix in _WORDS.items():
        if re.search(rf"\b{word}\b", code):
            yield f"it says {word}", fix


def _code(text: str) -> str:
    """The text without comments, strings and characters."""
    lines = (line.code for line in lines_of(as_compilers_read(text)))
    return "\n".join(re.sub(QUOTED, " ", each) for each in lines)


def parameters(text: str, entry: str) -> int | None:
    """How many parameters the kernel of this name has; None where there is no such kernel."""
    code = _code(text)
    start = r"\b(?:__)?kernel\b[^;{}]*?\bvoid\s+"
    found = re.search(rf"{start}{re.escape(entry)}\s*\(([^;{{}}]*)\)\s*\{{", code)
    if found is None:
        return None
    depth, count = 0, 1
    for character in found[1]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        count += character == "," and depth == 0
    return count if found[1].strip() not in ("", "void") else 0


def kernels(text: str) -> list[str]:
    """The names of its kernels."""
    code = _code(text)
    return re.findall(r"\b(?:__)?kernel\b[^;{}]*?\bvoid\s+(\w+)\s*\(", code)
