"""The mutants: which model the i-th is, and what was done to it."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from tests.fuzz.models.edits import TENSOR_EDITS
from tests.fuzz.models.graph_edits import GRAPH_EDITS
from tests.fuzz.models.seeds import Seeds
from tests.fuzz.models.splices import splice
from tests.fuzz.models.tree import packed, unpacked

EDITS = TENSOR_EDITS | GRAPH_EDITS
SPLICED = 0.12  # of all mutants
TRIES = 20


@dataclass(frozen=True)
class Mutant:
    """A model that may be no model."""

    index: int
    content: bytes
    description: str  # the model it was, and what was done to it
    opt: str
    guards: bool


def mutant(seeds: Seeds, seed: int, index: int) -> Mutant:
    """The mutant of this number: always the same for the same seeds."""
    chance = random.Random(f"{seed}/{index}")
    origin = seeds.draw(chance)
    content, done = _changed(origin.content, chance)
    opt = chance.choice(("size", "size", "balanced", "speed"))
    guards = chance.random() < 0.1
    description = f"{origin.name}: {'; '.join(done)}"
    return Mutant(index, content, description, opt, guards)


def _changed(content: bytes, chance: random.Random) -> tuple[bytes, list[str]]:
    """The bytes with one to four changes, mostly one."""
    if chance.random() < SPLICED:
        done = []
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            content, what = splice(content, chance)
            done.append(what)
        return content, done
    for _ in range(TRIES):  # some edits ask for what a flatbuffer cannot hold
        model, done, wanted = unpacked(content), [], chance.choice((1, 1, 1, 1, 2, 2, 3))
        while len(done) < wanted:
            edit = chance.choices([*EDITS], [*EDITS.values()])[0]
            if model.subgraphs and (what := edit(model, chance)):
                done.append(what)
            wanted -= not model.subgraphs
        try:
            return packed(model), done
        except (TypeError, struct.error, OverflowError):
            continue
    return content, ["nothing"]
