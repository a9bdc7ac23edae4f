"""Applications that Opsmith ships, which are known by name."""

import os
import re

from opsmith.home import HOME
from opsmith.option import FolderPart, by_hash

APPS = "runtimes/apps"


def by_application(name: str, folder: str) -> FolderPart:
    """Part `+bench` for a shipped application; for another application the hash of its folder."""
    if is_shipped_app(folder) and re.fullmatch(r"[A-Za-z0-9_-]+", folder, re.ASCII):
        return FolderPart(folder)
    return by_hash(name, os.path.normpath(folder))


def is_shipped_app(app: str) -> bool:
    """True if `app` is the name of a shipped application, rather than a folder."""
    return "/" not in app and os.path.isfile(HOME / APPS / app / "main.cc")
