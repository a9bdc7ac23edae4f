"""`link`: links a firmware; if RAM is short, reports whether streaming helps."""

import importlib

from opsmith.report import finish
from opsmith.report.size import OverBudget

CONVERTED = "--converted"  # followed by arguments of `convert`, up to --


def main(arguments: list[str]) -> int:
    """Link a firmware as `report/finish.py` does; returns the linker's status. Raises BLD020."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    split = arguments.index(CONVERTED) if CONVERTED in arguments[:end] else end
    try:
        return finish.main([*arguments[:split], *arguments[end:]])
    except OverBudget as error:
        if split == end:
            raise
        streamed = importlib.import_module("opsmith.commands.streamed_ram")  # slow import
        raise streamed.advised(error, arguments[split + 1 : end]) from None
