"""Stage 6: compiles C++ into objects, all of them under build/."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.setup_header import NAME as SETUP
from opsmith.build_options import BuildOptions
from opsmith.home import PACKAGE
from opsmith.scons.compiler import (
    COLD,
    KERNEL_OPT,
    SOURCES,
    Compiler,
    board_compiler,
    dependencies,
    folder_map,
    kernel_compiler,
)
from opsmith.scons.convert import KERNELS, ConvertedFiles, machinery, target_files
from opsmith.scons.environment import board_options, make, node, opsmith, option, with_headers
from opsmith.scons.folders import object_stem
from opsmith.scons.listed import Listed
from opsmith.scons.step import StepAction, Word
from opsmith.scons.target import Target
from opsmith.scons.unit import Unit

BOARD = PACKAGE / "board"  # code that writes the header of a board's setup
PUSH = {"rows": "push_row", "frames": "push_frame"}  # function that feeds a streamed model


@dataclass(frozen=True)
class Objects:
    """Objects of a firmware; the model's objects also belong to the library."""

    model: Sequence[Unit]
    kernels: Listed  # kernels of the model
    rest: Sequence[Unit]

    @property
    def known(self) -> list[Any]:
        """Files to link besides kernels; those for a partly flashed board come first."""
        return [unit.object for unit in [*self.rest, *self.model]]


@dataclass(frozen=True)
class Maker:
    """Maker of the objects of translation units that are compiled alike."""

    env: Any  # environment with include paths
    compiler: Compiler
    toolchain: Any  # values that identify programs and libraries
    shared: bool  # True if builds of several models share the objects
    needs: tuple[Any, ...] = ()  # files that every compilation requires

    def object(
        self,
        source: Path,
        made: Path,
        flags: Sequence[str],
        fresh: str = "",
        also: Sequence[Path] = (),
    ) -> Unit:
        """Declare the object `made`; `also` are further files that the compiler writes."""
        command = self.compiler.compile(source, made, flags)
        says = f"{'AS' if source.suffix == '.S' else 'CC'} {source.name}"
        launcher = self.compiler.launcher.calls if also else self.compiler.launcher.plain
        step = StepAction([[*launcher, *command]], says, fresh=fresh, rules=dependencies(made))
        inputs = [node(self.env, source), self.toolchain, *self.needs]
        node_made, *others = make(self.env, [made, *also], step, inputs, shared=self.shared)
        return Unit(source, command, node_made, tuple(others))

    def measured(self, source: Path, made: Path, flags: Sequence[str]) -> Unit:
        """Declare an object, and the compiler's file about the stack of its functions."""
        if not self.compiler.is_recent:
            return self.object(source, made, flags)
        calls = made.with_suffix(".ci")
        return self.object(source, made, [*flags, "-fcallgraph-info=su"], also=[calls])

    def cold(self, source: Path, where: Path) -> Unit:
        """Declare the object, below a folder, of a source whose code runs seldom."""
        return self.object(source, where / f"{object_stem(source)}.o", [COLD])


def maker(
    env: Any,
    target: Target,
    compiler: Compiler,
    *,
    shared: bool = False,
    needs: Sequence[Any] = (),
) -> Maker:
    """Maker of objects with a given compiler."""
    toolchain = env.Value(f"{target.toolchain.compiler} {target.toolchain.sha256}")
    return Maker(with_headers(env, compiler.includes), compiler, toolchain, shared, tuple(needs))


def compile_firmware(
    env: Any,
    settings: BuildOptions,
    target: Target,
    emitted: ConvertedFiles,
    bindings: Sequence[Path],
) -> Objects:
    """Declare the objects of the model, of the application and of the board."""
    model = model_compiler(settings, target, emitted, bindings)
    defines, last = _defines(settings, emitted), target.board.includes
    needs = emitted.packages.files if emitted.packages else ()
    app = maker(env, target, model.with_(defines=defines, last=last), needs=needs)
    board = _board_maker(env, settings, target)
    where = emitted.folder / "obj"
    sources = sorted(
        path for each in SOURCES for path in settings.app_folder.glob(each) if path.is_file()
    )
    rest = [app.cold(source, where) for source in sources]
    if any(source.suffix == ".c" for source in sources):  # C cannot call model.cc itself
        for each in (each.c_source for each in emitted.models if each.c_source in emitted.files):
            made = where / "+for_c" / f"{Path(each).stem}.o"  # no source of an application has a +
            rest.append(app.object(emitted.folder / each, made, [COLD]))
    # One set of board objects serves all models.
    rest += [board.cold(source, target.folder / ".board") for source in target.board.sources]
    models = maker(env, target, model, needs=needs)
    units = _model_units(models, settings, emitted)
    return Objects(units, _kernels(models, settings, emitted), rest)


def _board_maker(env: Any, settings: BuildOptions, target: Target) -> Maker:
    """Maker of the board's objects, which read the generated setup of its MCU, if it has one."""
    compiler, needs = board_compiler(settings, target), []
    if target.board.setup:
        folder = target.folder / ".board"
        needs = _board_setup(env, settings, target, folder / SETUP)
        compiler = compiler.with_(first=[folder])
    return maker(env, target, compiler, shared=True, needs=needs)


def _board_setup(env: Any, settings: BuildOptions, target: Target, header: Path) -> list[Any]:
    """Declare the header with the setup of the board's MCU, which all models share."""
    command = opsmith("board-setup", *board_options(settings, target), option("out", header))
    inputs = [*target_files(target), *machinery(env), *sorted(BOARD.glob("*.py"))]
    return make(env, [header], StepAction([command], f"GENERATE {SETUP}"), inputs, shared=True)


def model_compiler(
    settings: BuildOptions, target: Target, emitted: ConvertedFiles, bindings: Sequence[Path]
) -> Compiler:
    """Compiler for the generated program."""
    maps = folder_map(settings, emitted.folder)
    files = emitted.packages.compiling if emitted.packages else []
    kernels = kernel_compiler(settings, target, bindings)
    return kernels.with_(first=[emitted.folder], maps=maps, files=files)


def _model_units(maker: Maker, settings: BuildOptions, emitted: ConvertedFiles) -> list[Unit]:
    best, kernels = KERNEL_OPT[settings.opt], maker.compiler.kernel_flags(settings.opt)
    plain = [] if settings.debug else ["-g0"]
    flags = {name: [best, *plain] for name in emitted.sequences}
    flags["weights.cc"] = [COLD, *plain]
    where = emitted.folder
    units = {
        name: maker.measured(where / name, where / "obj" / f"{Path(name).stem}.o", words)
        for name, words in flags.items()
    }
    # included by .incbin, which SCons's scanner does not see
    maker.env.Depends(units["weights.cc"].object, emitted["weights.bin"])
    for name in (each for each in emitted.carried if each.endswith(".cc")):
        made = where / "obj" / "+emitted" / f"{name}.o"  # no source of an application has a +
        units[name] = maker.measured(where / name, made, [*kernels, *plain])
        maker.env.Depends(units[name].object, [*emitted.data, *emitted.checks])
    return list(units.values())


def _kernels(maker: Maker, settings: BuildOptions, emitted: ConvertedFiles) -> Listed:
    flags = maker.compiler.kernel_flags(settings.opt) + ([] if settings.debug else ["-g0"])

    def declare(source: Path) -> Unit:
        return maker.measured(source, emitted.folder / "obj" / f"{source.stem}.o", flags)

    return Listed(emitted.folder / KERNELS, emitted[KERNELS], declare)


def archive_kernels(maker_env: Any, compiler: Compiler, folder: Path, kernels: Listed) -> Any:
    """Declare the archive of the kernels' objects, whose name does not depend on its content."""
    archive = folder / "obj" / "kernels.a"
    pack: list[Word] = [compiler.program("ar"), "rcsD", str(archive), kernels.objects]
    step = StepAction([["rm", "-f", str(archive)], pack], f"AR {archive.name}")
    return make(maker_env, [archive], step, [kernels.after], scanner=kernels)[0]


def compile_check(maker: Maker, check: Path, fresh: str) -> Any:
    """Declare the object of a file that instantiates every kernel of an op; returns it."""
    flags = maker.compiler.kernel_flags("balanced")
    return maker.object(check, check.with_suffix(".o"), flags, fresh).object


def _defines(settings: BuildOptions, emitted: ConvertedFiles) -> list[str]:
    """Macros that tell an application which model it has, and how that model runs."""
    found = [f"OPSMITH_MODEL={settings.name}"] if len(settings.models) == 1 else []
    found += ["OPSMITH_STEPWISE"] if emitted.stepwise else []
    found += ["OPSMITH_MARK"] if emitted.stepwise and settings.meter else []
    found += ["OPSMITH_ARENA"] if settings.arena == "caller" else []
    found += ["OPSMITH_GUARDS"] if settings.guards else []
    return [*found, f"OPSMITH_PUSH={PUSH[emitted.stream]}"] if emitted.stream in PUSH else found
