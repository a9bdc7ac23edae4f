"""Where Opsmith is, and the ops, boards and runtimes that come with it."""

from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1]  # the folder that this package is imported from
HOME = PACKAGES.parent
