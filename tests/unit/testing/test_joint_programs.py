"""Programs of several ops for this machine: they are one executable, and each op fails alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from opsmith.errors import ToolchainError
from opsmith.testing import joint_programs
from opsmith.testing.host_firmware import HostFirmware
from opsmith.testing.joint_programs import check_kernels, check_kernels_walk
from opsmith.testing.known_ops import SHIPPED
from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.one_node import one_node

pytestmark = pytest.mark.slow

X = {"x": ((5,), "float32")}


class Negated(OpTests):
    folder = SHIPPED / "neg"
    cases: ClassVar[Sequence[Case]] = (Case("negated", one_node("NEG", X, {"y": X["x"]})),)


class Absolute(OpTests):
    folder = SHIPPED / "abs"
    cases: ClassVar[Sequence[Case]] = (Case("absolute", one_node("ABS", X, {"y": X["x"]})),)


class Mistaken(OpTests):
    folder = SHIPPED / "floor"
    cases: ClassVar[Sequence[Case]] = (
        Case("mistaken", one_node("FLOOR", X, {"y": ((5,), "int8", 0.5, 0)})),
    )


class AbsoluteAgain(Absolute):
    folder = SHIPPED / "abs"


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Lists of the cases of each executable that is made, without any made before."""
    joint_programs._compiled.cache_clear()
    joint_programs._traced.cache_clear()
    found: list[set[str]] = []

    def followed(build: Any) -> Any:
        def follow(pairs: Any, *arguments: Any, **options: Any) -> list[HostFirmware]:
            firmware: list[HostFirmware] = build(pairs, *arguments, **options)
            assert len({each.executable for each in firmware}) == 1
            found.append({program.graph.name.partition("_")[0] for program, _ in pairs})
            return firmware

        return follow

    for name in ("build_hosts", "build_traced"):
        monkeypatch.setattr(joint_programs, name, followed(getattr(joint_programs, name)))
    return found


def test_ops_share_an_executable_that_is_made_once(made: list[set[str]]) -> None:
    both = [Negated, Absolute]
    for own in both:
        check_kernels(own, both)
    assert made == [{"neg", "abs"}]
    for own in both:
        check_kernels_walk(own, both)
    assert made == [{"neg", "abs"}] * 2


def test_two_classes_of_an_op_do_not_share_one(made: list[set[str]]) -> None:
    all_three = [Absolute, AbsoluteAgain, Negated]
    for own in all_three:
        check_kernels(own, all_three)
    assert made == [{"neg", "abs"}]


def test_what_cannot_be_prepared_fails_in_its_own_test(made: list[set[str]]) -> None:
    every = [Negated, Mistaken, Absolute]
    with pytest.warns(UserWarning, match="floor stays alone"):
        check_kernels(Negated, every)
    check_kernels(Absolute, every)
    assert made == [{"neg", "abs"}]
    with pytest.raises(ToolchainError):
        check_kernels(Mistaken, every)


def test_where_the_executable_cannot_be_made_each_op_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*arguments: Any, **options: Any) -> list[HostFirmware]:
        raise AssertionError("error: no such function")

    monkeypatch.setattr(joint_programs, "build_hosts", broken)
    monkeypatch.setattr(joint_programs, "build_traced", broken)
    both = [Negated, Absolute]
    for check in (check_kernels, check_kernels_walk):
        with pytest.warns(UserWarning, match="no executable of several ops: error: no such"):
            check(Negated, both)
        check(Absolute, both)
