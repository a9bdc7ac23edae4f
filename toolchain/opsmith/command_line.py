"""Parser of every command's arguments. Its errors have a code, as all errors of Opsmith."""

import argparse
import re
import shlex
from typing import NoReturn

from opsmith.errors import ToolchainError


class Parser(argparse.ArgumentParser):
    """Parser of arguments that raises BLD001 for arguments that the command does not take."""

    def error(self, message: str) -> NoReturn:
        """Raise BLD001 with the message, rather than print the usage and exit."""
        as_for_scons = re.fullmatch(r"unrecognized arguments: (\w+)=(\S+)", message)
        fix = f"see {self.prog} -h"
        if as_for_scons and f"--{as_for_scons[1]}" in self._option_string_actions:
            fix = f"write --{as_for_scons[1]} {shlex.quote(as_for_scons[2])}"
        raise ToolchainError.of("BLD001", message, where="command line", fix=fix)
