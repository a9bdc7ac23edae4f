"""The OpenCL C of a custom layer: what keeps a kernel from running as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opsmith.reading import with_newlines
from opsmith.runtimes.gpu.definitions import BLANK

MOST_BYTES = 1 << 20
_SPLIT = re.compile(rf"\\{BLANK}\n")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_INCLUDE = re.compile(
    rf"^{BLANK}(?:#|%:|\?\?=){BLANK}(?:include(?:_next)?|import)\b{BLANK}([^\n]*)",
    re.MULTILINE,
)
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
    for line in (each.strip() for each in _INCLUDE.findall(_without_comments(text))):
        yield f"it includes {line[:80]}", "put that text into the file: OpenVINO finds none either"
    code = _code(text)
    if found := _LOCAL.search(code):
        what = f"it declares memory of a group in the kernel: '{' '.join(found[0].split())[:60]}'"
        yield what, "write the kernel as a gpu.cl, with work=Work(items, group, local)"
    for word, fix in _WORDS.items():
        if re.search(rf"\b{word}\b", code):
            yield f"it says {word}", fix


def _without_comments(text: str) -> str:
    """The text as the preprocessor looks for its lines."""
    return _COMMENT.sub(lambda each: each[0] if each[0][0] in "\"'" else " ", _joined(text))


def _code(text: str) -> str:
    """The text without comments, strings and characters."""
    return _COMMENT.sub(" ", _joined(text))


def _joined(text: str) -> str:
    """The text with its lines as the preprocessor has them, before it looks for comments."""
    return _SPLIT.sub("", with_newlines(text).replace("??/", "\\"))


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
