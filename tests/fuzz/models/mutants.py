"""Mutants by number: the model of each, and the changes made to it."""

import random
import struct
from dataclasses import dataclass

from tests.fuzz.models.edits import TENSOR_EDITS
from tests.fuzz.models.graph_edits import GRAPH_EDITS
from tests.fuzz.models.seeds import Seeds
from tests.fuzz.models.splices import splice
from tests.fuzz.models.storage_edits import STORAGE_EDITS
from tests.fuzz.models.tree import packed, unpacked
from tests.fuzz.models.values import name as random_name
from tests.fuzz.models.values import size_near
from tests.fuzz.models.wiring import WIRING_EDITS

EDITS = TENSOR_EDITS | GRAPH_EDITS | WIRING_EDITS | STORAGE_EDITS
SPLICED = 0.12  # of all mutants
TRIES = 20
LONGEST_TYPED = 100  # characters of a name in an option


@dataclass(frozen=True)
class Preferences:
    """Build options of a mutant, as on the command line."""

    opt: str = "size"
    guards: bool = False
    stream: str = "0"  # taken where the model can be streamed
    outputs: float = -1.0  # which inner tensor is an output, too: 0 the first, near 1 the last
    input_shape: tuple[str, ...] = ()
    signature: str = ""


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
        *_reading(content, chance),
    )
    return Mutant(index, content, f"{origin.name}: {'; '.join(done)}", preferences)


def _reading(content: bytes, chance: random.Random) -> tuple[tuple[str, ...], str]:
    """Input shapes and signature for a model, given more often where it has open ones."""
    try:
        model = unpacked(content)
        graph = model.subgraphs[0]
        inputs = [graph.tensors[number] for number in graph.inputs]
    except Exception:  # a splice may leave anything
        return (), ""
    shapes = []
    for each in inputs:
        is_open = -1 in list(each.shapeSignature or ())
        if chance.random() < (0.8 if is_open else 0.02):
            shape = list(each.shape or ())
            sizes = [size if size > 1 else chance.choice((1, 1, 2, 3, 5)) for size in shape]
            sizes = sizes if chance.random() < 0.9 else [size_near(chance, size) for size in sizes]
            name = _typed(each.name)
            shapes.append(f"{name}:{'x'.join(map(str, sizes))}")
    keys = [each.signatureKey or b"" for each in model.signatureDefs or ()]
    named = chance.random() < (0.7 if keys else 0.02)
    key = chance.choice([*keys, random_name(chance)]) if named else b""
    return tuple(shapes), _typed(key)


def _typed(name: bytes | None) -> str:
    """Name of a tensor as a user types it in a command line."""
    return (name or b"").decode("utf-8", "backslashreplace")[:LONGEST_TYPED]


def changed(content: bytes, chance: random.Random) -> tuple[bytes, list[str]]:
    """Bytes of a model after one to four changes, mostly one."""
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
