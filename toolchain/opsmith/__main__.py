"""`python -m opsmith COMMAND …`: what build actions run."""

from opsmith.cli import entry

entry()
