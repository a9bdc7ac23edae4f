"""Functions of one float, compared with their definition: `python -m tests.fuzz.every_float`.

In integers and single precision they are compared with doubles, and in vectors, of the instruction
sets that this processor has, with single floats. All 2^32 floats take two minutes each. --step=N
takes every N-th.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from runtimes.simd.instruction_sets import AVX2, AVX512_VNNI

CPU = Path("/proc/cpuinfo")
BOARDS = {"x86_64": AVX2, "x86_64_vnni": AVX512_VNNI}
FUNCTIONS = ("integer_exponential", "single_exponential")
VECTORS = (
    "real_cosine",
    "real_exponential",
    "real_exponential_minus_one",
    "real_hyperbolic_tangent",
    "real_logarithm",
    "real_sine",
)
NEGATIVE = ("real_exponential_minus_one",)  # of vectors, it is for floats below 0
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
PROGRAM_OF_VECTORS = """
#include <stdio.h>
#include "runtimes/core/float_bits.h"
#include "runtimes/simd/real_functions.h"
#include "HEADER"

using Set = opsmith::simd::STRUCT;

template <class Function>
bool equal(const char* name, bool below_zero, Function function) {
  constexpr int kCount = 2 * Set::kLanes;
  unsigned long wrong = 0;
  for (uint64_t bits = 0; bits >> 32 == 0;) {
    float x[kCount], y[kCount];
    for (float& each : x) {
      each = opsmith::float_of(static_cast<uint32_t>(bits));
      bits += STEP;
    }
    opsmith::simd::of_all<Set>(x, y, kCount, function);
    for (int i = 0; i < kCount; ++i) {
      const float one = function(x[i]);
      if (opsmith::bits_of(y[i]) == opsmith::bits_of(one) || (below_zero && x[i] >= 0)) continue;
      if (wrong++ < 10) printf("%s(%a) is %a in vectors, alone %a\\n", name, x[i], y[i], one);
    }
  }
  printf("%s of STRUCT: %lu differ\\n", name, wrong);
  return wrong == 0;
}

int main() {
  bool same = true;
CALLS
  return !same;
}
"""
CALL = '  same &= equal("@", BELOW_ZERO, [](auto of) { return opsmith::@(of); });'


def main() -> None:
    """Prints the number of differences of each function; returns 1 where a function differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, metavar="N", help="take every N-th float")
    step = parser.parse_args().step
    same = [equal(name, step) for name in FUNCTIONS]
    same.append(equal_in_vectors(step))
    sys.exit(not all(same))


def equal(function: str, step: int) -> bool:
    """Whether a function gives the bits that doubles give, for every N-th float."""
    return _runs(PROGRAM.replace("@", function), step)


def equal_in_vectors(step: int) -> bool:
    """Whether all functions give the same bits in vectors as for single floats, for every N-th
    float, by all instruction sets that this processor has.
    """
    known = CPU.read_text(encoding="utf-8").split() if CPU.is_file() else []
    calls = (
        CALL.replace("@", name).replace("BELOW_ZERO", str(name in NEGATIVE).lower())
        for name in VECTORS
    )
    program = PROGRAM_OF_VECTORS.replace("CALLS", "\n".join(calls))
    return all(
        _runs(program.replace("HEADER", each.header).replace("STRUCT", each.struct), step, board)
        for board, each in BOARDS.items()
        if each.name in known
    )


def _runs(text: str, step: int, board: str = "") -> bool:
    """Whether the program finds no difference, compiled for a board or for any processor."""
    flags = load_board(board, [ROOT / "boards"]).core.flags if board else ()
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "every.cc"), Path(folder, "every")
        source.write_text(text, encoding="utf-8")
        exact = ["-std=c++17", "-O2", "-ffp-contract=off", f"-DSTEP={step}", "-I", str(ROOT)]
        subprocess.run(["c++", *exact, *flags, source, "-o", program], check=True)
        return subprocess.run([program], check=False).returncode == 0


if __name__ == "__main__":
    main()
