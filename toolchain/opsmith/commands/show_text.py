"""Text of `opsmith show`, from the facts in its JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opsmith.commands.show_boards import FITS
from opsmith.text import escaped

MOST_ROWS = 100  # of nodes and of sentences
_LONGEST = 60  # characters of a name

Facts = Mapping[str, Any]


def lines(found: Facts) -> Iterator[str]:
    """Lines of the description, without reasons of a refusal: commands report errors."""
    yield f"{_name(found['model'])}: {found['bytes']:,} bytes, sha256 {found['sha256'][:16]}…"
    for kind in ("inputs", "outputs"):
        yield from (f"  {kind[:-1]:7}{_tensor(each)}" for each in found[kind])
    if found["nodes"]:
        yield from _tables(found)
    if "alive" in found:
        alive = found["alive"]
        yield ""
        at = f", at {_name(alive['at'])}" if alive["at"] else ""
        yield f"tensors alive at one node: {alive['bytes']:,} bytes{at}"
        yield from _estimates(found)
        yield from _sentences(_agreed(found["numerics"]), _risks(found))
        yield from _sentences("", found["remarks"])


def _tables(found: Facts) -> Iterator[str]:
    yield ""
    yield from _table(("op", "count", "MACs", "parameters, bytes"), _counts(found))
    yield ""
    yield from _cut(
        list(_table(("node", "type", "shape", "quantised", "MACs", "parameters"), _nodes(found)))
    )


def _counts(found: Facts) -> Iterator[Sequence[str]]:
    groups: dict[str, list[Facts]] = {}
    for node in found["nodes"]:
        groups.setdefault(node["op"], []).append(node)
    for op, nodes in groups.items():
        parameters = sum(node["parameter_bytes"] for node in nodes)
        yield _name(op), f"{len(nodes)}", _macs(nodes), f"{parameters:,}"
    total = found["parameter_bytes"]
    yield "all", f"{len(found['nodes'])}", _macs(found["nodes"]), f"{total:,}"


def _macs(nodes: Sequence[Facts]) -> str:
    known = [node["macs"] for node in nodes if node["macs"] is not None]
    return f"{sum(known):,}" if known else "-"


def _nodes(found: Facts) -> Iterator[Sequence[str]]:
    for node in found["nodes"]:
        types = dict.fromkeys(each["type"] for each in (*node["inputs"], *node["outputs"]))
        shapes = [
            " + ".join(_shape(each) for each in node[side]) or "()"
            for side in ("inputs", "outputs")
        ]
        channels = any((each["quantization"] or {}).get("channels") for each in node["constants"])
        kind = " ".join(types) + (" per channel" if channels else "")
        size = f"{node['parameter_bytes']:,}"
        scale = ", ".join(filter(None, map(_scale, node["outputs"])))
        names = _name(node["source"]), kind, _name(" -> ".join(shapes)), _name(scale)
        yield *names, _macs([node]), size


def _estimates(found: Facts) -> Iterator[str]:
    if found["not_estimated"]:
        yield f"not estimated: {found['not_estimated']}"
        return
    yield from _estimated(found["estimates"], found["looped"])
    yield from _boards(found["boards"])


def _estimated(found: Sequence[Facts], looped: int) -> Iterator[str]:
    yield ""
    rows = [
        (
            f"{each['core']}, {each['runtime']}",
            _estimate(each, "flash"),
            _estimate(each, "ram"),
            f"{each['arena']:,}",
            _estimate(each, "time"),
            each["unit"],
        )
        for each in found
    ]
    time = "one pass of loops" if looped else "one inference"
    head = ("estimated, opt=balanced", "flash", "RAM", "of that tensors", time, "of")
    yield from _table(head, rows)
    if looped:
        yield f"MACs and times count each of {looped} nodes in loops once; `profile` counts passes"
    yield "±: median and largest error of recorded builds; flash is that of app=runner; RAM has the"
    yield "stack that is used, where a build and the boards below count all that a board reserves"


def _estimate(row: Facts, name: str) -> str:
    median, largest = row[f"{name}_error"]
    return f"{row[name]:,} ±{median} to {largest}%"


def _boards(boards: Sequence[Facts]) -> Iterator[str]:
    yield ""
    groups: dict[str, list[str]] = {}
    for each in boards:
        why = f" ({escaped('; '.join(each['why']))})" if each["why"] else ""
        groups.setdefault(each["fit"], []).append(f"{_name(each['board'])}{why}")
    fitting = groups.pop(FITS, [])
    yield f"fits {len(fitting)} of {len(boards)} boards: {', '.join(fitting) or 'none'}"
    yield from (f"{fit}: {', '.join(names)}" for fit, names in groups.items())


def _agreed(fixed: str) -> str:
    """Sentence about a model in which no node departs from a rule."""
    if fixed:
        return f"numerics={fixed}, which the model's format fixes: no node departs from LiteRT's"
    return "agreement with LiteRT: every node follows each numerics="


def _risks(found: Facts) -> list[str]:
    """Sentences about nodes that depart from a rule, one for each rule, op and reason."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for each in found["agreement"]:
        if found["numerics"] in ("", each["numerics"]):
            key = each["numerics"], each["op"], each["why"]
            groups.setdefault(key, []).append(_name(each["source"]))
    return [
        f"numerics={rule} is not followed by {names[0]}"
        f"{f' and {len(names) - 1} more' if len(names) > 1 else ''} ({op}): {why}"
        for (rule, op, why), names in groups.items()
    ]


def _sentences(none: str, found: Sequence[str]) -> Iterator[str]:
    if found or none:
        yield ""
        yield from _cut([escaped(each) for each in found] or [none])


def _cut(rows: Sequence[str]) -> Iterator[str]:
    yield from rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        yield f"… and {len(rows) - MOST_ROWS:,} more: --json has all"


def _tensor(tensor: Facts) -> str:
    found, name = tensor["quantization"], _name(tensor["name"])
    text = f"{name}: {tensor['type']}[{', '.join(map(str, tensor['shape']))}]"
    if found is None:
        return text
    if "scale" in found:
        return f"{text}, scale {_short(found['scale'])}, zero point {found['zero_point']}"
    return f"{text}, {found['channels']} scales"


def _scale(tensor: Facts) -> str:
    """Scale and zero point of a tensor; "" for an unquantised one."""
    found = tensor["quantization"] or {}
    return f"{_short(found['scale'])} {found['zero_point']:+}" if "scale" in found else ""


def _short(scale: float | str) -> str:
    return scale if isinstance(scale, str) else f"{scale:.6g}"


def _shape(tensor: Facts) -> str:
    return "x".join(map(str, tensor["shape"])) or "scalar"


def _name(text: str) -> str:
    """Name in the model on one line, shortened."""
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return escaped(text)


def _table(
    head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]
) -> Iterator[str]:
    """Lines of a table with headings; numbers are right-aligned."""
    cells = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numeric = [
        all(cell[:1].isdigit() or cell in ("-", "not measured") for cell in column[1:])
        for column in zip(*cells, strict=True)
    ]
    for row in cells:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        yield "  ".join(padded).rstrip()
