"""Selection of the subgraph that a signature names."""

from itertools import islice
from typing import Any

from opsmith.errors import ToolchainError, did_you_mean
from opsmith.frontend.names import shown
from opsmith.tflite.schema import SchemaReader, malformed

_MOST = 16  # signatures that a message lists


def subgraph_of(reader: SchemaReader, root: Any, signature: str) -> int:
    """Number of the subgraph that a signature names, by default the first. Raises MDL024."""
    if not signature:
        return 0
    found = {
        reader.text(each.SignatureKey()): int(each.SubgraphIndex())
        for each in reader.items(root, "SignatureDefs")
    }
    if signature not in found:
        names = ", ".join(shown(name) for name in islice(found, _MOST))
        names += f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
        raise ToolchainError.of(
            "MDL024",
            f"the model has no signature '{shown(signature)}'{did_you_mean(signature, found)}",
            where=f"{reader.path}: signature={signature}",
            fix=f"name one of: {names}" if found else "leave signature= out: the model has none",
        )
    if not 0 <= found[signature] < root.SubgraphsLength():
        raise malformed(reader.path, f"signature '{shown(signature)}' names no subgraph")
    return found[signature]
