"""The parser of every command's arguments: its errors have a code, as all others."""

import argparse
from typing import NoReturn

from opsmith.errors import ToolchainError


class Parser(argparse.ArgumentParser):
    """Raises BLD001 for arguments that the command does not take."""

    def error(self, message: str) -> NoReturn:
        """Raise, rather than print the usage and exit."""
        fix = f"see {self.prog} -h"
        raise ToolchainError.of("BLD001", message, where="command line", fix=fix)
