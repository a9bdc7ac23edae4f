"""Writes nodes.h, the kernel instances of each op, and further sources of kernels."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from opsmith.contract.assertion_form import HEADER
from opsmith.contract.assertions import BACK, asserted, further, included, line, with_lines_back
from opsmith.contract.bind import (
    contract_header,
    namespace,
    parameters,
    params_struct,
    static_struct,
)
from opsmith.emit.weights import declarations
from opsmith.emit.writing import broken, struct_constant, wrapped
from opsmith.ir.program import Instance, Program
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp

LISTING = "nodes.sha256"
ARITHMETIC = "runtimes/core/arithmetic.h"  # fails to compile with options that change results


def nodes_header(program: Program, ops: OpIndex, more: Iterable[str] = ()) -> str:
    """Text of nodes.h: the kernel instances and the constants of the model, and lines `more`."""
    lines = [f"// Kernel instances and constants of {program.graph.name}.", "#pragma once", ""]
    lines += [f'#include "{each}"' for each in _contract_headers(program, ops)]
    lines += ["", f"namespace {program.graph.name} {{", ""]
    lines += [f"{_signature(instance, ops)};" for instance in program.instances]
    lines += ["", *declarations(program), ""]
    lines += [*more, ""] if (more := [*more]) else []
    return "\n".join([*lines, f"}}  // namespace {program.graph.name}", ""])


def node_sources(program: Program, ops: OpIndex, folder: str) -> dict[str, str]:
    """Sources of kernels in a folder, by name: nodes_OP.cc for each op, sources.cc if kernels name
    C++ files, and a list of digests in the format of sha256sum.
    """
    users: dict[str, list[str]] = {}
    for step in program.steps:
        users.setdefault(step.instance.name, []).append(step.node.name)
    found = {}
    for op, instances in sorted(_by_op(_own(program, ops)).items()):
        lines = [f"// Kernel instances of {op} in {program.graph.name}.", '#include "nodes.h"', ""]
        lines += [*_includes(instances, ops), "", *_contracts(instances, ops)]
        lines += [f"namespace {program.graph.name} {{"]
        for instance in instances:
            lines += ["", *_instance(instance, users[instance.name], ops)]
        lines += ["", f"}}  // namespace {program.graph.name}", ""]
        path = f"{folder}/nodes_{op}.cc".removeprefix("./")
        found[f"nodes_{op}.cc"] = with_lines_back(broken("\n".join(lines)), path)
    found |= _further_sources(program, ops)
    sums = [f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in found.items()]
    return found | {LISTING: "".join(sums)}


def _further_sources(program: Program, ops: OpIndex) -> dict[str, str]:
    """Text of sources.cc, by file name, if chosen kernels name further C++ files; else empty."""
    lines = [f"// Further sources of the kernels of {program.graph.name}."]
    seen = set()
    for instance in _own(program, ops):
        _, kernel = _kernel(instance, ops)
        for source in kernel.sources:
            if (instance.op, source) not in seen:
                seen.add((instance.op, source))
                lines += ["", *included(instance.op, kernel, source)]
    return {"sources.cc": "\n".join([*lines, ""])} if seen else {}


def libraries(program: Program, ops: OpIndex) -> str:
    """Text of libraries.txt: linker arguments for the libraries of the chosen kernels."""
    kernels = (_kernel(instance, ops)[1] for instance in program.instances)
    names = sorted({name for kernel in kernels for name in kernel.libraries})
    return "".join(f"-l{name}\n" for name in names)


def _contract_headers(program: Program, ops: OpIndex) -> list[str]:
    """Headers that declare the structs of all instances: of ops, then of backends."""
    pairs = [(instance.op, _kernel(instance, ops)[1]) for instance in program.instances]
    brought = {contract_header(op, kernel) for op, kernel in pairs if kernel.backend is not None}
    return [*sorted({f"{op}.op.h" for op, _ in pairs}), *sorted(brought)]


def _own(program: Program, ops: OpIndex) -> list[Instance]:
    """Instances without those whose calls an emitter writes."""
    return [each for each in program.instances if _kernel(each, ops)[1].emitter is None]


def _by_op(instances: list[Instance]) -> dict[str, list[Instance]]:
    found: dict[str, list[Instance]] = {}
    for instance in instances:
        found.setdefault(instance.op, []).append(instance)
    return found


def _kernel(instance: Instance, ops: OpIndex) -> tuple[TypedOp, Kernel]:
    return ops.kernel(instance.op, instance.types, instance.index)


def _includes(instances: list[Instance], ops: OpIndex) -> Iterator[str]:
    kernels = [(instance.op, _kernel(instance, ops)[1]) for instance in instances]
    yield f'#include "{ARITHMETIC}"'
    if any(not kernel.function for _, kernel in kernels):
        yield f'#include "{HEADER}"'
    once = {(op, kernel.source): (op, kernel) for op, kernel in kernels}.values()
    for lines in dict.fromkeys(tuple(included(op, kernel, kernel.source)) for op, kernel in once):
        yield from lines  # once for ops of a family that share a header
    yield from further(kernel for _, kernel in kernels)


def _contracts(instances: list[Instance], ops: OpIndex) -> Iterator[str]:
    """Lines of C++ by which the compiler checks each kernel with the types of its calls."""
    spaces: dict[str, dict[object, tuple[TypedOp, Kernel]]] = {}
    for instance in instances:
        op, kernel = _kernel(instance, ops)
        called = (instance.types, instance.index)
        spaces.setdefault(namespace(op, kernel), {})[called] = (op, kernel)
    for kernels in spaces.values():
        found = ops.by_name[next(iter(kernels.values()))[0].name]
        lines = asserted(found, kernels.values())
        yield from [*lines, ""] if lines else []


def _signature(instance: Instance, ops: OpIndex) -> str:
    op, kernel = _kernel(instance, ops)
    if kernel.emitter is not None:
        return f"void {instance.name}()"
    arguments = [f"const {kind}& {name}" for name, kind in parameters(op, kernel).items()]
    if instance.params is None:
        arguments.insert(0, f"const {params_struct(op, kernel)}& params")
    return wrapped(f"void {instance.name}(", arguments, ")", "")


def _instance(instance: Instance, users: list[str], ops: OpIndex) -> Iterator[str]:
    op, kernel = _kernel(instance, ops)
    params = "params"
    if instance.params is not None:
        params = f"{static_struct(op, kernel, f'params::{instance.name}')}{{}}"
        yield "namespace params {"
        yield from struct_constant(params_struct(op, kernel), instance.name, instance.params)
        yield "}  // namespace params"
        yield ""
    yield f"// For {', '.join(users)}."
    yield f"{_signature(instance, ops)} {{"
    given = parameters(op, kernel)
    if kernel.function:
        yield from (f"  (void){name};" for name in given if not _mentions(kernel, name))
        yield f"  [[maybe_unused]] const auto& p = {params};"
        yield line(ops.by_name[op.name], kernel)
        yield wrapped(f"{instance.symbol}(", kernel.arguments, ");", "  ")
        yield BACK
    else:
        yield wrapped(f"{namespace(op, kernel)}::{kernel.name}(", [params, *given], ");", "  ")
    yield "}"


def _mentions(kernel: Kernel, parameter: str) -> bool:
    return any(f"{parameter}." in argument for argument in kernel.arguments)
