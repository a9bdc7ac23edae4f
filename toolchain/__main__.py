"""`python -m toolchain COMMAND …`: what build actions run."""

import sys

from toolchain.cli import main

sys.exit(main(sys.argv[1:]))
