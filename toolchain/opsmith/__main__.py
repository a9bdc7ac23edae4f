"""`python -m opsmith COMMAND …`: entry point of build actions."""

from opsmith.cli import entry

entry()
