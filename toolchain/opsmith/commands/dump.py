"""`dump=DIR`: the graph after every step, as text."""

from pathlib import Path

from opsmith.ir import Graph
from opsmith.ir.text import graph_to_text
from opsmith.writing import replace_files


class Dump:
    """Writes the graph after every step, when there is a folder for it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._count = 0

    def __call__(self, step: str, graph: Graph) -> None:
        if self._folder is not None:
            name = f"{self._count:02}_{step}.txt"
            replace_files(self._folder, {name: graph_to_text(graph)})
        self._count += 1
