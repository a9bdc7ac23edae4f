"""Fills in templates: `@name@` is a text; a line that names a list is repeated for each of it."""

import re
from collections.abc import Mapping, Sequence

Values = Mapping[str, str | Sequence[str]]
_PLACE = re.compile(r"@([A-Za-z_]+)@")


def filled(template: str, values: Values) -> str:
    """The text: a line whose list is empty is left out. Raises KeyError for an unknown name."""
    return "".join(_line(line, values) for line in template.splitlines(keepends=True))


def _line(line: str, values: Values) -> str:
    named = dict.fromkeys(_PLACE.findall(line))
    lists = [name for name in named if not isinstance(values[name], str)]
    if not lists:
        return _PLACE.sub(lambda match: str(values[match[1]]), line)
    assert len(lists) == 1, line
    (name,) = lists
    return "".join(_line(line, {**values, name: each}) for each in values[name])
