"""Parser of every command's arguments. Its errors have a code, as all errors of Opsmith."""

import argparse
from typing import NoReturn

from opsmith.errors import ToolchainError


class Parser(argparse.ArgumentParser):
    """Parser of arguments that raises BLD001 for arguments that the command does not take."""

    def error(self, message: str) -> NoReturn:
        """Raise BLD001 with the message, rather than print the usage and exit."""
        fix = f"see {self.prog} -h"
        raise ToolchainError.of("BLD001", message, where="command line", fix=fix)
