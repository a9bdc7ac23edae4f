"""Places of nodes in builds whose runtime has a device: lines of the build, and three files."""

from collections.abc import Iterator, Mapping
from typing import Any

from opsmith.board.device import shown_ns
from opsmith.report.placement_dot import placement_dot
from opsmith.report.placement_svg import placement_svg

PLACEMENT = ("placement.txt", "placement.dot", "placement.svg")


def placement_files(model: Mapping[str, Any]) -> dict[str, str]:
    """The files of `PLACEMENT`, made from model.json; none where no runtime has a device."""
    if "placement" not in model:
        return {}
    text = "\n".join([*_text(model), ""])
    return dict(zip(PLACEMENT, (text, placement_dot(model), placement_svg(model)), strict=True))


def placement_lines(model: Mapping[str, Any]) -> list[str]:
    """Lines of totals: each side, the borders between them, and all of it."""
    if "placement" not in model:
        return []
    placed = model["placement"]
    lines = _side_lines(placed)
    borders = f"{_counted(len(placed['borders']), 'border')}, {placed['bytes']:,} B cross"
    spent = f"about {shown_ns(placed['border_ns'])} of {shown_ns(placed['ns'])}"
    lines.append(f"  {borders}, {spent}: placement.txt")
    if placed["sides"][placed["device"]]["nodes"] == 0:
        what = f"  nothing runs on {placed['device']}, which would take longer or has no kernels"
        lines.append(f"{what}: a runtime without a device makes a smaller program")
    return lines


def _side_lines(placed: Mapping[str, Any]) -> list[str]:
    return [
        f"  {name:6}{_counted(side['nodes'], 'node'):>16}, about {shown_ns(side['ns'])}"
        for name, side in placed["sides"].items()
    ]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _text(model: Mapping[str, Any]) -> Iterator[str]:
    """The nodes in their order, with the borders between them."""
    placed = model["placement"]
    yield f"{model['name']}: estimated times on {' and '.join(placed['sides'])}"
    yield from _side_lines(placed)
    borders = _counted(len(placed["borders"]), "border")
    yield f"  all: about {shown_ns(placed['ns'])}; {borders}: {shown_ns(placed['border_ns'])}"
    yield ""
    for index, (node, where) in enumerate(zip(model["nodes"], placed["nodes"], strict=True)):
        yield from _borders(placed, index)
        side = where["side"] or "-"
        named = f"{index} {node['name']} ({node['op']}, {node['kernel']})"
        yield f"{side:6} {shown_ns(where['ns']):>10}  {named}: {where['why']}"
    yield from _borders(placed, None)


def _borders(placed: Mapping[str, Any], before: int | None) -> Iterator[str]:
    for border in placed["borders"]:
        if border["before"] == before:
            crossed = (
                f"{each['id']} ({each['bytes']:,} B, for {each['reader'] or 'what follows'})"
                for each in border["tensors"]
            )
            what = f"border to {border['to']}, {shown_ns(border['ns'])}: {border['why']}"
            yield f"---- {what}; crossing: {', '.join(crossed) or 'nothing'}"
