"""`opsmith plan MODEL --board BOARD`: shows what fills RAM, before anything is built.

The command plans memory as a build does, lists the tensors alive at its peak, and suggests ways to
lower it. It needs no compiler. Options are those of builds: `--ram-budget=64K`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_platforms
from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.collector import without_collector
from opsmith.conversion import Conversion, convert
from opsmith.discover.discover import discover
from opsmith.emit.facts import FirmwareFacts, model_json
from opsmith.emit.joined import joined
from opsmith.frontend.tflite.counts import can_be_quantised
from opsmith.home import shipped
from opsmith.option import add_flags, flagged
from opsmith.report.peak import peaks
from opsmith.report.plan_svg import plan_svg
from opsmith.text import escaped
from opsmith.writing import replace_files

FORMAT = 1  # of the JSON
BAR = 40  # letters of the bar of a node
MOST_ROWS = 60  # of nodes
QUANTISED = "calibrate=SET.npz, samples of its inputs, makes it a model of int8: about a quarter."


@without_collector()
def main(arguments: list[str]) -> int:
    """Print the plan; returns 0. Raises the errors of a build."""
    parser = Parser(prog="opsmith plan", description=__doc__)
    parser.add_argument("model", type=Path, metavar="MODEL")
    parser.add_argument("--board", required=True, help="name or alias")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--svg", type=Path, help="also write a picture of the plan")
    parser.add_argument("--runtime", help="in place of the board's")
    for name, what in (("ops", "op folders"), ("backends", "backends"), ("boards", "boards")):
        more = f"more folders of {what}"
        parser.add_argument(f"--{name}", type=Path, action="append", default=[], help=more)
    add_platforms(parser)
    add_flags(parser, BuildOptions)
    given = parser.parse_args(arguments)
    board = load_board(given.board, [shipped("boards"), *given.boards], given.platforms)
    conversion = Conversion(
        flagged(given, BuildOptions),
        board,
        load_runtime(given.runtime or board.runtime, SHIPPED, *given.backends),
        discover([shipped("ops"), *given.ops], given.backends),
        given.backends,
        given.platforms,
    )
    model = planned(conversion, given.model)
    if given.svg:
        replace_files(given.svg.parent, {given.svg.name: plan_svg(model)})
    found = described(model)
    if can_be_quantised(given.model):
        for peak in found["peaks"]:
            peak["lowering"].append(QUANTISED)
    print(json.dumps(found) if given.json else "\n".join(lines(found)))
    return 0


def planned(conversion: Conversion, path: Path) -> dict[str, Any]:
    """Facts that a build of the model would write to model.json."""
    converted = convert(conversion, path, "model")
    program = joined([converted.program], conversion.ops)
    text = model_json(program, conversion.ops, FirmwareFacts([converted.facts]))
    return dict(json.loads(text))


def described(model: Mapping[str, Any]) -> dict[str, Any]:
    """Plan as data for JSON."""
    kept = ("model", "sha256", "board", "runtime", "opt", "arena", "tensors", "assumed")
    rows = [
        {
            "memory": each.memory,
            "at": each.node["name"],
            "op": each.node["op"],
            "owners": list(each.owners),
            "lowering": list(each.lowering),
            "used": list(each.used),
        }
        for each in peaks(model)
    ]
    nodes = [{key: node[key] for key in ("name", "op", "source")} for node in model["nodes"]]
    return {"format": FORMAT, **{key: model[key] for key in kept}, "nodes": nodes, "peaks": rows}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Plan as lines of text."""
    yield escaped(f"{found['model']} on {found['board']}, runtime={found['runtime']}")
    for peak in found["peaks"]:
        arena = found["arena"][peak["memory"]]
        size, bound = arena["bytes"], arena["lower_bound"]
        yield f"\narena in {peak['memory']}: {size:,} bytes, of which {bound:,} are in use at once"
        yield from _nodes(found["nodes"], peak["used"])
        yield ""
        yield escaped(f"most while {peak['at']} ({peak['op']}) runs, by")
        yield from (escaped(f"  {each['bytes']:>9,}  {each['id']}") for each in peak["owners"])
        yield "what would lower it:"
        yield from (escaped(f"  {each}") for each in peak["lowering"])
    yield from map(escaped, found["assumed"])


def _nodes(nodes: list[Mapping[str, Any]], used: list[int]) -> Iterator[str]:
    """Lines of bars, one for each node, as long as its share of the peak."""
    most = max(used)
    for node, taken in list(zip(nodes, used, strict=True))[:MOST_ROWS]:
        bar = "#" * round(BAR * taken / most)
        yield escaped(f"  {taken:>9,}  {bar:{BAR}}  {node['name'][:BAR]}")
    if len(nodes) > MOST_ROWS:
        yield f"  … and {len(nodes) - MOST_ROWS:,} nodes more: --json and --svg have all"
