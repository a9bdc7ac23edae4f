"""`python -m tests.fuzz.graphs --count=3000 --seed=1`: random graphs, compared with LiteRT.

With `--numerics=notebook` or `tflm` the graphs are of int8, the oracle is that of the rule, and as
many are drawn as it takes to compare `--count` of them.

Prints what became of them, how often each variant of each op was compared, and each failure with
the command that repeats it and the smallest graph that still fails.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from opsmith.numerics import Numerics
from opsmith.oracle.rules import cannot_answer
from tests.fuzz.graphs.campaign import Campaign, Outcome
from tests.fuzz.graphs.coverage import ENOUGH, MANY
from tests.fuzz.graphs.targets import Board, Host


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.graphs", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many graphs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first graph")
    parser.add_argument("--seed", type=int, default=0, help="other graphs")
    parser.add_argument("--only", type=int, help="repeat the graph of this number")
    parser.add_argument("--numpy", action="store_true", help="compile none: fast")
    parser.add_argument("--board", help="compile for this board, such as mps2_an386")
    rules = [*map(str, Numerics)]
    parser.add_argument("--numerics", choices=rules, default="reference", help="graphs of int8")
    options = parser.parse_args()
    rule = Numerics(options.numerics)
    if why := cannot_answer(rule):
        parser.error(f"--numerics={rule}: {why}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = Board(options.board, folder, rule) if options.board else Host(folder)
        say = partial(print, flush=True)
        target_or_none = None if options.numpy else target
        found = _compared(Campaign(options.seed, target_or_none, say, rule), options, rule)
    _print(found)
    if not options.numpy:
        _table("kernels in no graph", dict.fromkeys(target.kernels - {*found.kernels}, 0))
    many = options.only is None and options.count >= MANY and rule == Numerics.REFERENCE
    seldom = found.coverage.seldom() if many else {}
    if seldom:
        _table(f"compared less than {ENOUGH} times", seldom)
    print(f"\n{len(found.failures)} failures")
    return 1 if found.failures or seldom else 0


def _compared(campaign: Campaign, options: argparse.Namespace, rule: Numerics) -> Outcome:
    if options.only is not None:
        return campaign.run([options.only])
    if rule != Numerics.REFERENCE:
        return campaign.compare(options.first, options.count)
    return campaign.run(range(options.first, options.first + options.count))


def _print(found: Outcome) -> None:
    coverage = found.coverage
    apart = {f"{name}: {coverage.reasons[name]}": n for name, n in coverage.apart.items()}
    _table("graphs", found.graphs)
    _table("refused, by sentence", found.refusals)
    _table("refused by LiteRT", found.unasked)
    _table("compared with LiteRT", coverage.compared)
    _table("compared with numpy alone", apart)
    _table("nodes by the rule", found.followed)
    _table("nodes left out", found.left_out)
    _table("kernels", found.kernels)


def _table(title: str, counts: Mapping[str, int]) -> None:
    print(f"\n{title}")
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:8,}  {name}")


if __name__ == "__main__":
    sys.exit(main())
