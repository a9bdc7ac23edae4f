"""Which array of constants goes to which memory."""

from opsmith.board.describe import ConstantsRule
from opsmith.emit.fit_constants import FLASH, Fit, Home, HotArray, fit

QSPI = Home("qspi", 30.0, ConstantsRule("qspi"))
CCM = Home("ccm", 0.0, ConstantsRule("ccm", copied=True))
SLOW_FLASH = Home(FLASH, 5.0)


def arrays(*sizes_and_words: tuple[int, int]) -> list[HotArray]:
    return [HotArray(i, size, words) for i, (size, words) in enumerate(sizes_and_words)]


def memories(found: Fit) -> list[str]:
    assert not found.homeless
    return [found.homes[i].memory for i in range(len(found.homes))]


def test_the_hottest_stay_in_flash_where_it_is_faster() -> None:
    found = fit(
        arrays((64, 64), (64, 640), (64, 6)), [SLOW_FLASH, QSPI], {"flash": 64, "qspi": 999}
    )
    assert memories(found) == ["qspi", "flash", "qspi"]


def test_what_is_hottest_per_byte_is_copied() -> None:
    found = fit(arrays((96, 96), (32, 64)), [SLOW_FLASH, CCM], {"flash": 999, "ccm": 96})
    assert memories(found) == ["flash", "ccm"]


def test_nothing_moves_that_nobody_reads() -> None:
    faster = Home("bank", 1.0, ConstantsRule("bank"))
    found = fit(
        arrays((8, 0), (8, 1)), [SLOW_FLASH, CCM, faster], {"flash": 99, "ccm": 0, "bank": 9}
    )
    assert memories(found) == ["flash", "bank"]


def test_a_copy_takes_room_in_flash_as_well() -> None:
    room = {"flash": 16, "ccm": 99, "qspi": 99}
    found = fit(arrays((16, 90), (8, 8)), [SLOW_FLASH, CCM, QSPI], room)
    assert memories(found) == ["ccm", "qspi"]


def test_equal_memories_leave_constants_in_flash() -> None:
    same = Home("bank", 5.0, ConstantsRule("bank"))
    assert memories(fit(arrays((8, 9)), [SLOW_FLASH, same], {"flash": 8, "bank": 8})) == ["flash"]


def test_sizes_and_the_limit_of_a_rule_hold() -> None:
    rule = ConstantsRule("ccm", copied=True, at_least=8, at_most=16, limit=24)
    found = fit(
        arrays((4, 99), (16, 96), (32, 99), (16, 64), (8, 8)),
        [SLOW_FLASH, Home("ccm", 0.0, rule)],
        {"flash": 999, "ccm": 999},
    )
    assert memories(found) == ["flash", "ccm", "flash", "flash", "ccm"]


def test_an_array_that_found_no_room_is_placed_before_hotter_ones() -> None:
    """An array that found no room is placed before hotter ones, which would take the only room for
    it.
    """
    found = fit(arrays((8, 80), (8, 80), (24, 2)), [SLOW_FLASH, QSPI], {"flash": 32, "qspi": 8})
    assert memories(found) == ["flash", "qspi", "flash"]


def test_what_fits_nowhere_is_listed() -> None:
    found = fit(arrays((16, 1), (64, 1)), [SLOW_FLASH, QSPI], {"flash": 16, "qspi": 63})
    assert [array.index for array in found.homeless] == [1]


def test_padding_between_arrays_counts() -> None:
    assert fit(arrays((9, 1), (9, 1)), [SLOW_FLASH], {"flash": 31}).homeless
    assert not fit(arrays((9, 1), (9, 1)), [SLOW_FLASH], {"flash": 32}).homeless
