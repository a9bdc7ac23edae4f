"""`python -m toolchain COMMAND …`: what build actions run."""

from toolchain.cli import entry

entry()
