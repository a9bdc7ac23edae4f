"""Architectures, cores, MCU families and front ends from elsewhere build and run like our own."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.home import RUNTIMES
from tests.system.project import ROOT, Project, make_project
from tests.system.test_backends import sums
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
OUTSIDE = ("boards=../mine/boards", "platforms=../mine")
TINY = "model=tiny.tflite"


def copied(source: Path, target: Path, *edits: tuple[str, str]) -> None:
    """Copy a folder; in each of its texts, the first of each pair becomes the second."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    for file in filter(Path.is_file, target.rglob("*")):
        text = file.read_text(encoding="utf-8")
        for old, new in edits:
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")


def platform(folder: Path, arch: str, family: str, core: str, board: str) -> None:
    """Make a folder with renamed copies of an architecture, a core, a family, and a board."""
    runtimes = RUNTIMES
    copied(
        runtimes / "arch" / arch,
        folder / "arch" / "mine",
        (f"runtimes/arch/{arch}", "arch/mine"),
        ("__stack_limit", "__my_stack_limit"),  # of another linker script
    )
    shutil.rmtree(folder / "arch" / "mine" / "cores")
    cores = folder / "arch" / "mine" / "cores"
    cores.mkdir()
    shutil.copy(runtimes / "arch" / arch / "cores" / f"{core}.toml", cores / "my-core.toml")
    script = folder / "arch" / "mine" / "firmware.ld.in"
    text = script.read_text(encoding="utf-8")
    both = "__my_stack_limit = .;\n    __stack_limit = .;"
    script.write_text(text.replace("__my_stack_limit = .;", both, 1), encoding="utf-8")
    new = (f'"{arch}"', '"mine"')
    copied(runtimes / "mcu" / family, folder / "mcu" / "my_family", new)
    named = [(f'core = "{core}"', 'core = "my-core"')]
    named += [(f'family = "{family}"', 'family = "my_family"')]
    copied(ROOT / "boards" / board, folder / "boards" / "my_board", *named)


@pytest.fixture(scope="module")
def copy(projects: Path) -> Project:
    """Project with a few ops, beside which tests put platforms."""
    return make_project(projects / "p", ops=("add", "conv_2d", "relu"))


@pytest.fixture
def project(copy: Project) -> Iterator[Project]:
    """Project without the platforms of earlier tests, and without builds of those."""
    yield copy
    beside = copy.root.parent
    for folder in [beside / "mine", beside / "backends", *copy.root.glob("build/my_board-*")]:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def mine(project: Project) -> Path:
    """Folder beside the project for platforms of tests."""
    return project.root.parent / "mine"


@pytest.mark.first(1)
@pytest.mark.parametrize(("arch", "family", "core", "board"), [
    ("arm", "cmsdk", "cortex-m3", "mps2_an385"),
    ("riscv", "virt", "rv32imac", "qemu_riscv32"),  # lacks timings
])  # fmt: skip
def test_an_architecture_from_elsewhere_runs(
    project: Project, mine: Path, arch: str, family: str, core: str, board: str
) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
    platform(mine, arch, family, core, board)
    outcome = project.build("board=my_board", *OUTSIDE, TINY, "debug=1", "run", "profile")
    assert "bit-exact with LiteRT: yes" in outcome.text
    assert "count_nodes-mine.so" in outcome.text
    assert ("published Cortex-M3 timings" in outcome.text) == (arch == "arm")
    (report,) = project.root.glob("build/my_board-*/tiny+*/report.json")
    assert str(mine) not in (report.parent / "firmware.elf").read_bytes().decode("latin-1")


def test_a_core_and_a_family_from_elsewhere_are_followed(project: Project, mine: Path) -> None:
    platform(mine, "arm", "cmsdk", "cortex-m4f", "mps2_an386")
    shutil.rmtree(mine / "arch")
    (mine / "arch" / "arm" / "cores").mkdir(parents=True)
    core = mine / "arch" / "arm" / "cores" / "my-core.toml"
    shutil.copy(RUNTIMES / "arch" / "arm" / "cores" / "cortex-m4f.toml", core)
    family = mine / "mcu" / "my_family" / "family.toml"
    family.write_text('arch = "arm"\n', encoding="utf-8")
    arguments = ("board=my_board", *OUTSIDE, TINY)
    assert "bit-exact with LiteRT: yes" in project.build(*arguments, "run").text
    kernels = [node["kernel"] for node in report(project, "my_board")["nodes"]]
    assert any("dsp" in kernel for kernel in kernels)
    text = core.read_text(encoding="utf-8")
    core.write_text(text.replace('"dsp", ', ""), encoding="utf-8")
    assert project.build(*arguments).ran("CONVERT")
    kernels = [node["kernel"] for node in report(project, "my_board")["nodes"]]
    assert not any("dsp" in kernel for kernel in kernels)
    with (mine / "mcu" / "my_family" / "board.cc").open("a", encoding="utf-8") as source:
        source.write("// edited\n")
    assert project.build(*arguments).ran("CC") == {"board.cc"}
    core.write_text(text.replace('model = "', 'model = "no-'), encoding="utf-8")
    refused = project.scons(*arguments, "profile")
    assert refused.status == 2
    assert "count_nodes: no timing.c knows the model 'no-cortex-m4'" in refused.text


@pytest.mark.few(0)  # test_backends.py has one of a runtime
def test_kernels_require_a_feature_that_only_a_core_from_elsewhere_has(
    project: Project, mine: Path
) -> None:
    platform(mine, "arm", "cmsdk", "cortex-m3", "mps2_an385")
    shutil.rmtree(mine / "arch")
    cores = mine / "arch" / "arm" / "cores"
    cores.mkdir(parents=True)
    text = (RUNTIMES / "arch/arm/cores/cortex-m3.toml").read_text(encoding="utf-8")
    assert "features = [" in text
    text = text.replace("features = [", 'features = ["turbo_unit", ')
    (cores / "my-core.toml").write_text(text, encoding="utf-8")
    (mine / "mcu" / "my_family" / "family.toml").write_text('arch = "arm"\n', encoding="utf-8")
    copied(
        ROOT / "tests/data/my_backends/turbo",
        project.root.parent / "backends" / "turbo",
        ('requires={"turbo"}', 'requires={"turbo_unit"}'),
        ("grants = []", 'grants = ["turbo_unit"]'),
    )
    backends = "backends=../backends"
    (project.root / "sums.tflite").write_bytes(sums())
    arguments = ("board=my_board", *OUTSIDE, "runtime=turbo", backends)
    assert "exact with LiteRT: yes" in project.build(*arguments, "model=sums.tflite", "run").text
    (path,) = project.root.glob("build/my_board-turbo*/sums+*/report.json")
    nodes = json.loads(path.read_text(encoding="utf-8"))["nodes"]
    assert [node["kernel"] for node in nodes].count("sum") == 1
    project.build("ops/add", *arguments)
    refused = project.scons("board=host", backends, TINY)
    assert refused.status == 2
    assert "error KRN010: kernel 'sum' requires 'turbo_unit', which no core has" in refused.text


def test_a_front_end_from_elsewhere_is_followed(project: Project, mine: Path) -> None:
    shutil.copytree(ROOT / "tests" / "data" / "platforms", mine)
    (project.root / "m.toy").write_text("relu 5\n", encoding="utf-8")
    arguments = ("board=host", "model=m.toy", "platforms=../mine")
    outcome = project.build(*arguments, "run")
    assert "by numpy (LiteRT does not run it by itself)" in outcome.text
    assert "equal to the numpy models: yes" in outcome.text
    assert "is up to date" in project.build(*arguments).text
    with (mine / "frontends" / "toy" / "frontend.py").open("a", encoding="utf-8") as module:
        module.write("# edited\n")
    outcome = project.build(*arguments)
    assert outcome.ran("RESOLVE")
    assert outcome.ran("CONVERT")
    refused = project.scons("board=host", "model=m.toy")
    assert refused.status == 2
    assert "error MDL033: no front end reads '.toy' files" in refused.text


def test_boards_of_platforms_from_elsewhere_are_listed(project: Project, mine: Path) -> None:
    platform(mine, "riscv", "virt", "rv32imac", "qemu_riscv32")
    assert "my_board" in project.build("boards", *OUTSIDE).text
    refused = project.scons("boards", OUTSIDE[0])
    assert refused.status == 2
    assert "error BRD005: unknown core 'my-core'" in refused.text
    refused = project.scons("boards", "platforms=../nowhere")
    assert "error BRD016" in refused.text


def report(project: Project, board: str) -> dict[str, list[dict[str, str]]]:
    """Report of the only firmware of a board."""
    (path,) = project.root.glob(f"build/{board}-*/tiny+*/report.json")
    found: dict[str, list[dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    return found
