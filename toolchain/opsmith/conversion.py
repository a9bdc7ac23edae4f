"""Conversion of model files to programs for a board and a runtime, and facts about the programs.

`pipeline.py` compiles a graph for a configuration; here is which configuration a user's options,
board, runtime and measurements make.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from opsmith.board.device import Device, device_on
from opsmith.board.manifest import Board
from opsmith.board.runtime import SHIPPED, Runtime, check_devices, idle_runtime, list_runtimes
from opsmith.build_options import BuildOptions
from opsmith.emit.facts import ModelFacts
from opsmith.emit.place_constants import flashed_elsewhere
from opsmith.emit.stepwise import stepwise
from opsmith.errors import ToolchainError, raise_all
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.ir.rename import without_id
from opsmith.op.index import OpIndex
from opsmith.op.macs import total_macs
from opsmith.pipeline import Configuration, Reading, Watch, compile_graph, read, unseen
from opsmith.schedule.ram_trade import UNLIMITED as ANY_RAM
from opsmith.schedule.ram_trade import RamBudget, ram
from opsmith.select.check_sides import device_problems
from opsmith.select.choice import Preferences
from opsmith.select.estimated_flash import code_bytes, flash_bytes
from opsmith.select.flash_budget import SWELLING, UNLIMITED, FlashBudget, balanced_budget
from opsmith.select.kernel_sources import edited_problems, source_digests
from opsmith.select.tuning import Tuning, read_tuning

RAM = Configuration.memory
DATA = 2560  # bytes of RAM beside arenas and stack: the console's and the application's


@dataclass(frozen=True)
class Conversion:
    """Target for which models are compiled, with the user's options, and the ops to be used."""

    options: BuildOptions
    board: Board
    runtime: Runtime
    ops: OpIndex
    backends: Sequence[Path] = ()  # folders with additional backends
    platforms: Sequence[Path] = ()
    libraries: Mapping[str, str] = field(default_factory=dict)  # name -> revision
    candidate: int | None = None  # number of the kernel that each node gets, for measurements
    stepwise: bool = False  # each call of invoke() runs one node

    @property
    def reading(self) -> Reading:
        """Options of reading model files."""
        options = self.options
        return Reading(
            tuple(self.platforms), options.input_shape, options.signature, options.numerics
        )

    @property
    def features(self) -> frozenset[str]:
        """Features of the core and the runtime."""
        return self.runtime.features(self.board.core.features, self.libraries)

    @property
    def device(self) -> Device | None:
        """Device of the runtime with the board's figures; None without a device. Raises BRD002."""
        return device_of(self.runtime, self.board, self.backends)

    def configuration(self, graph: Graph, tuning: Tuning | None = None) -> Configuration:
        """Configuration for a legal graph. Raises problems with options of devices."""
        options, device = self.options, self.device
        raise_all(device_problems(device, options.affinity, require=options.require_gpu))
        rules = () if options.arena == "caller" else self.board.arena  # one arena
        return Configuration(
            self.features,
            options,
            rules,
            preferences=self._preferences(tuning),
            flash=UNLIMITED if self.candidate is not None else self._flash(graph),
            ram=self._ram(),
            device=device,
        )

    def tuning(self, sha256: str) -> Tuning | None:
        """Measurements of the model with this SHA-256 on this target, if there are any."""
        target = f"{self.board.name}-{self.runtime.name}-{self.options.opt}"
        found = read_tuning(Path(self.options.tune), sha256) if self.options.tune else {}
        tuning = found.get(target)
        if tuning is not None and not self.options.prefer:
            ops = self.ops.by_name.values()
            raise_all(edited_problems(tuning, ops, self.features, self.options.tune))
        return tuning

    def _preferences(self, tuning: Tuning | None) -> Preferences:
        measured, unit = (tuning.nodes, tuning.unit) if tuning is not None else ({}, "")
        sides = (entry.rpartition(":") for entry in self.options.affinity)
        affinity = tuple((pattern, side) for pattern, _, side in sides)
        return Preferences(self.options.prefer, measured, unit, self.candidate, affinity)

    def _flash(self, graph: Graph) -> FlashBudget:
        return flash_budget(self.options.flash_budget, self.options.opt, self.board, graph)

    def _ram(self) -> RamBudget:
        """RAM budget for rows of tensors; unlimited where nodes are measured or examined singly."""
        if self.stepwise or self.candidate is not None or self.options.guards:
            return ANY_RAM
        return ram_budget(self.options, self.board, rows=self.device is None)


@dataclass(frozen=True)
class Converted:
    """A model as a program, with facts about its conversion."""

    program: Program
    facts: ModelFacts


def convert(conversion: Conversion, path: Path, name: str, watch: Watch = unseen) -> Converted:
    """The model of a file as a program called `name`. `watch` sees the graph after every step."""
    options, ops, board = conversion.options, conversion.ops, conversion.board
    model, graph = read(path, name, ops, conversion.reading)
    if emitter := conversion.runtime.emitter:  # its name is the namespace of its code
        graph = without_id(graph, emitter.backend)
    tuning = conversion.tuning(model.sha256)
    configuration = conversion.configuration(graph, tuning)
    watch("legalize", graph)
    measures = conversion.candidate is not None
    shipped = replace(conversion, candidate=None).configuration(graph) if measures else None
    program = program_of(graph, ops, configuration, str(path), watch, shipped)
    program = stepwise(program) if conversion.stepwise else program
    if (stream := program.graph.stream) is not None and stream.taken:
        tuning = None  # tuning measured nodes of whole tensors
    flash = configuration.flash
    facts = ModelFacts(
        model=path.name,
        sha256=model.sha256,
        subgraphs=model.subgraphs,
        signature=options.signature,
        numerics=options.numerics,
        input_shape=options.input_shape,
        assumed=(*model.assumed, *filter(None, [idle_runtime(conversion.runtime, board.core)])),
        board=board.name,
        runtime=conversion.runtime.name,
        opt=options.opt,
        prefer=options.prefer,
        tune=None if tuning is None else {"file": Path(options.tune).name, "unit": tuning.unit},
        flash_budget={"bytes": flash.bytes, "spent": flash.buys and options.opt != "size"},
        ram_budget={"bytes": configuration.ram.bytes, "asked": configuration.ram.asked},
        estimated_code_bytes=code_bytes(program.graph, ops, flash.swelling),
        libraries=conversion.libraries,
        model_macs=total_macs(graph, ops),
        asked_outputs=options.outputs,
        kernel_sources=(
            source_digests(ops.by_name.values(), configuration.features) if measures else None
        ),
    )
    return Converted(program, facts)


def program_of(
    graph: Graph,
    ops: OpIndex,
    configuration: Configuration,
    where: str,
    watch: Watch,
    shipped: Configuration | None = None,
) -> Program:
    """Program of a legal graph. With opt=size, rewriting and purchases are those of opt=balanced
    where less is estimated to exceed the limits of flash and RAM with them, or where flash and RAM
    together are smaller; where kernels are measured, as in the program of the configuration
    `shipped`. Raises problems that both have.
    """
    size = shipped or configuration
    if size.options.opt != "size":
        return compile_graph(graph, ops, configuration, where, watch)
    plain = replace(size.flash, swelling=SWELLING["balanced"])
    balanced = replace(size, options=replace(size.options, opt="balanced"), flash=plain)
    found: list[tuple[Configuration, Program, list[tuple[str, Graph]]]] = []
    refused: list[ToolchainError] = []
    for each in (size, balanced):
        try:
            found.append((each, *_watched(graph, ops, each, where)))
        except ToolchainError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    form, program, steps = min(found, key=lambda each: _size(each[1], ops, size))
    if shipped is not None:
        alike = replace(configuration, options=form.options)
        return compile_graph(graph, ops, alike, where, watch)
    for step, made in steps:
        watch(step, made)
    return program


def _size(program: Program, ops: OpIndex, configuration: Configuration) -> tuple[int, int]:
    """Estimated bytes beyond the limits of flash and RAM, and bytes of both."""
    flash, budget = configuration.flash, configuration.ram
    code = flash_bytes(program.graph, ops, flash.swelling)
    limited = (code, flash.most), (ram(program.graph, ops, budget.memory), budget.bytes)
    beyond = sum(max(taken - most, 0) for taken, most in limited if most is not None)
    return beyond, code + ram(program.graph, ops)


def _watched(
    graph: Graph, ops: OpIndex, configuration: Configuration, where: str
) -> tuple[Program, list[tuple[str, Graph]]]:
    """Program of a legal graph, and the graph after every step."""
    steps: list[tuple[str, Graph]] = []
    program = compile_graph(graph, ops, configuration, where, lambda *step: steps.append(step))
    return program, steps


def device_of(runtime: Runtime, board: Board, backends: Sequence[Path]) -> Device | None:
    """Device of a runtime with the board's figures; None without a device. Raises BRD002, and
    BRD020 for what no runtime uses.
    """
    known = list_runtimes(SHIPPED, *backends)
    found = device_on(runtime.device, board.device_times, known, str(board.folder / "board.toml"))
    check_devices(board, SHIPPED, *backends)
    return found


def flash_budget(asked: int | None, opt: str, board: Board, graph: Graph) -> FlashBudget:
    """Flash budget that the user asked for, or the default that `opt` implies.

    With opt=speed the default is the board's flash, otherwise the model file's constants and an
    allowance.
    """
    whole = board.memory["flash"].size if "flash" in board.memory else None
    elsewhere = flashed_elsewhere(board, graph)
    if asked is None and opt != "speed":
        room = None if whole is None else whole + elsewhere
        return replace(balanced_budget(graph), room=room, swelling=SWELLING[opt])
    size = whole if asked is None else asked
    return FlashBudget(size, elsewhere=elsewhere, swelling=SWELLING[opt])


def ram_budget(options: BuildOptions, board: Board, *, rows: bool) -> RamBudget:
    """RAM budget that the user asked for, or the board's RAM without its stack and data."""
    least = options.opt == "size"
    if options.ram_budget is not None:
        return RamBudget(options.ram_budget, asked=True, least=least, rows=rows)
    if (home := board.memory.get(RAM)) is None:
        return RamBudget(least=least, rows=rows)
    room = max(home.size - board.stack_bytes - DATA, 0)
    return RamBudget(room, RAM, least=least, rows=rows)
