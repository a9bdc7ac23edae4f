"""Einsum of one or two operands, as a product of matrices between transpositions."""

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, preferred, refuse, stated, word


def einsum(reader: Reader, operator: Operator) -> None:
    """Write an Einsum whose operands have each of their letters once."""
    terms, wanted = _terms(operator)
    values = [reader.value(operator, index) for index in range(len(terms))]
    values = [reader.ordered(operator, each, stated(len(each.order))) for each in values]
    parts, tensors = Parts(reader, operator), [each.tensor for each in values]
    shapes = [parts.shape(each) for each in tensors]
    if len(tensors) != len(operator.inputs) or [*map(len, terms)] != [*map(len, shapes)]:
        raise refuse(operator, f"its letters do not fit {shapes}", "MDL014")
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if any(sizes.setdefault(each, n) != n for each, n in zip(term, shape, strict=True)):
            raise refuse(operator, f"its letters do not fit {shapes}", "MDL014")
    alone = [
        set(term) - {*wanted}.union(*terms[:i], *terms[i + 1 :]) for i, term in enumerate(terms)
    ]
    for index, (term, gone) in enumerate(zip(terms, alone, strict=True)):
        tensors[index] = _summed(parts, tensors[index], term, gone)
        terms[index] = "".join(each for each in term if each not in gone)
    made, letters = tensors[0], terms[0]
    if len(terms) > 1:
        made, letters = _product(parts, tensors, terms, wanted, sizes)
    if letters != wanted:
        made = parts.turned(made, [letters.index(each) for each in wanted])
    found = Value(made, stated(len(wanted)))
    reader.values[operator.outputs[0]] = reader.ordered(operator, found, preferred(len(wanted)))


def _terms(operator: Operator) -> tuple[list[str], str]:
    """Letters of the operands and of the output, each once."""
    equation = word(operator, "equation", "").replace(" ", "")
    left, arrow, wanted = equation.partition("->")
    terms = left.split(",")
    if not arrow:
        wanted = "".join(sorted(each for each in {*left} - {","} if left.count(each) == 1))
    known = {*left} - {","}
    once = all(len({*each}) == len(each) for each in (*terms, wanted))
    if not known or not "".join(known).isalpha() or not once or not {*wanted} <= known:
        raise refuse(operator, f"equations such as '{equation[:40]}' are not read")
    if len(terms) > 2 or not all(terms) or not wanted:
        raise refuse(operator, "it has more than two operands, or scalars")
    return terms, wanted


def _summed(parts: Parts, x: str, term: str, gone: set[str]) -> str:
    """Tensor x, with axes that no other operand and no output has summed up."""
    if not gone:
        return x
    axes = [axis for axis, letter in enumerate(term) if letter in gone]
    shape = [size for axis, size in enumerate(parts.shape(x)) if axis not in axes]
    return parts.node("SUM", [x, parts.reader.numbers("axes", axes)], shape, keep_dims=False)


def _product(
    parts: Parts, tensors: list[str], terms: list[str], wanted: str, sizes: dict[str, int]
) -> tuple[str, str]:
    """Tensor of the product of two operands, and the letters of its axes."""
    a, b = terms
    outer = [each for each in a if each in b and each in wanted]
    inner = [each for each in a if each in b and each not in wanted]
    rows, columns = ([e for e in term if e not in other] for term, other in ((a, b), (b, a)))

    def matrix(x: str, term: str, *groups: list[str]) -> str:
        letters = [*outer, *(each for group in groups for each in group)]
        if [*term] != letters:
            x = parts.turned(x, [term.index(each) for each in letters])
        shape = [sizes[each] for each in outer] + [count(group) for group in groups]
        return x if parts.shape(x) == tuple(shape) else parts.reshaped(x, shape)

    def count(letters: list[str]) -> int:
        found = 1
        for each in letters:
            found *= sizes[each]
        return found

    made = parts.product(
        matrix(tensors[0], a, rows, inner), matrix(tensors[1], b, columns, inner), adjoint=True
    )
    letters = [*outer, *rows, *columns]
    return parts.reshaped(made, [sizes[each] for each in letters]), "".join(letters)
