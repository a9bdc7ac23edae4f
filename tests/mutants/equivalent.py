"""Mutants that compute the same for every node, though not by the same instructions, and why."""

# (file, way, text of the line) -> why no test can tell
EQUIVALENT: dict[tuple[str, str, str], str] = {}
