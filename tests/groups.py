"""Which tests share what takes long to make: the scheduler gives them to one process.

Marks of pytest-xdist would say it beside each test, but pytest 9.2 ignores the names that xdist
3.8 gives to tests that have some.
"""

import re

from opsmith.testing.scheduling import tests_together

# Groups, or tests that are in none, of 20 s and more: dealt first, so that none of them is what all
# processes but one wait for at the end.
FIRST = (
    "firmware_0",
    "firmware_1",
    "tests/test_style.py::test_mypy_finds_nothing",
    "tests/system/test_out_of_tree",
    "tests/system/test_ninja",
)
TOGETHER = (
    # Their fixtures build a project in a copy, or they wait for what others keep from happening.
    re.compile(
        r"(tests/(?:stress|system/test_(?:additions|audio_preprocessor|backends|build|build_options"
        r"|caller_arena|conan_package|control_flow|crosscheck|derived|emitters|general_forms|guards"
        r"|installed|labgrid|library_with_cmsis_nn|linux_boards|ninja|op_targets|ops_readme|oracles"
        r"|out_of_tree|packages|placement|platforms|profile|reading_options|riscv|several_models|verify_build)))\b"
    ),
    # They look at the packages of two models.
    re.compile(r"tests/system/(test_)(?:exports|library|library_of_several)\b"),
    # They look at what one firmware's runs stored, which the next run takes away.
    re.compile(r"(tests/system/test_digits)\b"),
    # One program, with what a driver compiled of its kernels.
    re.compile(r"(tests/gpu/test_)(?:cuda|opencl|opencl_build)\b"),
    # Which ops a model uses is found out once; some of its firmware serves several tests.
    re.compile(r"tests/system/test_(?:models|speed|streams)\b.*\W(\w+_(?:int8|quantized))\b"),
    # Objects of a board serve all its hand-written firmware.
    re.compile(r"tests/system/test_rigs\b.*\[(\w+)"),
    # Kernels of several cores have constants that are long searched for, and the same.
    re.compile(r"(tests/unit/op/test_)(?:kernel_check|warnings)\b"),
    # Many small tests are quickly dealt by files.
    re.compile(r"(tests/(?:gpu|unit)/[\w/]+)\b"),
)


def group_of(nodeid: str) -> str | None:
    """The name of the test's group, or None where it is alone."""
    if group := tests_together(nodeid):
        return group
    for pattern in TOGETHER:
        if found := pattern.match(nodeid):
            return found[1]
    return None
