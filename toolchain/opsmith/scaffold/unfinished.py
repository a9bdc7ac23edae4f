"""Mark of a new op whose formula is still the template's, and the lines about the oracle of its
tests.

LiteRT knows the right bytes of a builtin operator, so its tests need no values of their own.
"""

from opsmith.contract.check import PLACEHOLDER_MARK
from opsmith.scaffold.names import class_name
from opsmith.scaffold.spec import Spec

MARK = f"""\
// {PLACEHOLDER_MARK}: this is the template's formula. Write yours here and in op.py; then
// remove this mark and the trait 'placeholder' of op.py."""
TRAIT = '    traits={"placeholder"},  # until the formula is yours'


def known_to_litert(spec: Spec) -> bool:
    """True if the source operator of a spec is one of LiteRT's own."""
    return spec.custom is None


def cases_title(spec: Spec) -> str:
    """Docstring of the test file."""
    beside = "LiteRT" if known_to_litert(spec) else "its numpy model and what is known"
    return f'"""{class_name(spec.name)}: every type, against {beside}."""'


def oracle_lines(spec: Spec) -> list[str]:
    """Lines that name the oracle in the class of tests; empty for LiteRT, the default."""
    return [] if known_to_litert(spec) else ['    oracle = "numpy"']
