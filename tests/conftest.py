"""Setup that all tests share: their environment, and where the real models are."""

import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from opsmith.testing.scheduling import scheduler
from tests.groups import FIRST, group_of

# All that tests and the commands that they run see of the environment: what else a machine sets,
# such as CPATH, SCONSFLAGS, PYTEST_ADDOPTS or PYTHONDONTWRITEBYTECODE, decides no test and no time.
KEPT = (
    *("PATH", "HOME", "USER", "TMPDIR", "TERM", "CI", "LD_LIBRARY_PATH"),
    *("OPSMITH_MODELS", "OPSMITH_CMSIS_NN", "OPSMITH_LITERT_TORCH", "OPSMITH_ONNX2TF"),
    *("OPSMITH_EXECUTORCH", "OPSMITH_QUANTIZER", "OPSMITH_TENSORFLOW"),
)
FIXED = {
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",  # of numpy, of which each core has a process
}
for name in os.environ.keys() - KEPT:
    if name == "PYTEST_ADDOPTS" or not name.startswith("PYTEST_"):  # which processes talk by
        del os.environ[name]
os.environ.update(FIXED)
sys.dont_write_bytecode = False  # of this process, which Python took from the environment
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as background jobs have it
    signal.signal(signal.SIGINT, signal.default_int_handler)

FAST = "not slow"  # what -m says for the fast tier
SLOW = ("slow", "system", "qemu")  # marks of what is not in it
FAST_PARAMETERS = 4  # of each test, in a seeded sample, are what it tries
MODULE = re.compile(r"test_\w+\.py")
SLOW_MODULE = re.compile(r"^pytestmark = .*\bmark\.(slow|system|qemu)\b", re.MULTILINE)

ROOT = Path(__file__).resolve().parents[1]
ABSENT = "no real models: give --models=DIR or set OPSMITH_MODELS"
NO_PACKAGES = "packages of ./bootstrap --all are absent"
NO_PTXAS = "no clang-15, libclc-15 or ptxas: .venv/bin/python -m pip install -e .[ptxas]"
NO_ARM64_POCL = "no PoCL for aarch64: .venv/bin/python -m tests.gpu.arm64"
NO_PKG_CONFIG = "no pkg-config: ./bootstrap --all"
NO_ARDUINO = "no arduino-builder or arduino-ctags: ./bootstrap --all"
NO_ORACLE = "no interpreter of this rule of numerics"
NO_ONNXRUNTIME = "no onnxruntime: .venv/bin/python -m pip install onnxruntime"
NO_TENSORFLOW = "no TensorFlow: .venv/bin/python -m pip install -e .[tensorflow]"
NO_EXECUTORCH = "no OPSMITH_EXECUTORCH: see tests/cortex_m/__main__.py"
NO_QUANTIZER = "no ai-edge-quantizer: .venv/bin/python -m pip install -e .[quantizer]"
NO_CONVERTERS = "no OPSMITH_LITERT_TORCH or OPSMITH_ONNX2TF: see tests/converters/__main__.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--models",
        default=os.environ.get("OPSMITH_MODELS"),
        metavar="DIR",
        help="folder of real models that the project does not ship (default: $OPSMITH_MODELS)",
    )
    parser.addoption(
        "--examples",
        type=int,
        default=1,
        metavar="FACTOR",
        help="random tests try this many times as many examples; others that try a part of all "
        "combinations try all with more than 1 (default: 1)",
    )
    parser.addoption(
        "--optional",
        action="store_true",
        help="run only what packages of ./bootstrap --all decide about",
    )


def _end_at_once(worker: int) -> None:
    """End a process of pytest-xdist: its memory goes in one piece, not object by object."""
    if os.getpid() == worker:  # and not one that it forked, whose status is asked for
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


if "PYTEST_XDIST_WORKER" in os.environ:
    atexit.register(_end_at_once, os.getpid())  # here, before all others, to be the last one


def pytest_configure(config: pytest.Config) -> None:
    mark = "boards(names): for each of these, of which some take turns; all with --examples=2"
    config.addinivalue_line("markers", mark)
    mark = "few(count): a seeded sample of this many parameters is tried; all with --examples=2"
    config.addinivalue_line("markers", mark)
    mark = "first(count): the first of its parameters are tried; all with --examples=2"
    config.addinivalue_line("markers", mark)
    factor = config.getoption("--examples")
    if factor != 1:
        from tests.examples import multiply  # imports Hypothesis

        multiply(factor)
    if config.option.markexpr == FAST:  # has no random tests, and the plugin imports Hypothesis
        config.pluginmanager.unregister(name="hypothesispytest")
        if config.getoption("numprocesses", None) in (None, 0):  # where tests run
            from opsmith.testing import op_cases  # imports numpy

            op_cases.QUICK = True


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> list[object] | None:
    """Make no items of functions that the fast tier, or a mark `few(0)`, leaves out."""
    if not name.startswith("test"):
        return None
    marks = getattr(obj, "pytestmark", ())
    fast = collector.config.option.markexpr == FAST
    out = fast and any(mark.name in SLOW for mark in marks)
    if collector.config.getoption("--examples") < 2:
        out = out or any(mark.name == "few" and mark.args == (0,) for mark in marks)
    return [] if out else None


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Run a test of boards for the boards that its mark names and whose turn it is; try of any
    test's parameters only the first, or a seeded sample, as its marks say. A test of which the
    command line names parameters has them all to choose from.
    """
    every = metafunc.config.getoption("--examples") > 1
    every = every or _is_named(metafunc.definition.name, metafunc.config.args)
    if mark := metafunc.definition.get_closest_marker("boards"):
        from tests.turns import tried  # reads all boards

        names = list(mark.args[0])
        part = names if every else tried()
        metafunc.parametrize("name", [name for name in names if name in part])
    yield
    if not every:
        metafunc._calls = _tried(metafunc)


def _is_named(test: str, arguments: list[str]) -> bool:
    """True where arguments have a node id of a test with parameters."""
    return any(f"::{test}[" in each for each in arguments)


def _tried(metafunc: pytest.Metafunc) -> list[Any]:
    """Parameters that are tried, in their order."""
    test, calls = metafunc.definition, metafunc._calls
    first, few = (test.get_closest_marker(name) for name in ("first", "few"))
    count = few.args[0] if few else len(calls)
    if metafunc.config.option.markexpr == FAST:
        fast = [each for each in calls if not any(mark.name in SLOW for mark in each.marks)]
        calls = fast or calls
        count = min(count, FAST_PARAMETERS)
    calls = calls[: first.args[0]] if first else calls
    taken = Random(test.nodeid).sample(range(len(calls)), min(count, len(calls)))
    return [calls[number] for number in sorted(taken)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Number of processes: one more than cores, since tests wait for emulators and ports a seventh
    of their time. The fast tier, which waits for nothing, has one per core.
    """
    waiting = 0 if config.option.markexpr == FAST else 1
    return len(os.sched_getaffinity(0)) + waiting


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Tests that share what is made once go to one process; all others wherever there is time."""
    return scheduler(config, log, group_of, FIRST)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test in a process of pytest-xdist without reporting its start, end, and passed setup
    and teardown, since sending six reports takes longer than most tests do.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.user_properties:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave modules that are slow as a whole out of the fast tier, as importing them takes long."""
    if config.option.markexpr != FAST or not MODULE.fullmatch(collection_path.name):
        return None
    return bool(SLOW_MODULE.search(collection_path.read_text(encoding="utf-8"))) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps tests of firmware or whole commands out of the fast tier, where Hypothesis would look
    for constants in their modules.
    """
    for item in items:
        if any(mark.name in ("system", "qemu") for mark in item.iter_markers()):
            item.add_marker(pytest.mark.slow)
    if config.option.markexpr == FAST:
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    if config.getoption("--optional"):
        from tests.optional import needs_packages

        items[:] = filter(needs_packages, items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Freeze collected modules and tests, which stay until the end, so that the garbage collector
    skips them, and let it run seldom.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        gc.enable()


@pytest.fixture(scope="session")
def models_dir(request: pytest.FixtureRequest) -> Path:
    """The folder of real models; without one the test is skipped and counted at the end."""
    given = request.config.getoption("--models")
    if not given:
        pytest.skip(ABSENT)
    folder = Path(given).resolve()
    if not folder.is_dir():
        pytest.fail(f"--models={given}: no such folder")
    return folder


@pytest.fixture(scope="session")
def real_model(models_dir: Path) -> Callable[[str], Path]:
    """Finds a real model by its file's name, anywhere below the folder of models."""

    def find(name: str) -> Path:
        found = sorted(models_dir.rglob(name))
        if not found:
            pytest.skip(f"{name} is not below {models_dir}")
        return found[0]

    return find


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report at the end which tests were skipped for lack of a tool or model."""
    skipped = [str(each.longrepr) for each in terminalreporter.stats.get("skipped", ())]
    reasons = {
        ABSENT: "real models",
        NO_PACKAGES: "programs or drivers of ./bootstrap --all",
        NO_PTXAS: "NVIDIA's assembler",
        NO_ARM64_POCL: "an OpenCL device for aarch64",
        NO_PKG_CONFIG: "pkg-config",
        NO_ARDUINO: "Arduino's builder",
        NO_ORACLE: "other interpreters, by ./bootstrap --all",
        NO_ONNXRUNTIME: "onnxruntime",
        NO_TENSORFLOW: "TensorFlow's converter",
        NO_QUANTIZER: "ai-edge-quantizer",
        NO_CONVERTERS: "PyTorch's converters",
        NO_EXECUTORCH: "ExecuTorch",
    }
    for reason, wanted in reasons.items():
        count = sum(reason in each for each in skipped)
        if count:
            tests = "1 test needs" if count == 1 else f"{count} tests need"
            line = f"NOT TESTED: {tests} {wanted}; {reason}"
            terminalreporter.write_line(line, red=True)
