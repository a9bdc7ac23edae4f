"""Showcase that `run` prints for a model: examples, picture and labels, from <stem>.toml."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from opsmith.board.read import read_tables
from opsmith.board.schema import Table
from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.reading import UnreadableError
from opsmith.rig.npz import Damaged, opened
from opsmith.rig.picture import draw
from opsmith.text import escaped

Array = npt.NDArray[Any]
Quantisation = tuple[float, int]  # scale and zero point

_SHOWS = ("nothing", "image")
_MOST_BYTES = 1 << 28  # of the examples
_MOST_TEXT = 2 << 20  # bytes of the side file
_MOST_EXAMPLES = 1 << 31


@dataclass(frozen=True)
class _SideFile:
    """Content of a side file."""

    title: str  # one line about the model
    examples: str  # an .npz beside the side file
    arrays: tuple[str, ...]  # its arrays, one per input of the model; the first axis is examples
    index: int  # the example that is sent when no input is given
    show: str  # how an input is shown
    labels: tuple[str, ...]  # meanings of the output's values, in order
    truth: str | None  # array of the .npz with the number of each example's right label


@dataclass(frozen=True)
class Showcase:
    """Examples of a model and the way to show them."""

    path: Path
    title: str
    examples: tuple[Array, ...]  # one array per input of the model
    index: int
    show: str
    labels: tuple[str, ...]
    truth: Array | None

    def default_inputs(self) -> list[Array]:
        """Inputs of the chosen example, in the model's order."""
        return [array[self.index : self.index + 1] for array in self.examples]

    def describe(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        quantisation: Sequence[Quantisation | None] = (),
    ) -> str:
        """Text for a person: the inputs as pictures and the meaning of the outputs.

        With the outputs' quantisation the answer includes its real value.
        """
        lines = [self.title]
        if self.show == "image":
            lines += [draw(array) for array in inputs]
        if self.labels:
            lines += self._answer(inputs, outputs, quantisation)
        return "\n".join(lines)

    def _answer(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        quantisation: Sequence[Quantisation | None],
    ) -> Iterator[str]:
        which = self._labelled(outputs)
        values = outputs[which].reshape(-1)
        scale = quantisation[which] if which < len(quantisation) else None
        best, *others = np.argsort(-values.astype(np.float64), kind="stable")[:2]
        ranked = [self._scored(label, values, scale) for label in (best, *others)]
        yield f"the board says {', then '.join(ranked)}"
        number = self._example(inputs)
        if self.truth is not None and number is not None:
            right = int(self.truth[number])
            verdict = "right" if right == best else "wrong"
            yield f"example {number} is {self.labels[right]}: {verdict}"

    def _scored(self, label: int, values: Array, scale: Quantisation | None) -> str:
        name = self.labels[label]
        if scale is None:
            return f"{name} ({values[label]})"
        return f"{name} ({(float(values[label]) - scale[1]) * scale[0]:.3f})"

    def _labelled(self, outputs: Sequence[Array]) -> int:
        """Index of the output that has a value per label. Raises an error where there is none."""
        sizes = [output.size for output in outputs]
        if len(self.labels) in sizes:
            return sizes.index(len(self.labels))
        what = f"{len(self.labels)} labels, but the model's outputs have {sizes} values"
        raise ToolchainError.of(
            "RIG033", what, where=escaped(str(self.path)), fix="one label per value"
        )

    def _example(self, inputs: Sequence[Array]) -> int | None:
        """Index of the example that equals the given inputs, or None."""
        if [each.shape[1:] for each in inputs] != [each.shape[1:] for each in self.examples]:
            return None
        same = np.ones(len(self.examples[0]), bool)
        for given, known in zip(inputs, self.examples, strict=True):
            same &= (known == given[:1]).reshape(len(known), -1).all(axis=1)
        return int(same.argmax()) if same.any() else None


def load_showcase(model: Path) -> Showcase | None:
    """Showcase of a model; None where no side file <stem>.toml lies beside it."""
    path = model.with_suffix(".toml")
    if not path.is_file():
        return None
    said = _read(path)
    wanted = [*said.arrays, *([said.truth] if said.truth else [])]
    arrays, stored = _examples(path.parent / said.examples, wanted, path)
    raise_all(_missing(path, wanted, stored))
    raise_all(_example_problems(path, said, arrays))
    return Showcase(
        path=path,
        title=escaped(said.title),
        examples=tuple(arrays[name] for name in said.arrays),
        index=said.index,
        show=said.show,
        labels=tuple(map(escaped, said.labels)),
        truth=arrays[said.truth] if said.truth else None,
    )


def _read(path: Path) -> _SideFile:
    """Content of a side file. Raises RIG030, and RIG031 for wrong keys and values."""
    try:
        values = read_tables(path, _MOST_TEXT)
    except UnreadableError as failure:
        fix = "write it as TOML, or move it away if it is not about the model"
        raise ToolchainError.of(
            "RIG030", escaped(str(failure)), where=escaped(str(path)), fix=fix
        ) from failure
    table = Table(values, escaped(str(path)), "", [], "RIG031")
    examples, output = table.table("input"), table.table("output")
    found = _SideFile(
        title=table.text("title"),
        examples=examples.text("examples"),
        arrays=examples.texts("arrays", ".*", "names of arrays"),
        index=examples.number("index", 0, _MOST_EXAMPLES) if examples.has("index") else 0,
        show=examples.choice("show", _SHOWS, required=False) or _SHOWS[0],
        labels=output.texts("labels", ".*", "texts"),
        truth=output.optional_text("truth"),
    )
    if not found.arrays:
        examples.missing("arrays", "names of arrays, one per input of the model")
    examples.close()
    output.close()
    table.finish()
    return found


def _examples(
    npz: Path, wanted: Sequence[str], path: Path
) -> tuple[dict[str, Array], Sequence[str]]:
    """Wanted arrays of the examples, by name, and names of all stored arrays. Raises RIG032."""
    try:
        with opened(npz) as archive:
            found = [name for name in dict.fromkeys(wanted) if name in archive.names]
            if sum(archive.header(name).bytes for name in found) > _MOST_BYTES:
                raise Damaged(f"its arrays have more than {_MOST_BYTES:,} bytes")
            return {name: archive.read(name) for name in found}, archive.names
    except Damaged as failure:
        what = f"cannot read the examples {escaped(str(npz))}: {failure}"
        fix = "name an .npz beside the side file"
        raise ToolchainError.of("RIG032", what, where=escaped(str(path)), fix=fix) from failure


def _missing(path: Path, wanted: Sequence[str], stored: Sequence[str]) -> Iterator[Problem]:
    """Problem for every wanted array that the examples lack."""
    shown = [escaped(name)[:80] for name in stored[:100]]
    for name in wanted:
        if name not in stored:
            what = f"the examples have no array '{escaped(name)}'{did_you_mean(name, shown)}"
            fix = f"use one of: {', '.join(shown)}"
            yield Problem("RIG032", what, escaped(str(path)), fix)


def _example_problems(
    path: Path, said: _SideFile, arrays: Mapping[str, Array]
) -> Iterator[Problem]:
    """Problems of examples that do not fit the side file."""
    counts = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(counts.values())) > 1:
        yield Problem(
            "RIG032",
            f"examples of unequal number: {counts}",
            escaped(str(path)),
            "make them equal",
        )
    count = min(counts.values(), default=0)
    if said.index >= count:
        what = f"'input.index' is {said.index}, there are {count} examples"
        yield Problem("RIG032", what, escaped(str(path)), f"write a number below {count}")
    most = len(said.labels)
    if said.truth and not _are_labels(arrays[said.truth], most):
        what = f"'output.truth' names values that are not numbers of the {most} labels"
        yield Problem("RIG032", what, escaped(str(path)), f"number them 0 to {most - 1}")


def _are_labels(truth: Array, count: int) -> bool:
    """True if an array has one integer per example, from 0 to count - 1."""
    whole = truth.ndim == 1 and np.issubdtype(truth.dtype, np.integer)
    return bool(whole and truth.size and truth.min() >= 0 and truth.max() < count)
