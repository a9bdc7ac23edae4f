"""Formulas of float elements, written in numpy and translated to C++ and OpenCL C by calling the
formula with a `Traced`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from opsmith.ir import Array, DType
from opsmith.ir.types import boolean, f32, f64

CHOICE, COMPARISON, SUM, PRODUCT, SIGN, CALL = range(6)  # how firmly an expression binds
_INFIX: Mapping[object, tuple[str, int]] = {
    np.add: ("+", SUM),
    np.subtract: ("-", SUM),
    np.multiply: ("*", PRODUCT),
    np.divide: ("/", PRODUCT),
    np.equal: ("==", COMPARISON),
    np.not_equal: ("!=", COMPARISON),
    np.less: ("<", COMPARISON),
    np.less_equal: ("<=", COMPARISON),
    np.greater: (">", COMPARISON),
    np.greater_equal: (">=", COMPARISON),
}
# Functions with the bits of numpy's: in C++, in OpenCL C, and the file of core that defines them.
_CALLS: Mapping[object, tuple[str, str, str]] = {
    np.absolute: ("__builtin_fabsf", "fabs", ""),
    np.ceil: ("opsmith::rounded_up", "ceil", "real_rounding"),
    np.floor: ("opsmith::rounded_down", "floor", "real_rounding"),
    np.sqrt: ("opsmith::square_root", "square_root", "square_root"),
}


@dataclass(frozen=True, eq=False)
class Traced(NDArrayOperatorsMixin):
    """Value within a formula, as C++ and OpenCL C expressions over its arguments.

    Functions of numpy that C++ and OpenCL C compute with equal bits give another `Traced`; other
    functions raise TypeError.
    """

    dtype: DType  # of the elements, also where this compares them
    cpp: str
    opencl: str
    binds: int = CALL
    files: frozenset[str] = frozenset()  # of both languages, that define its functions

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **others: Any) -> Traced:
        """Result of numpy's + - * /, comparisons, or a function of one value. Raises TypeError for
        others.
        """
        values = [self._value(each) for each in given]
        real = self.dtype in (f32, f64)
        if method == "__call__" and not others:
            if ufunc is np.negative and real:
                return self._joined(values, "-{}", SIGN, (CALL,))
            if ufunc is np.logical_not and self.dtype == boolean:
                return self._joined(values, "!{}", SIGN, (CALL,))
            if ufunc in _CALLS and self.dtype == f32:
                return values[0].called(*_CALLS[ufunc])
            if ufunc in _INFIX and (real or _INFIX[ufunc][1] == COMPARISON):
                sign, binds = _INFIX[ufunc]
                left = binds + (binds == COMPARISON)  # comparisons do not chain
                found = self._joined(values, f"{{}} {sign} {{}}", binds, (left, binds + 1))
                return found if sign != "/" else values[0].divided(values[1], found)
        raise _unknown(ufunc.__name__, self.dtype)

    def __array_function__(self, function: Any, _: Any, given: Any, others: Any) -> Traced:
        """Result of `where(condition, a, b)`. Raises TypeError for other functions of numpy."""
        if function is not np.where or len(given) != 3 or others:
            raise _unknown(function.__name__, self.dtype)
        values = [self._value(each) for each in given]
        return self._joined(values, "{} ? {} : {}", CHOICE, (COMPARISON, CHOICE, CHOICE))

    def __array__(self, *_: Any, **__: Any) -> Array:
        """Raise TypeError: a formula cannot use the elements of its argument."""
        raise _unknown("asarray", self.dtype)

    def called(self, cpp: str, opencl: str, file: str) -> Traced:
        """Call of a function of the value; `file` of runtimes/core defines it, if not empty."""
        of_file = {f"runtimes/core/{file}.{suffix}" for suffix in ("h", "cl") if file}
        texts = f"{cpp}({self.cpp})", f"{opencl}({self.opencl})"
        return Traced(self.dtype, *texts, CALL, self.files | of_file)

    def divided(self, by: Traced, found: Traced) -> Traced:
        """Quotient, correctly rounded on all devices; `found` is the plain expression."""
        files = found.files | {"runtimes/core/division.cl"}
        opencl = f"divided({self.opencl}, {by.opencl})"
        return Traced(self.dtype, found.cpp, opencl, PRODUCT, files)

    def _value(self, given: Any) -> Traced:
        if isinstance(given, Traced):
            return given
        number = float(given)
        text = str(int(number))
        if self.dtype == f32:
            text = f"{np.float32(number)!s}f"
        elif self.dtype == f64:
            text = repr(number)
        return Traced(self.dtype, text, text, SIGN if number < 0 else CALL)

    def _joined(
        self, values: Sequence[Traced], form: str, binds: int, least: Sequence[int]
    ) -> Traced:
        """Expression of values in a form; values that bind less than in `least` get parentheses."""

        def text(language: str) -> str:
            texts = (
                getattr(each, language) if each.binds >= most else f"({getattr(each, language)})"
                for each, most in zip(values, least, strict=True)
            )
            return form.format(*texts)

        files = frozenset[str]().union(*(each.files for each in values))
        return Traced(self.dtype, text("cpp"), text("opencl"), binds, files)


def in_core(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Decorator of a function of numpy that formulas may call: the `.h` and `.cl` beside its module
    define that function.
    """
    name, file = function.__name__, function.__module__.rpartition(".")[2]

    @wraps(function)
    def either(x: Array) -> Array:
        given: Any = x
        if isinstance(given, Traced):
            found: Any = given.called(f"opsmith::{name}", name, file)
            return found  # type: ignore[no-any-return]
        return function(x)

    return either


def traced(formula: Callable[[Array], Array], dtype: DType, name: str = "x") -> Traced:
    """Formula of an argument called `name`. Raises TypeError where it cannot be translated."""
    argument: Any = Traced(dtype, name, name)
    found: Any = formula(argument)
    if not isinstance(found, Traced):
        raise TypeError(f"the formula gives {type(found).__name__}, which does not depend on x")
    return found


def _unknown(function: str, dtype: DType) -> TypeError:
    return TypeError(
        f"no formula of {dtype.name} has {function}: C++ and OpenCL C are made of + - * /, "
        "comparisons, where, abs, ceil, floor, sqrt and functions of runtimes/core; write "
        "reference.h, and by_reference"
    )
