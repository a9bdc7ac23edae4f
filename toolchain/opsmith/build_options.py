"""Options of a build. To add an option, add a field: everything else follows from its declaration.

`scons NAME=VALUE` reads it, `scons -h` and manual/options.md explain it, `opsmith convert` takes it
as a flag where the field says `converts=True`, and the name of the folder of products tells builds
apart that differ in it where the field says how (`naming=`; in the order of the fields).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from opsmith.applications import APPS, by_application, is_shipped_app
from opsmith.home import shipped
from opsmith.installed import installed_backends, installed_ops
from opsmith.keywords import identifier, package_name
from opsmith.numerics import Numerics
from opsmith.option import by_both, by_hash, by_name, by_names, by_value, option
from opsmith.prepare_options import PrepareOptions
from opsmith.run_options import RunOptions

RUNNER = "runner"
_CACHE = " ([how](build.md#a-shared-cache))"
_LAUNCHER = " ([of what](build.md#a-shared-cache))"
_EDITS = " ([how](build.md#edits-by-ninja))"


@dataclass(frozen=True)
class BuildOptions(PrepareOptions, RunOptions):
    """Options of a build. Paths are as given, relative to the SConstruct's folder."""

    board: str = option("the board: a folder of `boards/` or an alias; `scons boards` lists them")
    model: str = option(
        "the model, a `.tflite` file; several, separated by commas, are one firmware",
        given="FILE,…",
        more=" ([together](model.md#several-models))",
    )
    runtime: str = option(
        "the runtime, which decides what kernels there are; default: that of the board",
        more=" ([runtimes/](../../runtimes/README.md))",
    )
    ops: tuple[str, ...] = option(
        "more folders of op folders, separated by commas; installed packages bring theirs",
        (),
        given="DIR,…",
        manifest="op.py",
        naming=by_hash,
        place=True,
    )
    backends: tuple[str, ...] = option(
        "more folders of backends, separated by commas; installed packages bring theirs",
        (),
        more=" ([runtimes/](../../runtimes/README.md#backends))",
        given="DIR,…",
        manifest="runtime.toml",
        naming=by_hash,
        place=True,
    )
    boards: tuple[str, ...] = option(
        "more folders of boards, separated by commas", (), given="DIR,…", manifest="board.toml"
    )
    platforms: tuple[str, ...] = option(
        "more folders of architectures, MCU families, flashers, places and front ends",
        (),
        given="DIR,…",
        more=", separated by commas ([runtimes/](../../runtimes/README.md))",
        naming=by_hash,
        place=True,
    )
    signature: str = option(
        "the signature of the function that is built; default: the first function",
        given="NAME",
        naming=by_both,
        converts=True,
        reads=True,
    )
    input_shape: tuple[str, ...] = option(
        "shapes of inputs of any size, like x:1x49x10x1, separated by commas",
        (),
        given="NAME:SHAPE,…",
        more="; a batch of any size is 1",
        naming=by_hash,
        converts=True,
        reads=True,
    )
    numerics: str = option(
        "whose bytes: LiteRT's reference, a notebook's, TFLM's",
        more=" ([rules](numerics.md)); default: the model's, or reference",
        choices=tuple(Numerics),
        naming=by_value,
        converts=True,
        reads=True,
    )
    opt: str = option(
        "what kernels are optimised for",
        "balanced",
        choices=("speed", "balanced", "size"),
        naming=by_value,
        converts=True,
    )
    app: str = option(
        "bench, mlperf, mlperf_energy, or a folder of `main.cc` or `.c`",
        RUNNER,
        shown="runner",
        naming=by_application,
    )
    stream: str = option(
        "input comes row by row (1 is the same as rows)",
        "0",
        more="; [how](model.md#row-by-row)",
        choices=("0", "1", "rows", "frames"),
        aliases={"1": "rows"},
        naming=by_value,
        converts=True,
    )
    arena: str = option(
        "who owns the arena, the memory of the tensors",
        "own",
        choices=("own", "shared", "caller"),
        naming=by_both,
        converts=True,
        more=" ([of several models](model.md#several-models), "
        "[the caller](model.md#an-arena-of-the-caller))",
    )
    debug: bool = option("debug information of the model's code; it slows compiling down", True)
    guards: bool = option(
        "a debug build that finds kernels which write out of bounds",
        False,
        more="; `run` and `crosscheck` name the kernel ([rig/](../opsmith/rig/README.md))",
        naming=by_name,
        converts=True,
    )
    fold_floats: bool = option(
        "lets rewrites change the last bits of float outputs",
        False,
        more=": factors and addends of channels go into float convolutions "
        "([toolchain/](../README.md))",
        naming=by_name,
        converts=True,
    )
    libraries: tuple[tuple[str, str], ...] = option(
        "installed libraries by the prefix of each, whose functions become kernels",
        (),
        given="NAME=PREFIX,…",
        more=", like `cmsis_nn=/opt/cmsis-nn` ([runtimes/](../../runtimes/README.md#libraries))",
        fix="give NAME=PREFIX, like cmsis_nn=/opt/cmsis-nn, separated by commas, each NAME once",
        naming=by_names,
        place=True,
    )
    conan: tuple[str, ...] = option(
        "where packages come from that ops require: folders of Conan recipes, or remotes",
        (),
        given="DIR,…",
        more=", by their `https://` addresses "
        "([runtimes/](../../runtimes/README.md#a-library-that-an-op-requires))",
        naming=by_hash,
        place=True,
    )
    prefer: str = option(
        "kernels that are taken where they fit, whatever they cost, like reference",
        given="NAME",
        more=" ([runtimes/](../../runtimes/README.md#which-kernel-a-node-gets))",
        naming=by_both,
        converts=True,
    )
    require_gpu: bool = option(
        "every node must run on the runtime's device, or the build ends",
        False,
        more=" ([runtimes/](../../runtimes/README.md#a-device))",
        naming=by_name,
        converts=True,
    )
    affinity: tuple[str, ...] = option(
        "which side nodes run on, like *:gpu,softmax:cpu; the last pattern that fits counts",
        (),
        given="NODE:SIDE,…",
        more=" ([runtimes/](../../runtimes/README.md#a-device))",
        naming=by_hash,
        converts=True,
    )
    flash_budget: int | None = option(
        "bytes of flash that the firmware may take; they buy faster kernels",
        None,
        given="BYTES",
        more="; default: the board's flash for `opt=speed`, the constants of the model file and "
        "16 KB for `balanced`; `size` buys little, and looks for the smallest "
        "([toolchain/](../README.md))",
        fix="give a number of bytes, like 65536 or 64K",
        naming=by_both,
        converts=True,
    )
    ram_budget: int | None = option(
        "bytes of RAM that each model may take: arenas, and what nodes keep",
        None,
        given="BYTES",
        more="; default: what the board has. Where tensors do not fit whole, or with `opt=size`, "
        "nodes run [row by row](model.md#in-less-ram)",
        fix="give a number of bytes, like 65536 or 64K",
        naming=by_both,
        converts=True,
    )
    outputs: tuple[str, ...] = option(
        "inner tensors to make outputs as well, separated by commas",
        (),
        given="NAME,…",
        naming=by_hash,
        converts=True,
    )
    tune: str = option(
        "the file that `tune` writes and builds read; default: `MODEL.tune.toml`",
        given="FILE",
        naming=by_hash,
        place=True,
        converts=True,
    )
    dump: str = option(
        "folder to write the graph to after every step, as text",
        given="DIR",
        converts=True,
        unsigned=True,
    )
    version: str = option(
        "the version of the packages that `library` and `package` make",
        "0.0.0",
        given="VERSION",
        fix="give small letters, digits and . + - _, at least two, like 1.0",
        form=r"[a-z0-9_][a-z0-9_+.-]{1,99}",
    )
    cache: str = option(
        "folder of products that builds share",
        given="DIR",
        more=_CACHE,
    )
    cache_readonly: bool = option("takes products from `cache=` and stores none there", False)
    launcher: str = option(
        "the compiler cache or farm in front of compilers",
        choices=("ccache", "distcc", "icecc", "sccache"),
        more=_LAUNCHER,
    )
    ninja: bool = option("writes `build.ninja`, too, for edits", False, more=_EDITS)
    verbose: bool = option("shows the commands, ready to paste into a shell", False)

    @cached_property
    def op_roots(self) -> tuple[str, ...]:
        """Folders with op folders: the built-in one, installed packages' and those of `ops=`."""
        return (str(shipped("ops")), *map(str, installed_ops()), *self.ops)

    @cached_property
    def backend_roots(self) -> tuple[str, ...]:
        """Folders with backends: the built-in one, installed packages' and those of `backends=`."""
        return (str(shipped("runtimes")), *map(str, installed_backends()), *self.backends)

    @property
    def board_roots(self) -> tuple[str, ...]:
        """Folders with board folders: the built-in one, then those of `boards=`."""
        return (str(shipped("boards")), *self.boards)

    @property
    def app_folder(self) -> Path:
        """Folder of the application: a shipped one, or the path that the user gave."""
        return shipped(f"{APPS}/{self.app}") if is_shipped_app(self.app) else Path(self.app)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Files of all models. The name of a file may contain commas, too."""
        alone = not self.model or os.path.isfile(self.model)
        return (self.model,) if alone else tuple(self.model.split(","))

    @property
    def each(self) -> tuple[BuildOptions, ...]:
        """Options for each model by itself, in the order of `model=`."""
        return tuple(replace(self, model=model) for model in self.models)

    @property
    def tune_file(self) -> Path:
        """File that `tune` writes: by default beside the model, with suffix `.tune.toml`."""
        return Path(self.tune) if self.tune else Path(self.model).with_suffix(".tune.toml")

    @property
    def has_tuning(self) -> bool:
        """True if a file of measurements exists for this model."""
        return os.path.isfile(self.tune_file)  # also False for names that are too long

    @property
    def name(self) -> str:
        """Name of the model as a C++ identifier, which is its namespace."""
        return identifier(Path(self.model).stem)

    @property
    def package(self) -> str:
        """Name of the package that `library` makes: the names of the models, joined."""
        return package_name([each.name for each in self.each])
