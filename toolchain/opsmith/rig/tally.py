"""Figures of a model on a data set: accuracy, classes, agreement; sums of many small records."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from opsmith.text import escaped

_CELL, _EDGE = 36, 90  # pixels


class Tally:
    """Sum of records, which keeps nothing of single samples, and the mean of a file's scores."""

    def __init__(self, classes: int, labels: Sequence[str] = ()) -> None:
        self.count = self.right = self.ticks = 0
        self.seconds = 0.0
        self._agree: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._confusion = np.zeros((classes, classes), np.int64)
        self._names = [labels[i] if i < len(labels) else str(i) for i in range(classes)]
        self._scores: dict[str, tuple[int, float, int]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Add a record of one sample to the sum."""
        self.count += 1
        self.right += bool(record["right"])
        self.ticks += record["ticks"]
        self.seconds += record["seconds"]
        for title, agrees in record["agrees"].items():
            self._asked[title] += 1
            self._agree[title] += agrees
        if record["said"] is not None:
            self._confusion[record["label"], record["said"]] += 1
        if record["score"] is not None:
            name = record["file"] or str(self.count)
            _, total, count = self._scores.get(name, (0, 0.0, 0))
            self._scores[name] = record["label"], total + record["score"], count + 1

    def result(self) -> dict[str, Any]:
        """Sum as data."""
        diagonal, of = np.diag(self._confusion), self._confusion.sum()
        oracles = [
            {"title": title, "agrees": self._agree[title], "of": count}
            for title, count in self._asked.items()
        ]
        return {
            "samples": self.count,
            "exact": self.right,
            "accuracy": float(diagonal.sum() / of) if of else None,
            "auc": self._auc(),
            "classes": [*self._classes()],
            "confusion": self._confusion.tolist(),
            "oracles": oracles,
            "ticks_each": self.ticks / self.count if self.count else None,
            "seconds_each": self.seconds / self.count if self.count else None,
        }

    def picture(self) -> str:
        """Confusion matrix as SVG: rows are right classes, columns predicted ones."""
        size = _EDGE + _CELL * len(self._names) + 10
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" '
            'font-family="monospace" font-size="10">',
            f'<rect width="{size}" height="{size}" fill="white"/>',
            f'<text x="10" y="20">right \\ said, {self.count:,} samples</text>',
        ]
        most = self._confusion.sum(axis=1, keepdims=True).clip(1)
        for i, name in enumerate(self._names):
            at, shown = _EDGE + _CELL * i, escaped(name)
            lines.append(f'<text x="10" y="{at + 22}">{escape(shown[:12])}</text>')
            lines.append(f'<text x="{at + 4}" y="{_EDGE - 8}">{escape(shown[:5])}</text>')
            for j, count in enumerate(self._confusion[i]):
                x, share = _EDGE + _CELL * j, count / most[i, 0]
                color = "#80b1d3" if i == j else "#fb8072"
                lines.append(
                    f'<rect x="{x}" y="{at}" width="{_CELL - 2}" height="{_CELL - 2}" '
                    f'fill="{color}" fill-opacity="{share:.3f}" stroke="#ddd"/>'
                )
                lines += [f'<text x="{x + 4}" y="{at + 22}">{count}</text>'] if count else []
        return "\n".join([*lines, "</svg>", ""])

    def _classes(self) -> Iterator[dict[str, Any]]:
        for index, name in enumerate(self._names):
            right = int(self._confusion[index, index])
            samples, said = self._confusion[index].sum(), self._confusion[:, index].sum()
            yield {
                "class": index,
                "name": escaped(name),
                "samples": int(samples),
                "right": right,
                "said": int(said),
                "recall": right / int(samples) if samples else None,
                "precision": right / int(said) if said else None,
            }

    def _auc(self) -> float | None:
        """Area under the ROC curve of files by mean score, for class 1; None for a lone class."""
        found = [(label, total / count) for label, total, count in self._scores.values()]
        ones = np.array([score for label, score in found if label == 1])
        zeros = np.sort([score for label, score in found if label == 0])
        if not len(ones) or not len(zeros):
            return None
        below = np.searchsorted(zeros, ones, "left") + np.searchsorted(zeros, ones, "right")
        return float(below.sum() / 2 / len(ones) / len(zeros))


def tally_text(found: Mapping[str, Any]) -> list[str]:
    """Lines of text about a data set's result."""
    lines = [f"{found['samples']:,} samples"]
    if found["accuracy"] is not None:
        lines[0] += f", accuracy {found['accuracy']:.2%}"
        lines.append(f"  {'class':<16}{'samples':>8}{'right':>8}{'said':>8}{'recall':>9}")
        for row in found["classes"]:
            recall = "" if row["recall"] is None else f"{row['recall']:.1%}"
            counts = f"{row['samples']:>8}{row['right']:>8}{row['said']:>8}"
            lines.append(f"  {row['name'][:15]:<16}{counts}{recall:>9}")
    if found["auc"] is not None:
        lines[0] += f", AUC {found['auc']:.4f}"
    if found["seconds_each"] is not None:
        lines[0] += f", {found['seconds_each'] * 1000:.1f} ms each with the transfer"
    if found["ticks_each"] is not None:
        lines[0] += f", {found['ticks_each']:,.0f} ticks of its counter"
    agreed = (f"  {o['title']}: {o['agrees']:,} of {o['of']:,} equal" for o in found["oracles"])
    return [*lines, *agreed]
