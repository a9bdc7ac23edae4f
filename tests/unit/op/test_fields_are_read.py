"""Every member of params, tables and structs is read by a kernel of each variant that has it."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, make_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from opsmith.home import RUNTIMES
from opsmith.op.describe import Variant
from opsmith.op.kernel import Kernel
from opsmith.testing.known_ops import SHIPPED, shipped_ops

ROOT = SHIPPED.parent


@cache
def code(file: Path) -> str:
    """Text of a file without comments, and of the files that it includes."""
    text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    included = re.findall(r'#include "([^"]+)"', text)
    places = ((ROOT / name, RUNTIMES / name, file.parent / name) for name in included)
    found = (next(filter(Path.is_file, each), None) for each in places)  # <op>.op.h is generated
    return "\n".join([text, *(code(each) for each in found if each is not None)])


@cache
def mentioned(text: str, language: str) -> frozenset[str]:
    """Members that a kernel's file may read; in OpenCL, where they have other names, all words."""
    mark = "" if language == "cl" else r"(?:\.|::|->|offsetof\(\w+, )"
    return frozenset(re.findall(rf"{mark}\b(\w+)", text))


def source(op: str, kernel: Kernel) -> Path:
    """Path of a kernel's file: of its op, of a family or of a backend."""
    if not kernel.header:
        return SHIPPED / op / kernel.source
    return next(filter(Path.is_file, (ROOT / kernel.header, RUNTIMES / kernel.header)))


def structs(kind: Any) -> Iterator[type]:
    """Dataclasses that a type is or has in its fields or parameters."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from structs(hint)
    for part in get_args(kind):
        yield from structs(part)


def unread(op: str, variant: Variant) -> list[str]:
    """Members of structs that no kernel of the variant mentions, though its params have them."""
    read: dict[tuple[type, str], bool] = {}
    for kernel in variant.kernels:
        language = kernel.language
        known = mentioned(code(source(op, kernel)), language)
        known |= mentioned("\n".join(kernel.arguments), language)
        for struct in (*structs(kernel.params), *structs(kernel.tables)):
            for field in fields(struct):
                key = struct, field.name
                read[key] = read.get(key, False) or field.name in known
    return [f"{struct.__name__}.{name}" for (struct, name), found in read.items() if not found]


@pytest.mark.slow
def test_no_variant_has_members_that_its_kernels_do_not_read() -> None:
    found = {
        f"{op} of {[dtype.short for dtype in variant.types.values()]}": members
        for op in shipped_ops().by_name
        for variant in shipped_ops()[op].variants
        if (members := unread(op, variant))
    }
    assert not found


def test_a_member_that_is_not_read_is_found() -> None:
    (variant, *_) = shipped_ops()["conv_2d"].variants
    plain = next(kernel for kernel in variant.kernels if kernel.name == "plain")
    wider = make_dataclass(
        "Wider", [("stray", int)], bases=(plain.params,), frozen=True, kw_only=True
    )
    kernels = (replace(plain, params=wider),)
    assert unread("conv_2d", replace(variant, kernels=kernels)) == ["Wider.stray"]
