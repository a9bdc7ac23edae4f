"""Problems of parts of a model file, with fixes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.errors import Problem, ToolchainError

_MOST_PLACES = 8
_FIXES = {
    "MDL003": "export the model with fixed sizes above 0 that fit a microcontroller",
    "MDL004": "convert without Optimize.EXPERIMENTAL_SPARSITY",
    "MDL005": "quantise the model again",
    "MDL006": "export the model again: its parts do not belong together",
    "MDL007": "write the operators in the order in which they run, each tensor by one of them",
    "MDL008": "convert again: each of these must run one other subgraph, not itself",
    "MDL009": "export branches and loops with equal, fixed shapes",
    "MDL013": "give the operator the operands that it has in TFLite",
    "MDL016": "assign the variable a constant in the subgraph that CALL_ONCE runs",
    "MDL030": "store the variable without a value: it begins as zeros",
    "MDL031": "store the options that belong to the operator, or none",
    "MDL035": "quantise weights with one scale for each channel: granularity CHANNELWISE",
    "MDL032": "store each boolean as a byte that is 0 or 1",
    "MDL040": "compress the model again with tflite-micro's tools, or compile what they were given",
}


def wrong(path: Path, code: str, what: str, where: str, fix: str = "") -> ToolchainError:
    """Error about one part of a model."""
    return ToolchainError.of(code, what, where=f"{path}: {where}", fix=fix or _FIXES[code])


def together(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Problems, with those of blockwise weights joined for each size of blocks."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for each in problems:
        found.setdefault(
            (each.code, each.what if each.code == "MDL035" else each.where), []
        ).append(each)
    for first, *others in found.values():
        places = [each.where.partition(": ")[2] for each in others]
        yield replace(first, where=", ".join([first.where, *places[:_MOST_PLACES]]))
