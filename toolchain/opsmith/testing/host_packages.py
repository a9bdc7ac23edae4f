"""The packages that ops require, installed for this machine: for tests without SCons."""

from collections.abc import Iterable
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.errors import raise_all
from opsmith.home import HOME
from opsmith.op.describe import Op
from opsmith.package.install import Installation, install
from opsmith.package.installed import COMPILE, LINK
from opsmith.package.requirements import unavailable, wanted
from opsmith.scons.folders import BUILD
from opsmith.scons.identity import identify
from opsmith.scons.installed_packages import conan_home
from opsmith.testing.checkout import ROOT
from opsmith.writing import replace_files


def host_packages(ops: Iterable[Op], conan: str, out: Path) -> tuple[list[str], list[str]]:
    """Arguments for the compiler, and for the linker, of this machine that add the packages of
    these ops; `conan` is as in builds. Raises BLD080 to BLD082, BLD086 and BLD087.
    """
    required = wanted(ops)
    if not required:
        return [], []
    if not conan:
        raise_all(unavailable(required))
    board = load_board("host", [HOME / "boards"])
    architecture = board.core.architecture
    compiler = identify(architecture, ROOT / BUILD / f".toolchain-{architecture.name}.json")
    sources = tuple(conan.split(","))
    installation = Installation(required, sources, board, compiler.major, None)
    replace_files(out, install(installation, ROOT / conan_home(compiler), out))
    return [f"@{out / COMPILE}"], [f"@{out / LINK}"]
