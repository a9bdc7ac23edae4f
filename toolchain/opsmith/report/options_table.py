"""README's table of build options, between two marks, from the fields of BuildOptions."""

from __future__ import annotations

from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError
from opsmith.option import Variable, variables

BEGIN = "<!-- Generated: `opsmith options README.md` writes it from build_options.py. -->"
END = "<!-- End of the build options. -->"


def options_table(owner: type = BuildOptions) -> str:
    """The table in Markdown, one row for each option."""
    rows = ["| variable | meaning |", "|---|---|", *map(_row, variables(owner))]
    return "\n".join(rows) + "\n"


def with_table(text: str, where: str) -> str:
    """A page with the table as it is now between its marks. Raises BLD037 where these are not."""
    before, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not (begin and end):
        what, fix = "the page has no place for the options", f"add the lines {BEGIN} and {END}"
        raise ToolchainError.of("BLD037", what, where=where, fix=fix)
    return f"{before}{BEGIN}\n\n{options_table()}\n{END}{after}"


def _row(variable: Variable) -> str:
    option = variable.option
    if variable.hint is bool:
        other = variable.text(not variable.default)
        return f"| `{variable.name}={other}` | {option.help}{option.more} |"
    choices = ", ".join(f"`{each}`{_default(variable, each)}" for each in variable.choices)
    meaning = option.help + (f": {choices}" if choices else "")
    if not choices and variable.default_text:
        meaning += f"; default: `{variable.default_text}`"
    return f"| `{variable.name}={option.given}` | {meaning}{option.more} |"


def _default(variable: Variable, choice: str) -> str:
    return " (default)" if choice == variable.default_text else ""
