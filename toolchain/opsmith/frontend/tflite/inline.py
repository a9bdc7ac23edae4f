"""Inlining of subgraphs into the operators that run them: one graph with branches and loops.

A tensor of the caller stands for the input of a body to which it is passed, and an output of IF for
the result of both of its bodies. Where that is impossible, tensors are copied. Variables, which
operators name by handles, become tensors that survive invoke().
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.names import identifier
from opsmith.frontend.tflite import departures
from opsmith.frontend.tflite.calls import BODIES, COPY, Subgraphs, bodies, called_models
from opsmith.frontend.tflite.whole import ASSIGN, Scope, Variable, Whole
from opsmith.ir import Node, Tensor
from opsmith.ir.flow import Branch, Flow, Loop

HANDLE, READ = "tflite.VAR_HANDLE", "tflite.READ_VARIABLE"
_REPLACED = {*BODIES, HANDLE, READ, ASSIGN, COPY}


def whole_model(path: Path, number: int, subgraphs: Subgraphs) -> Model:
    """Model of a subgraph and all that it runs, with its problems MDL008, MDL009 and MDL016."""
    main = subgraphs(number)
    assert main is not None
    if _REPLACED.isdisjoint(node.op for node in main.graph.nodes):
        return main
    try:
        called = called_models(path, number, subgraphs)
    except ToolchainError as error:
        return _without_calls(main, error)
    inliner = _Inliner(Whole(path, main, called))
    scope = Scope(main, number, {name: name for name in main.graph.tensors})
    flow = inliner.sequence(scope)
    inliner.check_outputs(scope)
    inliner.whole.departures |= dict.fromkeys(inliner.unassigned())
    return inliner.whole.model(scope, flow)


def _without_calls(main: Model, error: ToolchainError) -> Model:
    """Main subgraph that cannot be compiled because of `error`, without the calls that it makes."""
    gone = [node for node in main.graph.nodes if node.op in _REPLACED]
    left = tuple(node for node in main.graph.nodes if node not in gone)
    return replace(
        main,
        graph=main.graph.with_nodes(left),
        problems=(*main.problems, *error.problems),
        unknown=(*main.unknown, *(name for node in gone for name in node.outputs)),
    )


class _Inliner:
    """Inliner of subgraphs as blocks, and of handles as variables."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self._variables: dict[Variable, str] = {}
        self._accessed: set[Variable] = set()  # variables accessed so far
        self._ever_assigned: set[Variable] = set()  # variables that anything assigns

    def sequence(self, scope: Scope) -> Flow:
        """Add the nodes of a scope; return the flow of their blocks."""
        flow: list[int | Branch | Loop] = [self.whole.next_block(scope)]
        self.whole.move(scope.copied, f"the inputs{scope.where}")
        for node in scope.graph.nodes:
            found = None
            try:
                found = self._item(scope, node)
            except ToolchainError as error:
                self.whole.problems += error.problems
                self.whole.unknown |= {self.whole.named(scope, name) for name in node.outputs}
            flow += [] if found is None else [found, self.whole.next_block(scope)]
        return tuple(flow)

    def check_outputs(self, scope: Scope) -> None:
        """Record problems of model outputs that have no values, such as handles."""
        outputs = Node("", "", scope.graph.outputs, (), source="graph outputs")
        try:
            self._check_values(scope, outputs, outputs.inputs)
        except ToolchainError as error:
            self.whole.problems += error.problems

    def unassigned(self) -> Iterator[str]:
        """Sentence about variables that are read, and that nothing assigns."""
        names = [each[1] for each in self._variables if each not in self._ever_assigned]
        if names:
            more = f" and {len(names) - 1} more" if names[1:] else ""
            yield (
                f"nothing assigns variable '{names[0]}'{more}: LiteRT fails to read it; here it is"
                " zero, as weights are that a converter has not stored"
            )

    def _item(self, scope: Scope, node: Node) -> Branch | Loop | None:
        """Add the nodes for an operator; return its branch or loop, if it is one."""
        match node.op:
            case "tflite.IF":
                return self._branch(scope, node)
            case "tflite.WHILE":
                return self._loop(scope, node)
            case "tflite.CALL_ONCE":
                self._initialise(scope, node)
            case "tflite.VAR_HANDLE":
                options = node.attributes
                named = options.get("container", ""), options.get("shared_name", "")
                scope.handles.update(dict.fromkeys(node.outputs, named))
            case "tflite.READ_VARIABLE":
                self._read(scope, node)
            case "tflite.ASSIGN_VARIABLE":
                x, variable = self._assigned(scope, node)
                self.whole.copy(x, self._variables[variable], node.source + scope.where)
                self._accessed.add(variable)
            case _ if node.op == COPY:
                self._check_values(scope, node, node.inputs)
                x, y = (
                    self.whole.named(scope, name) for name in (*node.inputs, *node.outputs) if name
                )
                self.whole.copy(x, y, node.source + scope.where)
            case _:
                self._check_values(scope, node, node.inputs)
                self.whole.append(scope, node)
        return None

    def _check_values(self, scope: Scope, node: Node, names: Sequence[str | None]) -> None:
        for name in names:
            if name in scope.handles:
                what = f"'{name}' names a variable and is read as a value"
                raise self.whole.wrong("MDL016", scope, node, what)

    def _branch(self, scope: Scope, node: Node) -> Branch:
        """Add both bodies of an IF, each of which writes the outputs."""
        whole = self.whole
        if not node.inputs:
            raise whole.wrong("MDL013", scope, node, "it has no condition")
        condition, *given = whole.operands(scope, node)
        whole.check_condition(scope, node, condition)
        flows = []
        for number in bodies(node):
            whole.check_count(scope, node, number, "outputs", len(node.outputs))
            whole.departures |= dict.fromkeys(departures.of_branch(whole.called[number], number))
            inner = self._enter(scope, node, number, node.inputs[1:], given)
            for made, name in zip(inner.graph.outputs, node.outputs, strict=True):
                y = whole.joined(scope, name)
                if self._may_write(inner, made, y):
                    inner.names[made] = y
            flows.append(self.sequence(inner))
            self._leave(scope, node, inner)
        return Branch(condition, flows[0], flows[1])

    def _may_write(self, inner: Scope, made: str, y: str) -> bool:
        """True if the node that computes a body's output can write the caller's tensor directly."""
        computed = any(made in node.outputs for node in inner.graph.nodes)
        tensor = inner.graph.tensors[made]
        alike = self.whole.alike(tensor, self.whole.tensors[y])
        return computed and alike and not tensor.variable

    def _loop(self, scope: Scope, node: Node) -> Loop:
        """Add both bodies of a WHILE; the operator's outputs hold the values passed to them."""
        whole, (test, body) = self.whole, bodies(node)
        given = whole.operands(scope, node)
        whole.check_count(scope, node, test, "outputs", 1)
        whole.check_count(scope, node, body, "outputs", len(node.outputs))
        whole.check_count(scope, node, body, "inputs", len(node.outputs))
        whole.departures |= dict.fromkeys(departures.of_loop(whole.called[body], body))
        inner = self._enter(scope, node, body, node.inputs, given)
        ends = zip(inner.graph.inputs, inner.graph.outputs, strict=True)
        unchanged = [inner.names.get(own) if own == made else None for own, made in ends]
        for name, out, x, same in zip(node.inputs, node.outputs, given, unchanged, strict=True):
            y = whole.tensors[whole.named(scope, out)]
            whole.check_types(scope, node, f"output '{y.id}'", y, whole.tensors[x])
            if name in scope.handles:
                scope.handles[out] = scope.handles[name]
            elif same == x and whole.alike(whole.tensors[x], y) and not whole.is_output(scope, out):
                scope.names[out] = x
            else:
                whole.copy(x, whole.joined(scope, out), node.source + scope.where)
        kept = [whole.named(scope, name) for name in node.outputs]
        inner = self._enter(scope, node, test, node.outputs, kept)
        first = self.sequence(inner)
        condition = whole.named(inner, inner.graph.outputs[0])
        whole.check_condition(scope, node, condition)
        inner = self._enter(scope, node, body, node.outputs, kept)
        then = self.sequence(inner)
        self._leave(scope, node, inner)
        return Loop(condition, first, then)

    def _enter(
        self,
        scope: Scope,
        node: Node,
        number: int,
        passed: Sequence[str | None],  # as the caller names them
        given: Sequence[str],
    ) -> Scope:
        """Scope of a body to which tensors are passed."""
        whole, model = self.whole, self.whole.called[number]
        inner = Scope(model, number, whole.kept(number), f" of subgraph {number}")
        whole.check_count(scope, node, number, "inputs", len(given))
        for own, name, x in zip(model.graph.inputs, passed, given, strict=True):
            y = model.graph.tensors[own]
            what = f"input '{own}' of subgraph {number}"
            whole.check_types(scope, node, what, y, whole.tensors[x])
            if name in scope.handles:
                inner.handles[own] = scope.handles[name]
            elif whole.alike(whole.tensors[x], y):
                inner.names[own] = x
            else:
                inner.copied.append((x, whole.named(inner, own)))
        return inner

    def _leave(self, scope: Scope, node: Node, inner: Scope) -> None:
        """Copy the outputs of a body to those of the operator."""
        whole, moves = self.whole, []
        for made, name in zip(inner.graph.outputs, node.outputs, strict=True):
            handle = inner.handles.get(made)
            if handle != scope.handles.get(name, handle):
                what = f"output '{name}' names one variable or another"
                raise whole.wrong("MDL016", scope, node, what)
            if handle is not None:
                scope.handles[name] = handle
                continue
            x, y = whole.named(inner, made), whole.named(scope, name)
            what = f"output '{y}'"
            whole.check_types(scope, node, what, whole.tensors[y], whole.tensors[x])
            moves.append((x, y))
        whole.move(moves, node.source + scope.where)

    # variables

    def _initialise(self, scope: Scope, node: Node) -> None:
        """Add the nodes of a CALL_ONCE; variables start with the values that it assigns."""
        whole, (number,) = self.whole, bodies(node)
        if scope.where:
            raise whole.wrong("MDL016", scope, node, "it is in a subgraph that IF or WHILE runs")
        inner = self._enter(scope, node, number, (), ())
        for each in inner.graph.nodes:
            if each.op == ASSIGN:
                x, variable = self._assigned(inner, each)
                if variable in self._accessed:
                    what = f"variable '{variable[1]}' is used before it is initialised"
                    raise whole.wrong("MDL016", inner, each, what)
                ident = self._variables[variable]
                whole.tensors[ident] = replace(whole.tensors[ident], initial=x)
            elif each.op in (READ, *BODIES):
                what = "first values of variables must follow from constants alone"
                raise whole.wrong("MDL016", inner, each, what)
            else:
                self._item(inner, each)

    def _read(self, scope: Scope, node: Node) -> None:
        """Add the node of a READ_VARIABLE."""
        if (len(node.inputs), len(node.outputs)) != (1, 1):
            raise self.whole.wrong("MDL013", scope, node, "it has other than 1 input and 1 output")
        variable = self._variable(scope, node, self.whole.named(scope, node.outputs[0]))
        self.whole.read(scope, node, self._variables[variable])
        self._accessed.add(variable)

    def _assigned(self, scope: Scope, node: Node) -> tuple[str, Variable]:
        """Value and variable of an ASSIGN_VARIABLE."""
        operands = self.whole.operands(scope, node)
        self._check_values(scope, node, node.inputs[1:])
        if (len(operands), len(node.outputs)) != (2, 0):
            raise self.whole.wrong("MDL013", scope, node, "it has other than 2 inputs, no output")
        variable = self._variable(scope, node, operands[1])
        self._ever_assigned.add(variable)
        return operands[1], variable

    def _variable(self, scope: Scope, node: Node, like: str) -> Variable:
        """Variable that the first operand of a node names, with the type of tensor `like`."""
        variable, wanted = scope.handles.get(node.inputs[0] or ""), self.whole.tensors[like]
        if variable is None:
            what = "no VAR_HANDLE says which variable it is for"
            raise self.whole.wrong("MDL016", scope, node, what)
        if variable not in self._variables:
            ident, name = identifier(variable[1]), variable[1]
            made = Tensor(ident, name, wanted.dtype, wanted.shape, wanted.quantization)
            self._variables[variable] = self.whole.new(replace(made, variable=True))
        made = self.whole.tensors[self._variables[variable]]
        self.whole.check_variable(scope, node, made, wanted)
        return variable
