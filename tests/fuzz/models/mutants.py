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
from tests.fuzz.models.wiring import WIRING_EDITS

EDITS = TENSOR_EDITS | GRAPH_EDITS | WIRING_EDITS
SPLICED = 0.12  # of all mutants
TRIES = 20


@dataclass(frozen=True)
class Preferences:
    """What the command line of a build says."""

    opt: str = "size"
    guards: bool = False
    stream: str = "0"  # taken where the model can be streamed
    outputs: float = -1.0  # which inner tensor is an output, too: 0 the first, near 1 the last


@dataclass(frozen=True)
class Mutant:
    """A model that may be no model."""

    index: int
    content: bytes
    description: str  # the model it was, and what was done to it
    preferences: Preferences


def mutant(seeds: Seeds, seed: int, index: int) -> Mutant:
    """The mutant of this number: always the same for the same seeds."""
    chance = random.Random(f"{seed}/{index}")
    origin = seeds.draw(chance)
    content, done = changed(origin.content, chance)
    preferences = Preferences(
        chance.choice(("size", "size", "balanced", "speed")),
        chance.random() < 0.1,
        chance.choices(("0", "rows", "frames"), (80, 14, 6))[0],
        chance.random() if chance.random() < 0.1 else -1.0,
    )
    return Mutant(index, content, f"{origin.name}: {'; '.join(done)}", preferences)


def changed(content: bytes, chance: random.Random) -> tuple[bytes, list[str]]:
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
