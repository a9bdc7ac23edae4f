"""Plugin of pytest for op tests, for op folders anywhere, which pytest loads by an entry point.

Every pytest of an environment that has Opsmith imports this module, so it imports nothing else.
"""

from typing import Any

import pytest

MARKS = (
    "system: builds firmware or runs whole commands",
    "qemu: needs QEMU",
    "slow: left out of the fast tier, `pytest -m 'not slow'`",
)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add `--every-case`, here since a conftest.py adds options only for the tests below it. It
    also stops pytest from rewriting the assertions of all of Opsmith's modules, as it does for a
    package with a plugin.
    """
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("opsmith")
    group = parser.getgroup("opsmith", "firmware on a rig: fixtures board, firmware, model, place")
    group.addoption("--firmware", metavar="DIR", help="folder of the build that tests run")
    group.addoption("--model", metavar="FILE", help="the .tflite that it was built from")
    group.addoption("--board", metavar="NAME", help="its board; default: that of the build")
    group.addoption("--boards", metavar="DIR", action="append", help="more folders of boards")
    group.addoption("--rig", metavar="MAP", help="hardware map with the boards to run on")
    group.addoption("--fixture", metavar="NAME", action="append", help="what they must have")
    group.addoption("--place", metavar="KIND[:WHERE]", help="another place, like ssh:HOST")
    group.addoption("--wait", metavar="SECONDS", type=float, default=600.0, help="for a board")
    parser.addoption(
        "--every-case",
        action="store_true",
        help="boards run all cases of the ops, also those whose kernels are proved elsewhere",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks, which pytest would otherwise warn of, or refuse if it is strict."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("--firmware"):
        from opsmith.rig import pytest_plugin  # imports numpy

        config.pluginmanager.register(pytest_plugin, "opsmith-rig")
    if config.getoption("--every-case"):
        from opsmith.testing import board_cases  # imports numpy

        board_cases.EVERY_CASE = True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Scheduler of `--dist=loadgroup` in which tests of ops with one program go to one process."""
    from opsmith.testing.scheduling import scheduler, tests_together

    return scheduler(config, log, tests_together)
