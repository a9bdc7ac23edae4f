"""Whatever is done to a model's bytes, the compiler answers with a program or with an error."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolchain.emit.files import text_files
from toolchain.errors import ToolchainError
from toolchain.op.discover import OpIndex, discover
from toolchain.pipeline import Target, compile_graph, read

ROOT = Path(__file__).parents[2]
EXAMPLES = 3000
# 32-bit words that overflow, are negative, or point far away
WORDS = (b"\0" * 4, b"\xff" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\1\0\0\0", b"\0\0\1\0")


def models() -> list[bytes]:
    """Our own model, and the real ones where the tests know them."""
    found = [ROOT / "tests" / "models" / "digits_int8.tflite"]
    given = os.environ.get("OPSMITH_MODELS")
    found += sorted(Path(given).rglob("*_int8.tflite")) if given else []
    return [path.read_bytes() for path in found]


@st.composite
def broken(draw: st.DrawFn, originals: list[bytes]) -> bytes:
    """A model with its end cut off, or some of its bytes, bits or words changed.

    Most changes hit the ends of the file, where the tables are and not the weights.
    """
    data = bytearray(draw(st.sampled_from(originals)))
    if draw(st.integers(0, 9)) == 0:
        return bytes(data[: draw(st.integers(0, len(data)))])
    for _ in range(draw(st.integers(1, 8))):
        near = draw(st.integers(0, min(20_000, len(data) - 4)))
        place = draw(st.sampled_from([near, len(data) - 4 - near, near * 7919 % (len(data) - 4)]))
        match draw(st.integers(0, 2)):
            case 0:
                data[place] ^= 1 << draw(st.integers(0, 7))
            case 1:
                data[place] = draw(st.integers(0, 255))
            case _:
                data[place : place + 4] = draw(st.sampled_from(WORDS))
    return bytes(data)


def outcome(content: bytes, path: Path, ops: OpIndex) -> str:
    """'compiled', or the code of the first error. Anything else escapes."""
    path.write_bytes(content)
    try:
        model, graph = read(path, "m", ops)
        target = Target(frozenset(), "ram", "balanced")
        program = compile_graph(graph, ops, target, (), "m", lambda step, graph: None)
        facts = {"source": "m", "target": "host", "binary": "w", "digest": "0"}
        text_files(program, ops, sha256=model.sha256, **facts)
    except ToolchainError as error:
        assert all(problem.fix and problem.where for problem in error.problems)
        return error.problems[0].code
    return "compiled"


@pytest.mark.slow
def test_a_broken_model_is_an_error_or_compiles(tmp_path: Path) -> None:
    ops, originals, seen = discover([ROOT / "ops"]), models(), Counter[str]()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(broken(originals))
    def every_one(content: bytes) -> None:
        seen[outcome(content, tmp_path / "m.tflite", ops)] += 1

    every_one()
    assert seen.total() >= EXAMPLES
    wanted = {"compiled", "MDL001", "MDL005", "MDL006", "MDL007", "MDL012", "MDL014"}
    assert wanted <= set(seen), f"the mutations reach too little: {seen}"
