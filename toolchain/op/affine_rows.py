"""Kernel rows of ops whose int8 elements are affine functions of those of their inputs.

`affine.h` is for every core; `cmsis_dsp.h` and `cmsis_mve.h` take rows of neighbours.
"""

from __future__ import annotations

from toolchain.ir.types import i8
from toolchain.op.affine import Evaluate
from toolchain.op.affine_elements import AffineElements, affine_elements, element_constants
from toolchain.op.affine_pair import AffinePair, affine_pair, pair_constants
from toolchain.op.broadcast import in_rows
from toolchain.op.cost import per_element
from toolchain.op.describe import Kernel
from toolchain.op.mve_elements import MveElements, MvePair, elements, pair
from toolchain.op.view import NodeView


def pair_rows(evaluate: Evaluate, signs: tuple[int, int]) -> tuple[Kernel, ...]:
    """The rows of y = signs[0] * a + signs[1] * b."""

    def takes(node: NodeView) -> bool:
        return pair_constants(node, evaluate, signs) is not None

    def params(node: NodeView) -> AffinePair:
        return affine_pair(node, pair_constants(node, evaluate, signs))

    def mve_params(node: NodeView) -> MvePair:
        found = pair(node, evaluate, signs)
        assert found is not None
        return found

    return (
        Kernel(
            "cmsis_mve.h",
            dtypes=(i8,),
            requires={"mve"},
            cost=per_element(1.8),
            when=lambda node: pair(node, evaluate, signs) is not None,
            params=mve_params,
        ),
        Kernel(
            "cmsis_dsp.h",
            dtypes=(i8,),
            requires={"dsp"},
            cost=per_element(6.4),
            when=lambda node: in_rows(node) and takes(node),
            params=params,
        ),
        Kernel("affine.h", dtypes=(i8,), cost=per_element(20.0), when=takes, params=params),
    )


def element_rows(evaluate: Evaluate) -> tuple[Kernel, ...]:
    """The rows of a y of x, element by element."""

    def params(node: NodeView) -> AffineElements:
        return affine_elements(node, evaluate)

    def mve_params(node: NodeView) -> MveElements:
        found = elements(node, evaluate)
        assert found is not None
        return found

    return (
        Kernel(
            "cmsis_mve.h",
            dtypes=(i8,),
            requires={"mve"},
            cost=per_element(1.3),
            when=lambda node: elements(node, evaluate) is not None,
            params=mve_params,
        ),
        Kernel(
            "affine.h",
            dtypes=(i8,),
            cost=per_element(9.0),
            when=lambda node: element_constants(node, evaluate) is not None,
            params=params,
        ),
    )
