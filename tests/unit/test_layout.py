"""Every folder obeys the rules: op folders complete, READMEs current, error codes documented."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from opsmith.commands.readme import pages
from opsmith.discover.discover import op_folders
from opsmith.discover.own_kernels import registrations
from opsmith.home import RUNTIMES
from opsmith.op.examples import example_graphs, example_problems
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Plan, planned
from opsmith.op.node import view
from opsmith.testing.known_ops import loaded
from tests.each import for_each

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "toolchain" / "manual"
OPS = list(op_folders([ROOT / "ops"]))
REWRITE = "run: .venv/bin/opsmith readme"
OF_EVERY_CORE = re.compile(r"plain|rv32|reference")  # modules of kernels without a backend
CODE = re.compile(r"\b(?:OPS|MDL|BRD|KRN|BLD|RIG|GPU)\d{3}\b")


@pytest.mark.slow
@for_each(*OPS, of=lambda folder: folder.name)
def test_an_op_folder_is_complete(folder: Path) -> None:
    kernels = [kernel for variant in loaded(folder).op.variants for kernel in variant.kernels]
    wanted = {"op.py", f"test_{folder.name}.py", *(p.name for p in folder.glob("test_*.py"))}
    wanted |= {kernel.source for kernel in kernels if not kernel.header}
    wanted |= own_modules(folder) | own_headers(folder)
    wanted |= {file.relative_to(folder).as_posix() for file in registrations(folder)}
    present = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted |= present & {each.header.removeprefix(f"ops/{folder.name}/") for each in kernels}
    assert present == wanted


def modules(folder: Path) -> list[Path]:
    """Python modules of an op folder, without its tests."""
    return [path for path in folder.rglob("*.py") if not path.name.startswith("test_")]


def own_modules(folder: Path) -> set[str]:
    """Modules of a folder that others in the folder import."""
    found = set()
    for path in modules(folder):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                place = path.parents[node.level - 1]
                base = place.joinpath(*(node.module or "").split("."))
                names = [base, *(base / name.name for name in node.names)]
                found |= {file for each in names for file in files_of(each)}
    return {file.relative_to(folder).as_posix() for file in found if file != folder}


def files_of(module: Path) -> list[Path]:
    """Files of the module or package of the given name, if any."""
    files = (module.with_suffix(".py"), module / "__init__.py")
    return [file for file in files if file.is_file()]


def own_headers(folder: Path) -> set[str]:
    """Headers of a folder that its kernels include."""
    files = [*folder.rglob("*.h"), *folder.rglob("*.cl")]
    texts = (path.read_text(encoding="utf-8") for path in files)
    pattern = re.compile(rf'"ops/{folder.name}/([\w/]+\.(?:h|cl))"')
    return {name for text in texts for name in pattern.findall(text)}


@pytest.mark.slow
def test_the_readme_counts_the_ops() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"\n{len(OPS)} ops, " in text


def test_generated_pages_are_current() -> None:
    for path, text in pages(ROOT).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: {REWRITE}"


@pytest.mark.slow
@for_each(*OPS, of=lambda folder: folder.name)
def test_the_examples_of_an_op_instantiate_and_cost_every_kernel(folder: Path) -> None:
    found = loaded(folder)
    assert not example_problems(found)
    ops, taken = OpIndex({found.op.name: found}, {}), set()
    for graph in example_graphs(found.op):
        (node,), op = graph.nodes, ops.of(graph, graph.nodes[0])
        use = view(graph, node, op)
        for kernel in (kernel for kernel in op.kernels if kernel.path not in taken):
            if isinstance(planned(use, kernel, frozenset(kernel.requires)), Plan):
                assert kernel.cost is None or kernel.cost(use) > 0, kernel.path
                taken.add(kernel.path)
    kernels = (kernel for variant in found.op.variants for kernel in variant.kernels)
    assert taken >= {kernel.path for kernel in kernels if not kernel.runtime}


@pytest.mark.slow
def test_no_shipped_op_overrides_another() -> None:
    said = [(folder.name, each) for folder in OPS for each in loaded(folder).op.legalize]
    assert not [name for name, rename in said if rename.overrides]


@pytest.mark.slow
@for_each(*OPS, of=lambda folder: folder.name)
def test_an_op_imports_only_what_it_may(folder: Path) -> None:
    doors = dict.fromkeys(modules(folder), r"(opsmith\.(op|ir)|runtimes)\b")
    doors[folder / f"test_{folder.name}.py"] = (
        r"(opsmith\.(op|ir|oracle|testing|tflite|pipeline)|runtimes\.families)\b"
    )
    for path, door in doors.items():
        for module in imported(path):
            if module.partition(".")[0] in ("opsmith", "ops", "boards", "runtimes", "tests"):
                assert re.match(door, module), f"{path} imports {module}"


def imported(file: Path) -> set[str]:
    """All modules that a file imports, at its top or within functions, but its neighbours."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


@pytest.mark.slow
def test_kernels_of_every_core_need_no_backend() -> None:
    found = {file: file.read_text(encoding="utf-8") for file in ROOT.glob("ops/*/*/*.py")}
    portable = {file: text for file, text in found.items() if OF_EVERY_CORE.match(file.stem)}
    assert len(portable) > 5
    backends = [each.parent.name for each in RUNTIMES.glob("*/runtime.toml")]
    named = re.compile(rf"runtimes\.({'|'.join(backends)})\b")
    assert not [file for file, text in portable.items() if named.search(text)]


@pytest.mark.slow
def test_the_toolchain_names_no_op_backend_or_architecture() -> None:
    names = {folder.name for folder in OPS if "_" in folder.name}
    for pattern in ("*/runtime.toml", "arch/*/arch.toml", "mcu/*/family.toml"):
        names |= {file.parent.name for file in (RUNTIMES).glob(pattern)}
    names |= {file.stem for file in (RUNTIMES).glob("arch/*/cores/*.toml")}
    names -= {"host", "reference"}  # builds for this machine, and C++ that needs no backend
    for path in (ROOT / "toolchain").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if any(name in text for name in names) else ():
            named = isinstance(node, ast.Constant) and node.value in names
            assert not named, f"{path}:{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


@pytest.mark.slow
def test_the_toolchain_imports_no_op_backend_or_board_by_a_text() -> None:
    imports = re.compile(r"""import_module\(\s*f?["'](ops|boards|tests|runtimes)\.\w""")
    for path in (ROOT / "toolchain").rglob("*.py"):
        found = imports.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path}: {found and found[0]}"


def codes(pattern: str) -> set[str]:
    """Error codes in the files that match a pattern."""
    texts = (path.read_text(encoding="utf-8") for path in ROOT.glob(pattern) if path.is_file())
    return {code for text in texts for code in CODE.findall(text)}


@pytest.mark.slow
def test_every_error_code_is_explained() -> None:
    used = codes("toolchain/**/*.py") | codes("SConstruct") | codes("bootstrap")
    used |= codes("runtimes/*/*.h") | codes("runtimes/**/*.py")
    documented = set(tomllib.loads((MANUAL / "error_codes.toml").read_text(encoding="utf-8")))
    assert used <= documented, f"undocumented: {sorted(used - documented)}"
    assert documented <= used, f"documented but unused: {sorted(documented - used)}"


def test_each_file_has_one_path() -> None:
    tops = (ROOT / top for top in ("toolchain", "ops", "runtimes", "boards", "tests"))
    assert not [path for top in tops for path in top.rglob("*") if path.is_symlink()]


def test_top_level_is_what_it_should_be() -> None:
    known = {"SConstruct", "toolchain", "ops", "runtimes", "boards", "tests", "pyproject.toml"}
    known |= {"README.md", "CHANGELOG.md", "LICENSE", "bootstrap", "build", "compile_commands.json"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    extra = {name for name in found - known if not name.endswith(".egg-info")}
    assert not extra
