"""Notices: the licences of all parts of a firmware."""

from opsmith.home import HOME
from opsmith.record.facts import Facts

_LINE = "=" * 78


def notices(facts: Facts) -> str:
    """Text of the notices, with each licence file in full."""
    lines = [f"{facts.name} contains the following.", "", "Opsmith: generated code and kernels"]
    lines.append("  Apache-2.0")
    for model in facts.models:
        lines += ["", f"The constants of the model {model['model']}"]
        lines.append("  under the licence of the model, which its file does not state")
    texts = {"Opsmith": HOME / "LICENSE"}
    for each in facts.linked:
        said = f"  {each.licence}" if each.texts else f"  {each.licence}; no text of it was found"
        lines += ["", f"{each.title} ({each.file})", said]
        for file in each.texts:
            texts.setdefault(f"{each.title}, {file.name}", file)
    for title, file in texts.items():
        text = file.read_text(encoding="utf-8", errors="backslashreplace")
        lines += ["", _LINE, title, _LINE, "", text.rstrip("\n")]
    return "\n".join([*lines, ""])
