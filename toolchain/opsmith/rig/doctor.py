"""`opsmith doctor`: lists what this machine lacks, and the command that installs it.

The exit status is 1 where something is missing that every user needs.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

from opsmith.board.arguments import add_platforms
from opsmith.board.platforms import platforms
from opsmith.command_line import Parser
from opsmith.rig.doctor_attached import attached_checks
from opsmith.rig.doctor_checks import BROKEN, FINE, Check, machine_checks
from opsmith.text import escaped

FORMAT = 1  # of the JSON


def main(argv: Sequence[str]) -> int:
    """Print every check; returns 1 where a check that counts has failed."""
    parser = Parser(prog="opsmith doctor", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_platforms(parser)
    given = parser.parse_args(argv)
    known = platforms(given.platforms)
    flashers = [known.flasher(name) for name in sorted(known.flashers())]
    checks = [*machine_checks(flashers), *attached_checks(flashers)]
    if given.json:
        print(json.dumps({"format": FORMAT, "checks": [asdict(each) for each in checks]}))
    else:
        print("\n".join(_lines(checks)))
    return 1 if any(each.state == BROKEN for each in checks) else 0


def _lines(checks: Sequence[Check]) -> Iterator[str]:
    """Line for each check, below the title of its group, and a line with its fix."""
    width = max(len(each.name) for each in checks)
    for title, group in groupby(checks, key=lambda each: each.group):
        yield f"{title}:"
        for each in group:
            state = "" if each.state == FINE else f"{each.state}: "
            yield escaped(f"  {each.name:{width}}  {state}{each.found}").rstrip()
            if each.fix:
                yield escaped(f"  {'':{width}}  {each.fix}")
    broken = [each.name for each in checks if each.state == BROKEN]
    yield f"to mend: {', '.join(broken)}" if broken else "all that every user needs is there"
