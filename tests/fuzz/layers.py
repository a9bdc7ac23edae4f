"""Damaged custom layers of OpenVINO with their kernels, which `import-layer` reads.

python -m tests.fuzz.layers --count=10000 --seed=1
"""

import sys
from functools import partial
from pathlib import Path
from random import Random

from runtimes.gpu.definitions import defined_names
from runtimes.gpu.import_layer import main
from runtimes.gpu.neighbours import check_directives, check_macros
from runtimes.gpu.preprocessor import in_single_precision
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command
from tests.gpu.custom_layers import BY_PITCHES, FILES, LEAKY
from tests.gpu.layer_mistakes import MISTAKES, READING

IN_XML = (
    b"<CustomLayer ", b"<Define name=\"a\"/>", b"<Data name=\"w\" arg-index=\"2\"/>", b"<Tensor ",
    b"<!--", b"-->", b"<![CDATA[", b"<?xml?>", b"<!DOCTYPE a>", b"&#10;", b"&lt;", b"=\"\"", b"X,Y",
    b"(", b"B*F/4", b"float[]", b"default=\"1\" ",
)  # fmt: skip
IN_KERNEL = (
    b"__kernel ", b"kernel void ", b"local ", b"__attribute__((", b"typedef ", b"constant ",
    b"enum {", b"struct ", b"#define ", b"#if ", b"##", b"0x1", b"1.0", b"\\", b"void ", b"(", b")",
    b";", b"0xf", *(line.encode() for line, _ in READING),
)  # fmt: skip


def trial(chance: Random, folder: Path) -> str:
    """Outcome of importing a damaged layer, whose kernels are then checked as in a build."""
    given, known = folder / "given", folder / "known"
    given.mkdir()
    known.mkdir()
    layer, kernels = _layer(chance)
    (given / "layer.xml").write_bytes(layer)
    for name, text in kernels.items():
        (given / name).write_bytes(text)
    if misplace(chance, given, 0.08):
        return outcome(lambda: _import(folder))
    found = outcome(lambda: _import(folder))
    assert (folder / "ops").exists() == (found == "fine")
    for name, text in kernels.items():
        code = text.decode("utf-8", "replace").replace("\0", " ")
        outcome(partial(check_directives, [given / name]))
        outcome(partial(check_macros, [given / name], [given / name]))
        defined_names(code)
        in_single_precision(code)
    return found


def _import(folder: Path) -> None:
    into, known = str(folder / "ops"), str(folder / "known")
    main([str(folder / "given/layer.xml"), "--into", into, "--ops", known])


def _layer(chance: Random) -> tuple[bytes, dict[str, bytes]]:
    """Bytes of a layer and of its kernels by name, mostly damaged."""
    layer, kernels = LEAKY, {"leaky.cl": BY_PITCHES}
    if chance.random() < 0.3:
        texts = [(name, text) for name, text in FILES.items() if name.endswith(".xml")]
        layer = chance.choice(texts)[1]
        kernels = {name: text for name, text in FILES.items() if name.endswith(".cl")}
    if chance.random() < 0.15:
        before, after, *_ = chance.choice(MISTAKES)
        layer = layer.replace(before, after)
    found = {name: text.encode() for name, text in kernels.items()}
    data, name = layer.encode(), chance.choice([*found])
    if chance.random() < 0.6:
        data = damaged(chance, data, IN_XML)
    if chance.random() < 0.6:
        found[name] = damaged(chance, found[name], IN_KERNEL)
    return data, found


if __name__ == "__main__":
    sys.exit(command("layers", trial, LIMITS, sys.argv[1:]))
