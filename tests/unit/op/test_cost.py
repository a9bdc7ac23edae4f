"""Costs of kernels: known wherever kernels compete."""

import pytest

from opsmith.op.index import OpFolder
from opsmith.testing.known_ops import shipped_ops
from tests.each import for_each

pytestmark = pytest.mark.slow  # loads all ops

OPS = [*shipped_ops().by_name.values()]
COMPETING = [
    found for found in OPS if any(len(variant.kernels) > 1 for variant in found.op.variants)
]


@for_each(*COMPETING, of=lambda found: found.op.name)
def test_kernels_that_compete_declare_what_they_cost(found: OpFolder) -> None:
    for variant in found.op.variants:
        for runtime in {kernel.runtime for kernel in variant.kernels}:
            rivals = [kernel for kernel in variant.kernels if kernel.runtime == runtime]
            if len(rivals) > 1 or runtime:
                assert [each.path for each in rivals if each.cost is None] == []
