"""Structural mutants of a .pt2 program: `python -m tests.fuzz.pt2 --count=N --seed=S`."""

import contextlib
import json
import stat
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.reading import read_or_refused
from tests.fuzz.trials import Limits, command
from tests.unit.frontend.pt2_models import Name, Pt2Writer

LIMITS = Limits(seconds=10.0, mebibytes=200)
NUMBERS = (-(1 << 70), -(1 << 63), -2, -1, 0, 1, 2, 3, 5, 7, 1 << 31, 1 << 62, 1 << 70)
VALUES: tuple[Any, ...] = (
    *NUMBERS, None, True, 1.5, float("nan"), float("inf"), "x", "", [], {}, [1], {"a": 1},
)  # fmt: skip
PLACES = ("../m", "/etc/passwd", "a/../../b", "", ".", "\\x", "data.pkl", "models/o.json", "\0")
PROGRAM, WEIGHTS = "models/model.json", "data/weights/model_weights_config.json"
Members = dict[str, bytes]


def trial(chance: Random, folder: Path) -> str:
    """Verdict of a mutant, by `read_or_refused`."""
    members = whole()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        with contextlib.suppress(ValueError, TypeError, LookupError):  # of what is damaged already
            chance.choice(EDITS)(chance, members)
    path = folder / "m.pt2"
    _write(chance, path, members)
    return read_or_refused(path)


def whole() -> Members:
    """A program of float32 and int8 that nothing is wrong with."""
    m = Pt2Writer((1, 2, 6, 6))
    ones = m.parameter(np.ones(4, np.float32))
    w = m.parameter(np.ones((4, 2, 3, 3), np.float32))
    sizes = (1, 4, 6, 6)
    y = m.call("conv2d", sizes, input=Name("x"), weight=w, bias=ones, padding=[1, 1])
    y = m.call(
        "batch_norm", sizes, input=y, weight=ones, bias=ones, running_mean=ones,
        running_var=ones, training=False, momentum=0.1, eps=1e-5,
    )  # fmt: skip
    y = m.call("hardtanh", sizes, self=y, min_val=0.0, max_val=6.0)
    y = m.call("pad", (1, 4, 8, 8), self=y, pad=[1, 1, 1, 1])
    y = m.call("aten.slice.Tensor", (1, 2, 8, 8), self=y, dim=1, start=1, end=3)
    y = m.call("aten.cat.default", (1, 4, 8, 8), tensors=[y, y], dim=1)
    y = m.call("avg_pool2d", (1, 4, 4, 4), self=m.through(y, 0.05, 3), kernel_size=[2, 2])
    y = m.call("aten.mean.dim", (1, 4), self=m.through(y, 0.05, 3), dim=[2, 3])
    y = m.call("sigmoid", (1, 4), self=m.through(y, 0.02, 3))
    weights = m.weights(np.ones((5, 4), np.int8), [0.1] * 5)
    y = m.call("linear", (1, 5), input=m.through(y, 1 / 256, -128), weight=weights, bias=None)
    z = m.through(m.call("hardsigmoid", (1, 5), self=y), 1 / 256, -128)
    y = m.through(m.call("hardswish", (1, 5), self=z), 0.1, 0)
    z = m.call("aten.view.default", (1, 5, 1), self=m.call("log", (1, 5), self=y), size=[1, 5, 1])
    y = m.call("aten.view.default", (1, 1, 5), self=y, size=[1, 1, 5])
    y = m.through(m.call("bmm", (1, 5, 5), self=m.through(z, 0.1, 0), mat2=y), 0.1, 0)
    y = m.through(m.call("minimum", (1, 5, 5), self=y, other=y), 0.1, 0)
    return m.members(
        m.through(m.call("sin", (1, 5, 5), self=m.call("neg", (1, 5, 5), self=y)), 0.1, 0)
    )


def _write(chance: Random, path: Path, members: Members) -> None:
    """The archive; now and then with a link, two files of one name, or bytes that are damaged."""
    kind = zipfile.ZIP_DEFLATED if chance.random() < 0.3 else zipfile.ZIP_STORED
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", kind) as file:
        warnings.simplefilter("ignore")
        for name, data in members.items():
            info = zipfile.ZipInfo(f"m/{name}")
            if chance.random() < 0.005:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            for _ in range(1 + (chance.random() < 0.003)):
                file.writestr(info, data, kind)
    if chance.random() < 0.2:
        raw = bytearray(path.read_bytes())
        for _ in range(chance.randrange(1, 4)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        path.write_bytes(raw[: chance.choice((len(raw), len(raw), chance.randrange(len(raw))))])


def _fields(value: Any) -> list[tuple[Any, Any]]:
    """Each place of a structure: its container, and the key or index in it."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, each in list(places):
        found.append((value, key))
        if isinstance(each, dict | list):
            found += _fields(each)
    return found


def _structure(chance: Random, members: Members, name: str) -> None:
    """Change the value of a field: a new one, none, or that of a field in a different place."""
    found = json.loads(members[name])
    places = _fields(found)
    container, key = chance.choice(places)
    match chance.randrange(4):
        case 0:
            del container[key]
        case 1:
            other, at = chance.choice(places)
            container[key] = json.loads(json.dumps(other[at]))
        case _:
            container[key] = chance.choice(VALUES)
    members[name] = json.dumps(found).encode()


def _program(chance: Random, members: Members) -> None:
    _structure(chance, members, PROGRAM)


def _config(chance: Random, members: Members) -> None:
    _structure(chance, members, WEIGHTS)


def _calls(chance: Random, members: Members) -> None:
    """Leave a call out, repeat it, move it, or let it read another tensor."""
    found = json.loads(members[PROGRAM])
    nodes = found["graph_module"]["graph"]["nodes"]
    if not isinstance(nodes, list) or not nodes:  # an edit before this one has replaced them
        return
    node = nodes.pop(chance.randrange(len(nodes)))
    for _ in range(chance.randrange(3)):
        nodes.insert(chance.randrange(len(nodes) + 1), node)
    every = [each for node in nodes for each in (*node["inputs"], *node["outputs"])]
    names = [place for place in _fields(every) if place[1] == "name"]
    container, key = chance.choice(names)
    other, at = chance.choice(names)
    container[key] = other[at]
    members[PROGRAM] = json.dumps(found).encode()


def _files(chance: Random, members: Members) -> None:
    """Rename a file of the archive, or change its bytes."""
    name = chance.choice([*members])
    data = members.pop(name)
    match chance.randrange(4):
        case 0:
            members[chance.choice(PLACES)] = data
        case 1:
            members[name] = data[: chance.randrange(len(data) + 1)]
        case 2:
            members[name] = data + b"[" * chance.choice((1, 9, 99_999))
        case _:
            members[name] = bytes(chance.randrange(256) for _ in range(len(data) % 99))


EDITS: tuple[Callable[[Random, Members], None], ...] = (
    _program, _program, _program, _config, _config, _calls, _calls, _files,
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(command("pt2", trial, LIMITS, sys.argv[1:]))
