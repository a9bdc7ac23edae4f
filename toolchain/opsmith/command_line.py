"""Parser of every command's arguments. Its errors have a code, as all errors of Opsmith."""

import argparse
import re
import shlex
from typing import NoReturn

from opsmith.errors import ToolchainError

_UNKNOWN = "unrecognized arguments: "
_MISSING = "the following arguments are required: "
_VARIABLE = re.compile(r"(\w+)=((?!-)(?:(?! -).)+)")  # of scons; spaces are of its value


class Parser(argparse.ArgumentParser):
    """Parser of arguments that raises BLD001 for arguments that the command does not take."""

    instead = ""  # what to type where options are missing

    def error(self, message: str) -> NoReturn:
        """Raise BLD001 with the message, rather than print the usage and exit."""
        fix = f"see {self.prog} -h"
        if message.startswith(_UNKNOWN):
            words = re.split(r" (?=\w+=)", message.removeprefix(_UNKNOWN))
            options = [self._option(word) for word in words]
            fix = f"write {' '.join(options)}" if all(options) else fix
        elif message.startswith(_MISSING):
            fix = self.instead or fix
        raise ToolchainError.of("BLD001", message, where="command line", fix=fix)

    def _option(self, word: str) -> str:
        """Option and value that a variable of scons is here, for a shell; "" where it is none."""
        found = _VARIABLE.fullmatch(word)
        action = self._option_string_actions.get(f"--{found[1]}") if found else None
        if found is None or action is None or action.nargs == 0:
            return ""
        return f"--{found[1]} {shlex.quote(found[2])}"
