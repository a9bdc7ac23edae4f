"""Edits of nodes, options, operator codes, subgraphs and what a file says of itself."""

import copy
import random
from typing import Any

from tests.fuzz.models import values
from tests.fuzz.models.edits import Edit
from tests.fuzz.models.tree import OPERATORS, OPTIONS, operator_number, renumber, table

ALIKE = (
    ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM"),
    ("MAX_POOL_2D", "AVERAGE_POOL_2D"),
    ("RELU", "RELU6", "QUANTIZE", "DEQUANTIZE", "SOFTMAX", "CAST", "RESHAPE", "SQUEEZE"),
    ("PAD", "PADV2", "TRANSPOSE", "RESHAPE", "MEAN", "EXPAND_DIMS"),
    ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"),
    ("CONCATENATION", "PACK"),
    ("SPLIT", "SPLIT_V", "UNPACK"),
)


def operands(model: Any, random: random.Random) -> str:
    """Change the list of inputs or outputs of a node or a subgraph."""
    graph = random.choice(model.subgraphs)
    owner = random.choice([*(graph.operators or []), graph])
    which = random.choice(("inputs", "inputs", "outputs"))
    numbers = list(getattr(owner, which) or [])
    count = len(graph.tensors or [])
    place = random.randrange(len(numbers)) if numbers else 0
    other = random.choice((-1, -2, count, 2**31 - 1, *range(count)))
    match random.randrange(6):
        case 0 if numbers:
            numbers[place] = other
        case 1 if numbers:
            numbers.insert(place, numbers[random.randrange(len(numbers))])
        case 2 if numbers:
            del numbers[place]
        case 3:
            random.shuffle(numbers)
        case 4 if numbers:
            numbers[place] = numbers[random.randrange(len(numbers))]
        case _:
            numbers.insert(place, other)
    setattr(owner, which, random.choice((numbers,) * 19 + (None,)))
    return f"{which} {numbers} of {'a node' if owner is not graph else 'the graph'}"


def option(model: Any, random: random.Random) -> str:
    """Change the value of a builtin option."""
    found = [each for each in _nodes(model) if each.builtinOptions is not None]
    found = [each for each in found if vars(each.builtinOptions)]
    if not found:
        return ""
    options = random.choice(found).builtinOptions
    name = random.choice([*vars(options)])
    old = getattr(options, name)
    if isinstance(old, bool):
        new: Any = not old
    elif isinstance(old, float):
        new = values.float_near(random, old)
    elif isinstance(old, int):
        enum = "ctivation" in name or "adding" in name or "Type" in name
        new = random.choice((0, 1, 2, 3, 4, 5, 9, 127, -1)) if enum else values.near(random, old)
    elif isinstance(old, list):
        new = [values.near(random, each) for each in old]
    else:
        return ""
    setattr(options, name, new)
    return f"option {name}={new} instead of {old}"


def option_type(model: Any, random: random.Random) -> str:
    """Give a node options of a different type, or the type number of different options."""
    found = _nodes(model)
    if not found:
        return ""
    node = random.choice(found)
    match random.randrange(4):
        case 0:
            node.builtinOptionsType = random.choice([*OPTIONS.values(), 200])
        case 1:
            node.builtinOptionsType, node.builtinOptions = 0, None
        case 2:
            name = random.choice([*OPTIONS])
            if name == "NONE":
                return ""
            node.builtinOptionsType, node.builtinOptions = OPTIONS[name], table(name)
        case _:
            node.builtinOptions2Type = random.randrange(24)
    return f"options of type {node.builtinOptionsType} or {node.builtinOptions2Type}"


def custom_options(model: Any, random: random.Random) -> str:
    """Change the bytes of a custom op's options."""
    found = [each for each in _nodes(model) if each.customOptions]
    if not found:
        found = _nodes(model)[:1] if random.random() < 0.1 else []
    if not found:
        return ""
    node = random.choice(found)
    content = list(node.customOptions or [])
    match random.randrange(4):
        case 0:
            content = content[: random.randrange(len(content) + 1)]
        case 1:
            content = [random.randrange(256) for _ in range(random.randrange(40))]
        case 2:
            node.largeCustomOptionsOffset = random.choice((1, 64, 2**40, 2**64 - 1))
            node.largeCustomOptionsSize = random.choice((0, 1, 64, 2**64 - 1))
        case _ if content:
            for _ in range(random.randint(1, 3)):
                content[random.randrange(len(content))] = random.choice((0, 1, 127, 128, 255))
    node.customOptions = content
    return f"{len(content)} bytes of custom options"


def operator_code(model: Any, random: random.Random) -> str:
    """Change an operator, its version, name or number."""
    codes = model.operatorCodes or []
    if not codes:
        return ""
    code, node = random.choice(codes), random.choice(_nodes(model) or [table("Operator")])
    number = operator_number(code)
    match random.randrange(7):
        case 0:
            number = random.choice([*OPERATORS.values(), -1, 300, 2**31 - 1])
        case 1 | 2:
            names = {value: name for name, value in OPERATORS.items()}
            alike = [g for g in ALIKE if names.get(number) in g] or [ALIKE[0]]
            number = OPERATORS[random.choice(random.choice(alike))]
        case 3:
            code.version = random.choice((0, 1, 2, 3, 4, 5, 6, 7, 99, -1, 2**31 - 1))
            return f"version {code.version}"
        case 4:
            code.customCode = values.name(random)
            if random.random() < 0.5:
                renumber(code, OPERATORS["CUSTOM"], random)
            return f"custom name {code.customCode[:20]!r}"
        case 5:
            node.opcodeIndex = random.choice((0, len(codes) - 1, len(codes), 2**32 - 1))
            return f"operator code number {node.opcodeIndex}"
    renumber(code, number, random)
    return f"operator {code.builtinCode} or {code.deprecatedBuiltinCode}"


def nodes(model: Any, random: random.Random) -> str:
    """Reorder nodes, remove one, or repeat one."""
    graph = random.choice(model.subgraphs)
    found = graph.operators or []
    if not found:
        return ""
    place = random.randrange(len(found))
    match random.randrange(4):
        case 0:
            random.shuffle(found)
            return "nodes in another order"
        case 1:
            del found[place]
            return f"without node {place}"
        case 2:
            found.append(copy.deepcopy(found[place]))
            return f"node {place} again"
    made = copy.deepcopy(found[place])
    made.outputs = [_copied(graph, number) for number in made.outputs or []]
    found.append(made)
    graph.outputs = [*(graph.outputs or []), *made.outputs]
    return f"node {place} again, with outputs of its own"


def subgraphs(model: Any, random: random.Random) -> str:
    """Remove, add, empty or rename subgraphs."""
    match random.randrange(4):
        case 0:
            model.subgraphs = [*model.subgraphs, copy.deepcopy(model.subgraphs[0])]
        case 1:
            model.subgraphs = [*model.subgraphs, table("SubGraph")]
        case 2:
            model.subgraphs = random.choice(([], None, [table("SubGraph")]))
        case _:
            random.choice(model.subgraphs).name = values.name(random)
    return f"{len(model.subgraphs or [])} subgraphs, or another name of one"


def about(model: Any, random: random.Random) -> str:
    """Change a file's version, description, metadata or signatures."""
    match random.randrange(4):
        case 0:
            model.version = random.choice((0, 1, 2, 4, 2**32 - 1))
        case 1:
            model.description = values.name(random)
        case 2:
            made = table("Metadata")
            made.name, made.buffer = values.name(random), random.choice((0, 1, 99, 2**32 - 1))
            model.metadata = [*(model.metadata or []), made]
        case _:
            made, entry = table("SignatureDef"), table("TensorMap")
            entry.name, entry.tensorIndex = values.name(random), random.choice((0, 1, 99))
            made.signatureKey, made.inputs, made.outputs = values.name(random), [entry], [entry]
            made.subgraphIndex = random.choice((0, 0, 7))
            model.signatureDefs = [*(model.signatureDefs or []), made]
    return "another version, description, metadata or signature"


GRAPH_EDITS: dict[Edit, int] = {
    operands: 9, option: 14, option_type: 3, custom_options: 8, operator_code: 5, nodes: 4,
    subgraphs: 1, about: 2,
}  # fmt: skip


def _nodes(model: Any) -> list[Any]:
    return [each for graph in model.subgraphs or () for each in graph.operators or ()]


def _copied(graph: Any, number: int) -> int:
    """Number of a new tensor that copies a given one."""
    if not 0 <= number < len(graph.tensors or []):
        return number
    graph.tensors.append(copy.deepcopy(graph.tensors[number]))
    return len(graph.tensors) - 1
