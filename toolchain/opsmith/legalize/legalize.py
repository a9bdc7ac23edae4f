"""Turns source operators into ops, as the op folders say; reports all unsupported ones together."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.ir import Graph, Node, Numerics
from opsmith.ir.flow import conditions
from opsmith.ir.types import BY_NAME
from opsmith.legalize.empty import without_empty
from opsmith.legalize.findings import Finding, problems_of
from opsmith.legalize.kinds import (
    OTHER_TYPE,
    foreign_kind,
    kind_of,
    kind_of_type,
    strange_kind,
    unclaimed_kind,
)
from opsmith.legalize.known import Known
from opsmith.legalize.refused import of_training
from opsmith.legalize.undeclarable import undeclarable
from opsmith.op.attributes import typed
from opsmith.op.declare import Convert, OpError, Rename
from opsmith.op.describe import Op
from opsmith.op.index import Claim, OpIndex
from opsmith.op.node import operand_problems, placed_inputs, shape_problems, view

CONSTANT_START = "assign it a constant where the model initialises its variables"
_CUSTOM = "tflite.CUSTOM."
ADD_FOLDER = "add the folder that claims it to ops="
_OTHER_LAYER = "build the layer with operands and options that the op has, or extend the op"
_IGNORED = "where it changes nothing, name it in ignore= in op.py; else give the op an attribute"
_A_DECODER = "give it one, such as options=flexbuffer, which opsmith.op has"
_UNFIT = "when= of its Rename does not hold"
_OTHER_DECODER = "correct the function options= of the op's Rename, or what wrote the operator"


def legalize(
    graph: Graph,
    ops: OpIndex,
    where: str,
    *,
    dynamic: bool = False,
    problems: Sequence[Problem] = (),
    unknown: Iterable[str] = (),
    scaffolds: bool = True,
    rule: Numerics = Numerics.REFERENCE,
) -> Graph:
    """Graph with op names and typed attributes, in which build-time values are computed.

    Inner tensors and outputs get the shapes that nodes infer; in a `dynamic` graph stored shapes
    that differ are not reported, nor are shapes and elements of `unknown` tensors. Elements are
    computed by the rule of numerics, where the op has it. A node that cannot be legal is dropped if
    no output depends on it. `new-op` can read the file at `where` if `scaffolds`. Raises MDL01x and
    `problems`, all at once.
    """
    problems = [*_without_foreign_scratch(problems, graph, ops, where)]
    known = Known(graph, ops, dynamic, unknown, rule)
    needed = graph.needed_nodes()
    nodes: list[Node] = []
    findings: list[Finding] = []
    for node in graph.nodes:
        made, found = _legal(known, node, ops)
        if made is not None:
            known.add(made)
            nodes.append(made)
            continue
        known.give_up(node, dead=node.name not in needed)
        findings += found if node.name in needed else []
    findings += _strange_ends(graph, needed)
    helps = scaffolds and not problems and _declarable(graph, ops, where)
    findings = [*_causes(findings, graph, ops, where, helps=helps)]
    starts = [Problem("MDL016", what, where, CONSTANT_START) for what in known.initialise()]
    split = _split_states(nodes, ops, where)
    wide = _wide_conditions(known.graph, where)
    raise_all((*problems, *problems_of(findings, where), *starts, *split, *wide))
    return known.legal(nodes)


def _without_foreign_scratch(
    problems: Sequence[Problem], graph: Graph, ops: OpIndex, where: str
) -> Iterator[Problem]:
    """Problems without those about scratch tensors among the inputs of an operator that an
    accelerator's compiler made, which cannot run here in any case.
    """
    unclaimed = [node for node in graph.nodes if node.op not in ops.by_source]
    foreign = {f"{where}: {node.source}" for node in unclaimed if foreign_kind(node.op)}
    for each in problems:
        if each.code != "MDL007" or each.where not in foreign:
            yield each


def _strange_ends(graph: Graph, needed: set[str]) -> Iterator[Finding]:
    """Findings of graph inputs and outputs of unsupported types that no needed node uses."""
    nodes = [node for node in graph.nodes if node.name in needed]
    used = {name for node in nodes for name in (*node.inputs, *node.outputs)}
    for name in dict.fromkeys((*graph.inputs, *graph.outputs)):
        dtype = graph.tensors[name].dtype
        if dtype.name not in BY_NAME and name not in used:
            what = f"{name} has type {dtype.name}"
            problem = Problem("MDL012", what, "inputs and outputs", OTHER_TYPE)
            yield Finding(problem, kind_of_type(dtype))


def _legal(known: Known, node: Node, ops: OpIndex) -> tuple[Node | None, list[Finding]]:
    """Node in terms of ops, or findings about it; neither where too little is known."""
    if node.op not in ops.by_source:
        kind = unclaimed_kind(known.graph, node) or of_training(node.op)
        return None, [Finding(_unclaimed(node, ops), kind)]
    made, problems = _claimed(known, node, ops.by_source[node.op])
    if problems and problems[0].code == "MDL012":  # the first operand's problem stands for all
        return None, [Finding(problems[0], kind_of(known.graph, node))]
    return made, [Finding(problem) for problem in problems]


def _split_states(nodes: Sequence[Node], ops: OpIndex, where: str) -> Iterator[Problem]:
    """Problems of operators with one state per subgraph, whose subgraph runs in several places."""
    uses = Counter(node.source for node in nodes if ops[node.op].states)
    for source, count in uses.items():
        if count > 1:
            what = f"it keeps a state, and its subgraph is run in {count} places"
            yield Problem("MDL016", what, f"{where}: {source}", "run it in one place")


def _wide_conditions(graph: Graph, where: str) -> Iterator[Problem]:
    """Problems of conditions whose open sizes turn out to give more than one boolean."""
    for name in dict.fromkeys(conditions(graph.flow)):
        tensor = graph.tensors[name]
        if tensor.elements != 1:
            what = f"the condition '{tensor.name}' is {tensor.type}, not one boolean"
            yield Problem("MDL009", what, where, "give an input_shape= that makes it one")


def _declarable(graph: Graph, ops: OpIndex, where: str) -> bool:
    """True if the model lacks ops, and new op folders would supply all that it lacks."""
    lacks = any(node.op not in ops.by_source for node in graph.nodes)
    return lacks and next(undeclarable(graph, ops, where), None) is None


def _causes(
    findings: Sequence[Finding], graph: Graph, ops: OpIndex, model: str, *, helps: bool
) -> Iterator[Finding]:
    """Findings without types of tensors that only unclaimed operators write or read.

    Where `new-op` helps, it is the fix for operators that a folder could claim.
    """
    needed = graph.needed_nodes()
    nodes = (node for node in graph.nodes if node.name in needed)
    unclaimed = [node for node in nodes if node.op not in ops.by_source]
    caused = {strange_kind(graph, node) for node in unclaimed} - {None}
    for each in findings:
        if each.problem.fix == ADD_FOLDER and helps:
            fix = f"{ADD_FOLDER}, or: opsmith new-op --from {shlex.quote(model)} --into DIR"
            yield Finding(Problem("MDL010", each.problem.what, each.problem.where, fix), each.kind)
        elif each.problem.code != "MDL012" or each.kind not in caused:
            yield each


def _unclaimed(node: Node, ops: OpIndex) -> Problem:
    """Problem that no op claims the operator. Only names of CUSTOM operators are compared for a
    similar name, since builtin ones are never misspelt.
    """
    custom = [name.removeprefix(_CUSTOM) for name in ops.by_source if name.startswith(_CUSTOM)]
    near = did_you_mean(node.op.removeprefix(_CUSTOM), custom) if _CUSTOM in node.op else ""
    what = f"no op claims {node.op.removeprefix('tflite.')}{near}"
    return Problem("MDL010", what, node.source, ADD_FOLDER)


def _claimed(
    known: Known, node: Node, claims: Sequence[Claim]
) -> tuple[Node | None, list[Problem]]:
    """Node as the first claim that fits converts it, or its problems."""
    problems, passed = list(_strange_types(known.graph, node)), list[str]()
    for claim in claims if not problems else ():
        op, rename = claim.op, claim.rename
        renamed, refused = _fitting(known, node, claim)
        if refused:  # the extended op reports what neither op takes
            problems = problems if problems and rename.extends else refused
            why = _UNFIT if refused[0].code == "MDL010" else refused[0].what
            passed += [f"{op.name} does not take it: {why}"] if rename.overrides else []
            continue
        if not known.judges(node):
            return None, []
        if rename.overrides:
            passed.append(f"{op.name} overrides {rename.overrides}: {rename.reason}")
        renamed = replace(renamed, remarks=(*renamed.remarks, *passed))
        try:
            renamed = known.settle(renamed, op, as_stored=rename.as_stored)
        except ToolchainError as error:
            return None, list(error.problems)
        problems = shape_problems(known.graph, renamed, op, node.source)
        return None if problems else renamed, problems
    return None, problems


def _fitting(known: Known, node: Node, claim: Claim) -> tuple[Node, list[Problem]]:
    """Node as a claim converts it, and the problems of it as a use of that op. Where little is
    known of its inputs, only their types are checked.
    """
    op, rename, where = claim.op, claim.rename, node.source
    renamed, problems = _rename(node, op, rename, where)
    if problems:
        return renamed, problems
    supplied = known.supplied(renamed, op, judged=rename.when is not None)
    renamed = without_empty(known.graph, supplied, op)
    problems = operand_problems(known.graph, renamed, op, where)
    if not known.judges(node):
        return renamed, [problem for problem in problems if problem.code == "MDL012"]
    if not problems and rename.when and not rename.when(view(known.graph, renamed, op)):
        what = f"no op claims such a {node.op.removeprefix('tflite.')}"
        problems = [Problem("MDL010", what, where, "widen when= of a Rename, or add an op")]
    return renamed, problems


def _strange_types(graph: Graph, node: Node) -> Iterator[Problem]:
    """Problems of a node's tensors with types that no op can take."""
    for name in (*node.inputs, *node.outputs):
        if name is not None and graph.tensors[name].dtype.name not in BY_NAME:
            what = f"{name} has type {graph.tensors[name].dtype.name}"
            yield Problem("MDL012", what, node.source, OTHER_TYPE)


def _rename(node: Node, op: Op, rename: Rename, where: str) -> tuple[Node, list[Problem]]:
    if node.version not in rename.versions:
        known = f"{rename.versions.start} to {rename.versions.stop - 1}"
        source = node.op.removeprefix("tflite.")
        what = f"version {node.version} of {source} is not known (known: {known})"
        fix = "convert the model for an older runtime, or extend versions= of the op's Rename"
        return node, [Problem("MDL011", what, where, fix)]
    try:
        attributes, complaints = _attributes(node, op, rename)
    except OpError as error:
        fix = _OTHER_DECODER if rename.options else _A_DECODER
        return node, [Problem("MDL015", f"{op.name}: {error}", where, fix)]
    inputs = node.inputs
    if rename.inputs is not None:
        inputs = tuple(node.inputs[i] if i < len(node.inputs) else None for i in rename.inputs)
    inputs, wrong = placed_inputs(node, op, inputs)
    complaints += [(text, _OTHER_LAYER) for text in wrong]
    problems = [Problem("MDL013", text, where, fix) for text, fix in complaints]
    return replace(node, op=op.name, inputs=inputs, attributes=attributes), problems


def _attributes(node: Node, op: Op, rename: Rename) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Attributes of the op, and problems with the source's options, each with a fix."""
    declared = {attribute.name: attribute for attribute in op.attributes}
    found: dict[str, Any] = {}
    complaints: list[tuple[str, str]] = []
    for option, value in _options(node, rename).items():
        target = rename.attributes.get(option, option)
        name = target.attribute if isinstance(target, Convert) else target
        if option in rename.ignore:
            continue
        if name not in declared:
            # an unknown builtin option of TFLite with value 0 or False has no effect
            if value or rename.options is not None or not node.op.startswith("tflite."):
                known = ", ".join(n for n, each in declared.items() if not each.inner) or "none"
                what = f"option {option}={value!r} is not known to {op.name} ({known})"
                complaints.append((what, _IGNORED))
            continue
        try:
            value = target.value(value) if isinstance(target, Convert) else value
            found[name] = typed(declared[name], value)
        except (OpError, ValueError, TypeError) as error:
            complaints.append((str(error), _OTHER_LAYER))
            found[name] = declared[name].default
    for attribute in op.attributes:
        if attribute.name not in found and attribute.default is None:
            what = f"option for attribute '{attribute.name}' of {op.name} is missing"
            complaints.append((what, _OTHER_LAYER))
        found.setdefault(attribute.name, attribute.default)
    return found, complaints


def _options(node: Node, rename: Rename) -> dict[str, Any]:
    """Options of the source node by name; those of a CUSTOM op are decoded as the Rename says."""
    options = dict(node.attributes)
    data = options.pop("custom_options", b"")
    if rename.options is not None:
        return {**options, **rename.options(data)}
    if data:
        raise OpError("it has custom options, and its Rename has no options= to decode them")
    return options
