"""Work sizes: integer formulas of the sizes of a tensor, such as `(X+3)/4`."""

import re
from collections.abc import Mapping

MOST_CHARACTERS = 200
MOST_DEPTH = 20
_TOKEN = re.compile(r"\s*(?:(\d{1,9})|([bfyxBFYX])|([-+*/%()]))", re.ASCII)


class FormulaError(Exception):
    """Error in a formula, or in its value."""


def check(formula: str) -> None:
    """Raise FormulaError for text that is no formula."""
    _Parser(formula, None).all()


def value(formula: str, sizes: Mapping[str, int]) -> int:
    """Value of the formula for the given sizes; division truncates as in C."""
    found = _Parser(formula, sizes).all()
    if not 0 < found < 1 << 31:
        raise FormulaError(f"'{formula}' is {found} here, not a positive size")
    return found


class _Parser:
    """Parser that computes while it reads; without sizes it only reads."""

    def __init__(self, formula: str, sizes: Mapping[str, int] | None) -> None:
        self._formula, self._sizes, self._depth = formula, sizes, 0
        self._left = self._tokens()[::-1]

    def all(self) -> int:
        found = self._sum()
        if self._left:
            raise self._wrong(f"at '{self._left[-1]}'")
        return found

    def _tokens(self) -> list[str]:
        text, at, found = self._formula.rstrip(), 0, []
        if len(text) > MOST_CHARACTERS:
            raise FormulaError(f"a formula has more than {MOST_CHARACTERS} characters")
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._wrong(f"at '{text[at:].strip()[:10]}'")
            found.append(match[0].strip())
            at = match.end()
        return found

    def _sum(self) -> int:
        found = self._product()
        while self._next() in ("+", "-"):
            sign = 1 if self._left.pop() == "+" else -1
            found += sign * self._product()
        return found

    def _product(self) -> int:
        found = self._operand()
        while self._next() in ("*", "/", "%"):
            operator, other = self._left.pop(), self._operand()
            if operator == "*":
                found *= other
                continue
            if self._sizes is None:
                continue
            if other == 0:
                raise FormulaError(f"'{self._formula}' divides by zero here")
            quotient = abs(found) // abs(other) * (1 if (found < 0) == (other < 0) else -1)
            found = quotient if operator == "/" else found - quotient * other
        return found

    def _operand(self) -> int:
        token = self._left.pop() if self._left else ""
        if token == "(" and self._depth < MOST_DEPTH:
            self._depth += 1
            found = self._sum()
            self._depth -= 1
            if self._next() != ")":
                raise self._wrong("without ')'")
            self._left.pop()
            return found
        if token.isdigit():
            return int(token)
        if token.upper() in ("B", "F", "Y", "X"):
            return 1 if self._sizes is None else self._sizes[token.upper()]
        raise self._wrong(f"at '{token}'" if token else "at its end")

    def _next(self) -> str:
        return self._left[-1] if self._left else ""

    def _wrong(self, where: str) -> FormulaError:
        what = f"'{self._formula}' is no formula of B, F, Y, X, integers and + - * / % ( )"
        return FormulaError(f"{what}, {where}")
