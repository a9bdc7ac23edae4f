"""Write `<op>.check.cc`, which instantiates an op's kernels and so compiles them all.

Each kernel is instantiated for the run-time Params, and for the Params of every example it takes.
One whose signature is not what op.py says fails to compile, at the line of its row in op.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.ir import DType
from toolchain.op.bind import parameters, static_struct
from toolchain.op.choice import kernel_dtypes, refusals
from toolchain.op.contract import HEADER, assertion, included, line
from toolchain.op.describe import Kernel, Op
from toolchain.op.discover import OpFolder
from toolchain.op.examples import example_graph
from toolchain.op.literals import params_initializer
from toolchain.op.node import bind_domains, view


def kernel_check(found: OpFolder, features: frozenset[str]) -> str:
    """The text of `<op>.check.cc`, with the kernels that these features can run."""
    op = found.op
    kernels = [
        kernel
        for kernel in op.kernels
        if set(kernel.requires) <= features and not set(kernel.excludes) & features
    ]
    lines = [f"// Every kernel of {op.name} that {', '.join(sorted(features)) or 'any core'} runs."]
    lines += [f'#include "{op.name}.op.h"', f'#include "{HEADER}"']
    for kernel in kernels:
        for file in (kernel.source, *kernel.sources):
            lines += included(op.name, kernel, file)
    lines += ["", f"namespace opsmith::{op.name} {{"]
    for row, kernel in enumerate(kernels):
        for bound in kernel_dtypes(op, kernel):
            lines += assertion(found, kernel, bound.values())
        for statement in (*_any_params(op, kernel), *_examples(op, kernel, row, features)):
            lines += [line(found, kernel), statement]
    return "\n".join([*lines, f"}}  // namespace opsmith::{op.name}", ""])


def _any_params(op: Op, kernel: Kernel) -> Iterator[str]:
    for bound in kernel_dtypes(op, kernel):
        yield _instance(op, kernel, bound, op.params_struct(kernel))


def _examples(op: Op, kernel: Kernel, row: int, features: frozenset[str]) -> Iterator[str]:
    struct = op.params_struct(kernel)
    for number, example in enumerate(op.examples):
        graph = example_graph(op, example, number)
        node = graph.nodes[0]
        if list(refusals(graph, node, op, kernel, features)):
            continue
        params = params_initializer(op.params_of(kernel)(view(graph, node, op)))
        name = f"example_{row}_{number}"
        yield f"constexpr {struct} {name} = {params};"
        bound, _ = bind_domains(graph, node, op)
        yield _instance(op, kernel, bound, f"{static_struct(struct)}<{name}>", name)


def _instance(
    op: Op, kernel: Kernel, bound: dict[str, DType], params: str, name: str = "any"
) -> str:
    symbol = op.symbol(kernel, list(bound.values()))
    given = parameters(op, kernel, {each: dtype.c for each, dtype in bound.items()})
    if not kernel.function:
        types = [params, *given.values()]
        return f"template void {symbol}({', '.join(f'const {kind}&' for kind in types)});"
    # A function that exists already can only be called.
    suffix = "_".join([name, *(dtype.short for dtype in bound.values())])
    names = ", ".join(f"const {kind}& {each}" for each, kind in given.items())
    quiet = " ".join(f"(void){each};" for each in ("p", *given))
    return (
        f"[[maybe_unused]] static void call_{suffix}(const {params}& p, {names}) "
        f"{{ {quiet} {symbol}({', '.join(kernel.arguments)}); }}"
    )
