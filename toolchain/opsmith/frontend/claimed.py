"""Operators that op folders claim by a Rename of a format's name space, such as `onnx.Hardmax`."""

from collections.abc import Container

from opsmith.errors import Problem, raise_all
from opsmith.op.index import Claimed


def sources_of(space: str, read: Container[str], claimed: Claimed) -> frozenset[str]:
    """Source ops of a name space that folders claim. Raises OPS005 for an operator that the front
    end reads by itself, its name in `read`, where no folder overrides the front end.
    """
    found = {each: claimed[each] for each in claimed if each.partition(".")[0] == space}
    raise_all(
        Problem(
            "OPS005",
            f"source op '{source}' is claimed by a folder, and the front end reads it",
            str(claims[0].found.file),
            f'say overrides="{space}" and a reason= in the Rename, or remove it',
        )
        for source, claims in found.items()
        if source.partition(".")[2] in read
        and not any(claim.source.overrides_front_end for claim in claims)
    )
    return frozenset(found)
