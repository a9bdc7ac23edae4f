"""`python -m tests.fuzz.models --count=N`: mutants of models, from file to outputs.

Each is converted in a worker process. What converts is compiled, run with sanitizers and compared
with LiteRT. Mutants that show a mistake are printed, and stored in build/fuzz.
"""

import argparse
import secrets
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.models.campaign import Campaign, Counts
from tests.fuzz.models.seeds import ROOT

BUILD = ROOT / "build" / "fuzz"


def main() -> int:
    """Run the command line; returns 0 where no mutant shows a mistake, else 1."""
    options = _parser().parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    start = time.monotonic()

    def tell(text: str) -> None:
        shown = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
        print(shown, flush=True)

    def one(job: int) -> Counts:
        campaign = Campaign(seed, options.models, BUILD, job, tell)
        numbers = range(options.first + job, options.first + options.count, options.jobs)
        return campaign.run(numbers)

    with ThreadPoolExecutor(options.jobs) as jobs:
        found = [*jobs.map(one, range(options.jobs))]
    print(table(found, time.monotonic() - start))
    return 1 if any(counts.failures for counts in found) else 0


def table(found: list[Counts], seconds: float) -> str:
    """The counts of all jobs, for people."""
    total = sum((counts.outcomes for counts in found), Counter[str]())
    programs = len(set[str]().union(*(counts.programs for counts in found)))
    failures = Counter(failure.kind for counts in found for failure in counts.failures)
    times = sum((counts.seconds for counts in found), Counter[str]())
    rows = [("mutants", total.total()), *sorted(total.items())]
    codes = sum((counts.codes for counts in found), Counter[str]())
    rows += [(f"  {code}", count) for code, count in sorted(codes.items())]
    rows += [("different programs, compiled and run", programs)]
    rows += sorted(sum((counts.oracle for counts in found), Counter[str]()).items())
    rows += [(f"FAILED: {kind}", count) for kind, count in sorted(failures.items())]
    rows += [("failures", failures.total()), ("seconds", round(seconds))]
    rows += [(f"  to {what}", round(count)) for what, count in sorted(times.items())]
    return "\n".join(f"{name:45} {count:8,}" for name, count in rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.models", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="mutants")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, help="default: a fresh one, which is printed")
    parser.add_argument("--models", type=Path, metavar="DIR", help="real models to mutate as well")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at the same time")
    return parser


if __name__ == "__main__":
    sys.exit(main())
