"""Write `<op>.check.cc`, which instantiates an op's kernels and so compiles them all.

A kernel whose signature is not what op.py says fails to compile, at the line of its row in op.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from toolchain.ir import DType
from toolchain.op.bind import parameters
from toolchain.op.describe import Kernel, Op
from toolchain.op.discover import OpFolder


def kernel_check(found: OpFolder, features: frozenset[str]) -> str:
    """The text of `<op>.check.cc`, with the kernels that these features can run."""
    op = found.op
    kernels = [kernel for kernel in op.kernels if set(kernel.requires) <= features]
    lines = [f"// Every kernel of {op.name} that {', '.join(sorted(features)) or 'any core'} runs."]
    lines += [f'#include "{op.name}/{kernel.source}"' for kernel in kernels]
    lines += ["", f"namespace opsmith::{op.name} {{"]
    for kernel in kernels:
        at = f'#line {row_line(found, kernel)} "{found.file.as_posix()}"'
        for instance in _instances(op, kernel):
            lines += [at, instance]
    return "\n".join([*lines, f"}}  // namespace opsmith::{op.name}", ""])


def row_line(found: OpFolder, kernel: Kernel) -> int:
    """The line of op.py that declares a kernel; 1 where it is not spelled out."""
    text = found.file.read_text(encoding="utf-8").splitlines()
    rows = [i for i, line in enumerate(text, 1) if f'Kernel("{kernel.source}"' in line]
    return rows[0] if rows else 1


def kernel_dtypes(op: Op, kernel: Kernel) -> Iterator[dict[str, DType]]:
    """Every binding of the op's domain variables that the kernel takes."""
    choices = [list(dtypes) for dtypes in op.domains.values()]
    if choices and kernel.dtypes:
        choices[0] = [dtype for dtype in choices[0] if dtype in kernel.dtypes]
    for dtypes in itertools.product(*choices):
        yield dict(zip(op.domains, dtypes, strict=True))


def _instances(op: Op, kernel: Kernel) -> Iterator[str]:
    for bound in kernel_dtypes(op, kernel):
        symbol = op.symbol(kernel, list(bound.values()))
        given = parameters(op, kernel, {name: dtype.c for name, dtype in bound.items()})
        if kernel.function:
            yield from _call(op, kernel, symbol, given)
        else:
            types = [op.shape_struct(kernel), *given.values()]
            yield f"template void {symbol}({', '.join(f'const {kind}&' for kind in types)});"


def _call(op: Op, kernel: Kernel, symbol: str, given: dict[str, str]) -> Iterator[str]:
    """A call of a kernel that exists already, which no template declaration can be asked about."""
    names = ", ".join(f"const {kind}& {name}" for name, kind in given.items())
    quiet = " ".join(f"(void){name};" for name in ("s", *given))
    yield (
        f"[[maybe_unused]] static void call(const {op.shape_struct(kernel)}& s, {names}) "
        f"{{ {quiet} {symbol}({', '.join(kernel.arguments)}); }}"
    )
