"""A node compared with its op: its view, its variant and its inferred types."""

import math
from collections.abc import Iterator, Mapping

from opsmith.errors import Problem
from opsmith.ir import DType, Graph, Node, Tensor, TensorType
from opsmith.ir.types import i32, i64
from opsmith.op.declare import Input, OpError, Output
from opsmith.op.describe import Op, Variant
from opsmith.op.view import NodeView, Present

FROM_NOTHING = "from_nothing"  # the trait of ops whose evaluate() holds for empty inputs
_OTHER_LAYER = "change the layer's shapes, constants or quantisation, or extend the op"


def named_inputs(op: Op, node: Node) -> Iterator[tuple[Input, str | None]]:
    """Declared inputs of a node, each with the tensor that the node reads."""
    last = op.inputs[-1] if op.inputs and op.inputs[-1].variadic else None
    declared = list(op.inputs)
    if last is not None:
        declared += [last] * (len(node.inputs) - len(declared))
        declared = declared[: len(node.inputs)]
    return iter(zip(declared, node.inputs, strict=True))


def labelled_inputs(op: Op, node: Node) -> Iterator[tuple[str, str | None]]:
    """Tensors that the node reads, each with its name in C++: `x`, or `x[0]` of a variadic x."""
    for i, (value, name) in enumerate(named_inputs(op, node), 1 - len(op.inputs)):
        yield f"{value.name}[{i}]" if value.variadic else value.name, name


def named_outputs(op: Op, node: Node) -> Iterator[tuple[Output, str]]:
    """Declared outputs of a node, each with the tensor that the node writes."""
    declared = list(op.outputs)
    if declared and declared[-1].variadic:
        declared += [declared[-1]] * (len(node.outputs) - len(declared))
    return iter(zip(declared, node.outputs, strict=True))


def view(graph: Graph, node: Node, op: Op) -> NodeView:
    """View of a node for the op's functions: tensors and attributes by declared name."""
    tensors: dict[str, Present] = {value.name: () for value in op.inputs if value.variadic}
    several: dict[str, list[Tensor]] = {}
    for value, name in named_inputs(op, node):
        tensor = None if name is None else graph.tensors[name]
        if not value.variadic:
            tensors[value.name] = tensor
        elif tensor is not None:
            several.setdefault(value.name, []).append(tensor)
    for output, name in named_outputs(op, node):
        tensors[output.name] = graph.tensors[name]
        if output.variadic:
            several.setdefault(output.name, []).append(graph.tensors[name])
    tensors |= {name: tuple(each) for name, each in several.items()}
    return NodeView(node.name, op.name, tensors, node.attributes, node.reversed, node.numerics)


def bind_variant(graph: Graph, node: Node, op: Op) -> tuple[Variant | None, list[str]]:
    """Variant for a node's element types, or sentences about types that no variant has."""
    bound: dict[str, DType] = {}
    complaints: list[str] = []
    pairs: list[tuple[Input | Output, str | None]] = [*named_inputs(op, node)]
    pairs += named_outputs(op, node)
    for value, name in pairs:
        if name is None:
            continue
        dtype = graph.tensors[name].dtype
        allowed = types_of(op, value)
        if isinstance(value, Input) and _may_be_wide(value, graph.tensors[name]):
            complaints += _too_wide(op, value, graph.tensors[name])
        elif dtype not in allowed:
            known = ", ".join(other.name for other in allowed)
            complaints.append(f"'{value.name}' is {dtype.name}; {op.name} takes {known}")
        elif isinstance(value.type, str) and bound.setdefault(value.type, dtype) != dtype:
            other = bound[value.type].name
            complaints.append(f"'{value.name}' is {dtype.name} where other tensors are {other}")
    if complaints:
        return None, complaints
    fitting = (v for v in op.variants if all(v.types[each] == bound[each] for each in bound))
    found = next(fitting, None)
    return found, [] if found is not None else [_no_such(op, bound)]


def _may_be_wide(value: Input, tensor: Tensor) -> bool:
    """True if an int64 tensor may serve as a constant int32 input, if its numbers fit."""
    return value.constant and value.type == i32 and tensor.dtype == i64


def _too_wide(op: Op, value: Input, tensor: Tensor) -> Iterator[str]:
    """Sentence about the first number of an int64 constant that int32 cannot hold, or that the
    tensor is int64 where it is not constant.
    """
    if tensor.constant is not None:
        low, high = i32.limits
        wide = (n for n in tensor.data.reshape(-1).tolist() if not low <= n <= high)
        what = next((f"has the number {number}" for number in wide), f"is {i64.name}")
        yield f"'{value.name}' {what}; {op.name} takes {i32.name}"


def types_of(op: Op, value: Input | Output) -> tuple[DType, ...]:
    """Element types that an input or output has in any variant, in the order of variants."""
    return op.types[value.type] if isinstance(value.type, str) else (value.type,)


def _no_such(op: Op, bound: Mapping[str, DType]) -> str:
    """Sentence about element types that an op knows, but not in this combination."""

    def shown(types: Mapping[str, DType]) -> str:
        values: tuple[Input | Output, ...] = (*op.inputs, *op.outputs)
        named = {value.name: types.get(str(value.type)) for value in values}
        return ", ".join(f"{name} {dtype.name}" for name, dtype in named.items() if dtype)

    known = "; ".join(shown(variant.types) for variant in op.variants)
    return f"{shown(bound)} do not go together; {op.name} takes {known}"


def placed_inputs(
    node: Node, op: Op, inputs: tuple[str | None, ...]
) -> tuple[tuple[str | None, ...], list[str]]:
    """Inputs in declared order, absent ones as None, and sentences about a wrong number of them."""
    variadic = bool(op.inputs) and op.inputs[-1].variadic
    complaints = []
    outputs = len(op.outputs)
    if op.outputs[-1].variadic:
        outputs = max(outputs, len(node.outputs))
    if (len(inputs) > len(op.inputs) and not variadic) or len(node.outputs) != outputs:
        complaints.append(
            f"{len(inputs)} inputs and {len(node.outputs)} outputs, "
            f"where {op.name} has {len(op.inputs)} and {len(op.outputs)}"
        )
    fixed = len(op.inputs) - variadic
    inputs += (None,) * (fixed - len(inputs))
    for value, name in zip(op.inputs, inputs, strict=False):
        if name is None and not value.optional:
            complaints.append(f"input '{value.name}' of {op.name} is absent")
    if variadic and (len(inputs) == fixed or None in inputs[fixed:]):
        complaints.append(
            f"input '{op.inputs[-1].name}' of {op.name} has none, or an absent tensor"
        )
    return inputs, complaints


def node_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """Problems of a node that is no valid use of its op: types, constants, shapes, quantisation."""
    problems = operand_problems(graph, node, op, where)
    return problems or shape_problems(graph, node, op, where)


def shape_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """Problems with shapes and quantisation of a node that has no `operand_problems`."""
    return [_misused(op, text, where) for text in _shape_complaints(graph, node, op)]


def operand_problems(graph: Graph, node: Node, op: Op, where: str) -> list[Problem]:
    """Problems with types of a node's tensors, and with operands that must be constants or states
    but are not.

    Functions of an op may look at a node without such problems.
    """
    _, complaints = bind_variant(graph, node, op)
    if complaints:
        fix = "convert the model to these types, or add a variant to the op"
        return [Problem("MDL012", text, where, fix) for text in complaints]
    problems = []
    for value, name in named_inputs(op, node):
        if value.constant and name is not None and graph.tensors[name].constant is None:
            known = "an input" if name in graph.inputs else "computed at run time"
            what = f"'{value.name}' must be a constant, but '{graph.tensors[name].name}' is {known}"
            fix = "export the model so that this depends on no input"
            problems.append(_misused(op, what, where, fix))
        if value.state and name is not None and not graph.tensors[name].variable:
            what, fix = "a variable tensor", "export the model with its states as variables"
            problems.append(_misused(op, f"'{value.name}' must be {what}", where, fix))
    return problems


def _misused(op: Op, text: str, where: str, fix: str = _OTHER_LAYER) -> Problem:
    return Problem("MDL014", f"{op.name}: {text}", where, fix)


def _empty_operands(graph: Graph, node: Node, op: Op) -> Iterator[str]:
    """Sentence about each tensor without elements from which a node computes something.

    Operands that configure the node, such as the axes of a reduction, may be empty.
    """
    for value, name in named_inputs(op, node):
        if name is None or value.constant or value.empty:
            continue
        if not graph.tensors[name].elements:
            yield f"'{value.name}' is {graph.tensors[name].type}, which has no elements"


def from_nothing(graph: Graph, node: Node, op: Op) -> bool:
    """True if a node makes constant elements from tensors without any, such as an empty sum."""
    tensors = [graph.tensors[name] for name in node.inputs if name is not None]
    known = FROM_NOTHING in op.traits and all(tensor.constant is not None for tensor in tensors)
    makes_some = any(graph.tensors[name].elements for name in node.outputs)
    return known and makes_some and any(_empty_operands(graph, node, op))


def _infinite_attributes(node: Node, op: Op) -> Iterator[str]:
    for attribute in op.attributes:
        value = node.attributes.get(attribute.name)
        if isinstance(value, float) and not math.isfinite(value):
            yield f"attribute '{attribute.name}' is {value}, which is not finite"


def _shape_complaints(graph: Graph, node: Node, op: Op) -> list[str]:
    seen = view(graph, node, op)
    try:
        inferred: tuple[TensorType, ...] = tuple(op.infer(seen))
        if len(inferred) != len(node.outputs):
            return [f"infer gives {len(inferred)} types for {len(node.outputs)} outputs"]
        complaints = [
            f"'{value.name}' is {graph.tensors[name].type} where {wanted} follows from the inputs"
            for (value, name), wanted in zip(named_outputs(op, node), inferred, strict=True)
            if graph.tensors[name].type != wanted
        ]
        variant, _ = bind_variant(graph, node, op)
        assert variant is not None  # operand_problems has reported this
        if not complaints and not any(graph.tensors[name].elements for name in node.outputs):
            return []  # nothing is computed
        made_of_none = from_nothing(graph, node, op)
        complaints += () if made_of_none else _empty_operands(graph, node, op)
        if not complaints:
            rules = [rule for rule in (op.check, variant.check) if rule is not None]
            complaints = [sentence for rule in rules for sentence in rule(seen)]
        complaints = complaints or list(_infinite_attributes(node, op))
        reference, rule = variant.reference, op.decompose if op.composite else None
        others = rule is not None and rule.when(seen)
        if not complaints and not (others or made_of_none):  # kernels must be able to compute it
            if reference is not None:
                reference.plan(seen)
            elif op.decompose is not None:
                return [f"when= of decompose= of {op.name} does not hold, and it has no kernel"]
    except OpError as error:
        return [str(error)]
    return complaints
