"""Functions of one float in integers, compared with doubles: `python -m tests.fuzz.every_float`.

All 2^32 floats take two minutes each. --step=N takes every N-th.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from opsmith.testing.checkout import ROOT

FUNCTIONS = ("integer_exponential", "single_exponential")
PROGRAM = """
#include <stdio.h>
#include "runtimes/core/real_exponential.h"

int main() {
  unsigned long wrong = 0;
  for (uint64_t bits = 0; bits >> 32 == 0; bits += STEP) {
    const float x = opsmith::float_of(static_cast<uint32_t>(bits));
    const float y = opsmith::@(x), by_doubles = opsmith::double_exponential(x);
    const bool nan = y != y && by_doubles != by_doubles;
    if (opsmith::bits_of(y) == opsmith::bits_of(by_doubles) || nan) continue;
    if (wrong++ < 10) printf("@(%a) is %a, by doubles %a\\n", x, y, by_doubles);
  }
  printf("@: %lu differ\\n", wrong);
  return wrong != 0;
}
"""


def main() -> None:
    """Prints the number of differences of each function; exits with 1 where there are some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, metavar="N", help="take every N-th float")
    step = parser.parse_args().step
    failed = [name for name in FUNCTIONS if not equal(name, step)]
    sys.exit(bool(failed))


def equal(function: str, step: int) -> bool:
    """Whether integers give the bits that doubles give, for every N-th float."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "every.cc"), Path(folder, "every")
        source.write_text(PROGRAM.replace("@", function), encoding="utf-8")
        flags = ["-std=c++17", "-O2", "-ffp-contract=off", f"-DSTEP={step}", "-I", str(ROOT)]
        subprocess.run(["c++", *flags, source, "-o", program], check=True)
        return subprocess.run([program], check=False).returncode == 0


if __name__ == "__main__":
    main()
