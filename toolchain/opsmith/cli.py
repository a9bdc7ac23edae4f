"""`opsmith COMMAND …`, also `python -m opsmith COMMAND …`. Commands are imported when used."""

import gc
import importlib
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from opsmith.errors import ToolchainError, did_you_mean, printable
from opsmith.guard import guarded, leave

# command -> module with main(arguments) -> exit status, and a description
USER_COMMANDS = {
    "Start": {
        "doctor": ("opsmith.rig.doctor", "say what this machine lacks, and what mends it"),
        "completion": ("opsmith.completion", "make a shell complete commands, boards, models, ops"),
        "init": ("opsmith.commands.init", "write a project with an op, a board and an application"),
        "new-board": ("opsmith.commands.new_board", "write a board from its MCU's number"),
        "new-ci": ("opsmith.commands.new_ci", "write what GitHub, GitLab or Docker builds by"),
        "new-op": ("opsmith.commands.new_op", "write the folder of a new op"),
    },
    "Build (firmware is built by scons: see scons -h)": {
        "show": ("opsmith.commands.show", "describe a model: what it takes, and where it fits"),
        "plan": ("opsmith.commands.plan", "say what of a model fills RAM, and what lowers that"),
        "check": ("opsmith.commands.check", "find what is wrong with op folders"),
        "where": ("opsmith.commands.where", "print the folder of a firmware, built or not"),
        "matrix": ("opsmith.matrix.command", "build and run many firmwares, and compare them"),
        "verify": ("opsmith.commands.verify", "say which record a firmware.elf has, and check it"),
        "verify-build": (
            "opsmith.rig.verify_build",
            "build a firmware again elsewhere, and compare",
        ),
        "export": ("opsmith.commands.export", "lay out a package as another tool wants it"),
        "index": ("opsmith.commands.index", "write Conan recipes of ops and runtimes"),
    },
    "Look (each takes a build folder; scons targets of most of these names build it)": {
        "run": ("opsmith.rig.run", "run a firmware on its rig and compare with LiteRT"),
        "compare": (
            "opsmith.rig.compare",
            "say what grew between two builds, and which kernels changed",
        ),
        "upload": ("opsmith.rig.upload", "flash a firmware"),
        "debug": ("opsmith.rig.debug", "run GDB on a firmware, at main()"),
        "record": (
            "opsmith.commands.record",
            "write a firmware's provenance, bills of materials and notices",
        ),
        "report": ("opsmith.rig.page", "write report.html, one page about a firmware"),
    },
    "Measure (scons builds what these need: scons board=… model=… profile)": {
        "crosscheck": ("opsmith.rig.crosscheck", "compare a model node by node"),
        "profile": ("opsmith.rig.profile", "say what each node of a firmware takes"),
        "tune": ("opsmith.rig.tune", "measure every kernel that a node could have"),
    },
    "Boards": {
        "catalog": ("opsmith.scons.catalog", "list boards, or ops with their types and kernels"),
        "identify": ("opsmith.rig.identify", "say which firmware a board runs"),
        "rig": ("opsmith.rig.scan", "write a hardware map of the boards that are attached"),
    },
}
STEPS = {
    "bind": ("opsmith.commands.bind", "write the C++ contract of one op"),
    "board-setup": ("opsmith.board.setup_header", "write the setup of a board's MCU as C++"),
    "candidates": ("opsmith.commands.candidates", "count the kernels that a node could have"),
    "console": ("opsmith.rig.console", "show what an application of one's own says"),
    "copy-uf2": ("opsmith.rig.copy_uf2", "copy a UF2 file to a bootloader's volume"),
    "convert": ("opsmith.commands.convert", "compile a model to C++ for one board"),
    "install-packages": (
        "opsmith.commands.install_packages",
        "install the packages that ops require",
    ),
    "library": ("opsmith.commands.library", "write the package of a model, for other builds"),
    "library-report": ("opsmith.commands.library_report", "write report.json of a package"),
    "link": ("opsmith.commands.link", "link a firmware, check its budgets and publish it"),
    "linker-script": ("opsmith.board.linker", "write a board's linker script"),
    "monitor": ("opsmith.rig.monitor", "show what a board says at its serial port"),
    "package": ("opsmith.commands.package", "make the Conan package of a model"),
    "prepare": ("opsmith.prepare.command", "make the .tflite that is compiled of another model"),
    "readme": ("opsmith.commands.readme", "write the generated pages of a checkout"),
    "reset": ("opsmith.rig.reset", "start again what a board has"),
    "resolve": ("opsmith.commands.resolve", "list the ops that a model uses"),
}
_BUILDS = ("build", "compile", "scons")  # words with which users look for the build
_MODELS = (".tflite", ".onnx")
SHOWN = {name: of for group in USER_COMMANDS.values() for name, of in group.items()}
COMMANDS = SHOWN | STEPS


def main(arguments: list[str]) -> int:
    """Run one command; returns its exit status, 2 after an error: see guard.py."""
    return guarded(lambda: _run(arguments))


def entry() -> None:
    """Run the console script `opsmith` and exit with its status."""
    gc.set_threshold(50_000, 20, 50)  # graphs are no cycles: a fifth of `convert` was the search
    leave(main(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        groups = {title: _texts(group) for title, group in USER_COMMANDS.items()}
        groups["Start"] |= _of_runtimes().brought()
        print("usage: opsmith COMMAND [-h] …")
        _print_groups(groups)
        print("\nSteps of builds, which scons runs: opsmith steps")
        return 0
    if arguments[0] == "steps":
        print("usage: opsmith STEP [-h] …    (scons verbose=1 … prints the steps of a build)")
        _print_groups({"Steps of builds": _texts(STEPS)})
        return 0
    if arguments[0] == "--version":
        from importlib.metadata import version  # slow to import

        print(f"opsmith {version('opsmith')}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        others = _of_runtimes()
        if name in others.brought():
            status: int = others.run(name, rest)
            return status
        raise _unknown(name, rest, [*SHOWN, *others.brought(), "steps"])
    command: Callable[[list[str]], int] = importlib.import_module(COMMANDS[name][0]).main
    return command(rest)


def _unknown(name: str, rest: list[str], shown: list[str]) -> ToolchainError:
    """Error for a word that is no command that help shows; the word may be a build or a model."""
    near = did_you_mean(name, [*shown, *_BUILDS])
    what, fix = f"unknown command '{name}'{near}", "see opsmith -h"
    build = name in _BUILDS or "=" in name
    if build or (near and near == did_you_mean(name, _BUILDS)):
        importlib.import_module("opsmith.commands.where").require_sconstruct(Path.cwd())
        given = shlex.join(printable(word) for word in (name, *rest) if "=" in word)
        what, fix = "firmware is built by scons", f"scons {given or 'board=… model=…'}"
    elif name.endswith(_MODELS):
        fix = f"describe the model: opsmith show {printable(name)}"
    return ToolchainError.of("BLD001", what, where="command line", fix=fix)


def _texts(commands: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    return {name: text for name, (_, text) in commands.items()}


def _print_groups(groups: Mapping[str, Mapping[str, str]]) -> None:
    """Print each group of commands under its title, with all descriptions in one column."""
    width = max(len(name) for commands in groups.values() for name in commands)
    for title, commands in groups.items():
        print(f"\n{title}:")
        print("\n".join(f"  {name:{width}} {text}" for name, text in commands.items()))


def _of_runtimes() -> ModuleType:
    """Module with commands of runtimes, imported late since it takes longer than most."""
    return importlib.import_module("opsmith.commands.of_runtimes")
