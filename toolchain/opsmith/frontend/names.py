"""C identifiers for names in a model, which may be any text."""

import re
from collections.abc import Container, Iterable

from opsmith.errors import printable
from opsmith.keywords import RESERVED, may_be_macro

LONGEST = 48
_SHOWN = 80  # characters of a name that a message has


def shown(name: str) -> str:
    """Name on one line of a message, shortened."""
    return printable(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…")


def identifier(name: str) -> str:
    """Readable C identifier for a name: the last two parts of a TensorFlow path."""
    first = name.partition(";")[0].removeprefix("serving_default_").removesuffix(":0")
    parts = [part for part in re.split(r"[^A-Za-z0-9_]+", first) if part]
    text = re.sub(r"__+", "_", "_".join(parts[-2:])).strip("_")[-LONGEST:].strip("_")
    if not text or text[0].isdigit():
        text = f"t_{text}" if text else "t"
    return f"{text}_" if text in RESERVED or may_be_macro(text) else text


def identifiers(names: Iterable[str]) -> list[str]:
    """C identifiers for names, one each, all different; a repeated identifier gets a number."""
    numbers: dict[str, int] = {}  # taken identifier -> last number appended to it
    found = []
    for name in names:
        base = candidate = identifier(name)
        while candidate in numbers:
            numbers[base] += 1
            candidate = f"{base.rstrip('_')}_{numbers[base]}"
            candidate += "_" * may_be_macro(candidate)  # such as M_PI_2, the second M_PI
        numbers[candidate] = 1
        found.append(candidate)
    return found


def free_name(wanted: str, taken: Container[str], numbers: dict[str, int]) -> str:
    """Name that is not taken: the wanted one, or one with a number after it. `numbers` has the last
    number that was appended to each name.
    """
    name = wanted
    while name in taken:
        numbers[wanted] = numbers.get(wanted, 1) + 1
        name = f"{wanted.rstrip('_')}_{numbers[wanted]}"
    return name
