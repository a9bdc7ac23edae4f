"""All cases of ops on Oclgrind, which looks for races and for reads of what nothing wrote, too.

python -m tests.gpu [OP...]      all ops: an hour of processor time
"""

import os
import sys

import pytest

from opsmith.testing import board_cases
from runtimes.gpu import simulator
from tests.conftest import ROOT


def main(names: list[str]) -> int:
    """Exit status: 0 where all cases of the named ops, by default of all ops, pass."""
    board_cases.EVERY_CASE = True
    os.environ[simulator.RACES] = "1"
    folders = [str(ROOT / "ops" / name) for name in names] or [str(ROOT / "ops")]
    return int(pytest.main(["-q", "-n", "0", "-k", "host_gpu", *folders]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
