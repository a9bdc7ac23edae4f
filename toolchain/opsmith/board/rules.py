"""Rules of a board.toml that assign tensors and constants to memories."""

from opsmith.board.describe import TENSOR_KINDS, ArenaRule, ConstantsRule
from opsmith.board.schema import Table
from opsmith.errors import did_you_mean


def arena_rule(table: Table) -> ArenaRule:
    """Rule of `[[arena]]`."""
    kinds = table.names("kinds") or TENSOR_KINDS
    for kind in kinds:
        if kind not in TENSOR_KINDS:
            what = f"unknown kind of tensor '{kind}'{did_you_mean(kind, TENSOR_KINDS)}"
            table.wrong(what, f"choose some of: {', '.join(TENSOR_KINDS)}")
    rule = ArenaRule(
        memory=table.text("memory"),
        kinds=kinds,
        at_least=table.optional_size("at_least", 0),
        at_most=table.optional_size("at_most", 1 << 32),
        limit=table.optional_size("limit", 0) or None,
    )
    table.close()
    return rule


def constants_rule(table: Table) -> ConstantsRule:
    """Rule of `[[constants]]`."""
    rule = ConstantsRule(
        memory=table.text("memory"),
        copied=table.choice("at_start", ("copy",), required=False) is not None,
        at_least=table.optional_size("at_least", 0),
        at_most=table.optional_size("at_most", 1 << 32),
        limit=table.optional_size("limit", 0) or None,
    )
    table.close()
    return rule
