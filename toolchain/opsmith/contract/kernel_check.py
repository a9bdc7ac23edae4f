"""Writes `<op>.check.cc`, which instantiates an op's kernels and so compiles all of them.

Each kernel is instantiated for run-time Params, and for the Params of every example that it takes.
A kernel whose signature differs from op.py fails to compile, at the line that declares it.
"""

from collections import defaultdict
from collections.abc import Sequence

from opsmith.contract.assertion_form import HEADER
from opsmith.contract.assertions import assertion, further, included, line
from opsmith.contract.bind import (
    contract_header,
    namespace,
    parameters,
    params_struct,
    static_struct,
)
from opsmith.contract.literals import initializer
from opsmith.op.examples import example_graphs
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel, Refused, planned
from opsmith.op.node import bind_variant, view
from opsmith.op.typed import TypedOp


def kernel_check(found: OpFolder, features: frozenset[str]) -> str:
    """Text of `<op>.check.cc`, with the kernels that can run with given features."""
    op = found.op
    kernels = [
        (typed, kernel)
        for typed in found.typed.values()
        for kernel in typed.kernels
        if set(kernel.requires) <= features and not set(kernel.excludes) & features
        if kernel.emitter is None  # an emitter decides how its kernels are called
    ]
    lines = [f"// Every kernel of {op.name} that {', '.join(sorted(features)) or 'any core'} runs."]
    contracts = dict.fromkeys(contract_header(op.name, kernel) for _, kernel in kernels)
    lines += [f'#include "{each}"' for each in {f"{op.name}.op.h": None} | contracts]
    lines += [f'#include "{HEADER}"']
    files = {(file, kernel.name): kernel for _, kernel in kernels for file in _files(kernel)}
    for (file, _), kernel in files.items():
        lines += included(op.name, kernel, file)
    lines += further(kernel for _, kernel in kernels)
    general, of_examples = set(), _examples(found, kernels, features)
    for number, (typed, kernel) in enumerate(kernels):
        lines += ["", f"namespace {namespace(op, kernel)} {{", *assertion(found, typed, kernel)]
        instance = _instance(typed, kernel, params_struct(op, kernel), f"any_{number}")
        # Variants without types share instances, which C++ allows only once.
        if (namespace(op, kernel), instance) not in general:
            lines += [line(found, kernel), instance]
        general.add((namespace(op, kernel), instance))
        for statement in of_examples.get(number, ()):
            lines += [line(found, kernel), statement]
        lines += [f"}}  // namespace {namespace(op, kernel)}"]
    return "\n".join([*lines, ""])


def _files(kernel: Kernel) -> tuple[str, ...]:
    return (kernel.source, *kernel.sources)


def _examples(
    found: OpFolder, kernels: Sequence[tuple[TypedOp, Kernel]], features: frozenset[str]
) -> dict[int, list[str]]:
    """Statements that instantiate each kernel, by its number, for the examples that it takes. All
    kernels plan an example before the next one, since what they find out of its constants is kept
    for one node at a time.
    """
    statements = defaultdict[int, list[str]](list)
    for graph in example_graphs(found.op):
        node = graph.nodes[0]
        variant, _ = bind_variant(graph, node, found.op)
        for number, (op, kernel) in enumerate(kernels):
            if variant is None or variant.types != op.variant.types:
                continue
            plan = planned(view(graph, node, op), kernel, features)
            if isinstance(plan, Refused):
                continue
            name, params = f"{node.name}_{number}", params_struct(op, kernel)
            made = f"constexpr {params} {name} = {initializer(plan.params)};"
            instance = _instance(op, kernel, static_struct(op, kernel, name), name)
            statements[number] += [made, instance]
    return statements


def _instance(op: TypedOp, kernel: Kernel, params: str, name: str) -> str:
    given = parameters(op, kernel)
    if not kernel.function:
        types = ", ".join(f"const {kind}&" for kind in (params, *given.values()))
        return f"template void {kernel.name}({types});"
    # An existing function can only be called.
    names = ", ".join(f"const {kind}& {each}" for each, kind in given.items())
    quiet = " ".join(f"(void){each};" for each in ("p", *given))
    return (
        f"[[maybe_unused]] static void call_{name}(const {params}& p, {names}) "
        f"{{ {quiet} {op.symbol(kernel)}({', '.join(kernel.arguments)}); }}"
    )
