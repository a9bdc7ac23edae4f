"""Compiler, top to bottom: from a model file to a program for one configuration."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from opsmith.board.describe import ArenaRule
from opsmith.board.device import Device
from opsmith.build_options import BuildOptions
from opsmith.emit.pack_weights import pack_weights
from opsmith.errors import ToolchainError, raise_all
from opsmith.frontend.find import read_model
from opsmith.frontend.model import Model
from opsmith.ir import Graph, Numerics
from opsmith.ir.flow import STRAIGHT
from opsmith.ir.program import Program
from opsmith.ir.verify import verify
from opsmith.legalize.decompose import decompose
from opsmith.legalize.departures import departures
from opsmith.legalize.input_shapes import with_input_shapes
from opsmith.legalize.legalize import legalize
from opsmith.legalize.numerics import not_reproduced, with_numerics
from opsmith.legalize.stored_sizes import assumed_sizes, other_outputs
from opsmith.op.fold import Room
from opsmith.op.index import Claimed, OpIndex
from opsmith.schedule.order_nodes import order_nodes
from opsmith.schedule.plan_memory import plan_memory
from opsmith.schedule.ram_trade import UNLIMITED as ANY_RAM
from opsmith.schedule.ram_trade import RamBudget, smallest, within
from opsmith.schedule.stream_rows import frame_stream, row_streams
from opsmith.select.check_preferences import preference_problems, unmet_problems
from opsmith.select.check_sides import affinity_problems, required_problems
from opsmith.select.choice import NO_PREFERENCES, Preferences, choose_once
from opsmith.select.declared_figures import DeclaredFigures
from opsmith.select.flash_budget import NOTHING, UNLIMITED, FlashBudget
from opsmith.select.fuse_launches import fuse_launches
from opsmith.select.place import place
from opsmith.select.select_kernels import select_kernels
from opsmith.select.spend_flash import spend_flash
from opsmith.transform.add_outputs import add_outputs
from opsmith.transform.by_blocks import by_blocks
from opsmith.transform.channel_ranges import KnownRanges
from opsmith.transform.fold_affine import fold_affine
from opsmith.transform.fold_blocks import fold_blocks
from opsmith.transform.fold_borders import fold_borders
from opsmith.transform.fold_constants import fold_constants
from opsmith.transform.fuse_activation import fuse_activation
from opsmith.transform.line_parts import line_parts
from opsmith.transform.match_subgraphs import match_subgraphs
from opsmith.transform.merge_duplicates import merge_duplicates
from opsmith.transform.merge_permutations import merge_permutations
from opsmith.transform.orient_lines import orient_lines
from opsmith.transform.read_variables import read_variables
from opsmith.transform.remove_channels import remove_channels
from opsmith.transform.remove_dead_nodes import remove_dead_nodes
from opsmith.transform.remove_identities import remove_identities
from opsmith.transform.sink_permutations import sink_permutations
from opsmith.transform.tabulate import tabulate, writes_bytes

PAGE = 4096  # bytes
Watch = Callable[[str, Graph], None]


def unseen(step: str, graph: Graph) -> None:
    """Ignore a step of the compiler, for callers that do not watch graphs."""


@dataclass(frozen=True)
class Reading:
    """Options with which a model file is read."""

    platforms: tuple[Path, ...] = ()  # folders with additional front ends
    input_shape: tuple[str, ...] = ()  # shapes for inputs of any size, each NAME:1x49x10x1
    signature: str = ""  # name of the subgraph to read; "": the first
    numerics: str = ""  # rule for its elements; else that of the model, or of the reference


AS_STORED = Reading()


@dataclass(frozen=True)
class Configuration:
    """Configuration of a program: everything that the program depends on besides its model."""

    features: frozenset[str] = frozenset()  # features of core and runtime
    options: BuildOptions = BuildOptions()  # noqa: RUF009 frozen
    arena: tuple[ArenaRule, ...] = ()  # rules for tensors that go elsewhere than into `memory`
    memory: str = "ram"
    preferences: Preferences = NO_PREFERENCES  # the user's preferences for kernels
    flash: FlashBudget = UNLIMITED  # flash that may be spent on speed, unless opt is 'size'
    ram: RamBudget = ANY_RAM  # RAM that the model may use
    device: Device | None = None  # of the runtime; nodes run on it or on the processor
    search: bool = True  # search for the smallest memory plan, in place of the greedy plan


def read(path: Path, name: str, ops: OpIndex, reading: Reading = AS_STORED) -> tuple[Model, Graph]:
    """Model of a file and its graph in op names, which are alike for all targets."""
    return legal(as_stored(path, name, reading, ops.by_source), path, ops, reading)


def as_stored(path: Path, name: str, reading: Reading, claimed: Claimed | None = None) -> Model:
    """Model of a file with the operators that the file has; op folders read those `claimed`."""
    shapes = reading.input_shape
    return read_model(path, name, reading.platforms, reading.signature, shapes, claimed)


def legal(model: Model, path: Path, ops: OpIndex, reading: Reading) -> tuple[Model, Graph]:
    """Model of a file with shapes and numerics fixed, and its graph in op names."""
    if not model.problems:
        verify(model.graph, "read")
    left = [each for each in reading.input_shape if each not in model.shaped]
    inputs = with_input_shapes(model.graph, model.open_axes, left, str(path))
    rule = rule_of(model, reading, str(path))
    by_file_alone = not (reading.signature or reading.input_shape)
    graph = legalize(
        inputs.graph,
        ops,
        str(path),
        dynamic=model.dynamic,
        problems=(*model.problems, *inputs.problems),
        unknown=model.unknown,
        scaffolds=path.suffix.lower() in (".tflite", ".onnx") and by_file_alone,
        rule=rule,
    )
    # formats with a rule of their own have it for integers only
    others = [*not_reproduced(graph, rule, ops, floats=not model.numerics), *model.departures]
    others += [] if model.numerics else departures(graph, ops)  # formats with a rule have their own
    others += [] if model.dynamic else other_outputs(inputs.graph, graph)
    assumed = (*model.assumed, *inputs.assumed, *assumed_sizes(graph), *others)
    return replace(model, assumed=assumed), verify(with_numerics(graph, rule, ops), "legal")


def rule_of(model: Model, reading: Reading, where: str) -> Numerics:
    """Rule of numerics that the front end or the user specifies. Raises MDL036 if they differ."""
    fixed, asked = model.numerics, reading.numerics
    if fixed and asked and fixed != asked:
        what = f"the model says numerics={fixed}, and the build numerics={asked}"
        raise ToolchainError.of("MDL036", what, where=where, fix="leave numerics= out")
    return Numerics(fixed or asked or Numerics.REFERENCE)


def compile_graph(
    graph: Graph, ops: OpIndex, configuration: Configuration, where: str, watch: Watch = unseen
) -> Program:
    """Program of a legal graph. `watch` sees the graph after every step."""
    done = partial(_done, watch)
    options = configuration.options
    graph = done("add_outputs", add_outputs(graph, options.outputs, where), "legal")
    graph = rewritten(graph, ops, configuration, watch)
    features, preferences = configuration.features, configuration.preferences
    raise_all(preference_problems(graph, ops, features, preferences))
    chosen = select_kernels(graph, ops, features, preferences)
    raise_all(unmet_problems(chosen, preferences))
    graph = done("select_kernels", chosen, "chosen")
    device = configuration.device
    if device is not None:  # the order of nodes affects where they run
        raise_all(affinity_problems(graph, configuration.preferences, device))
        graph = done("order_nodes", order_nodes(graph, ops), "chosen")
        graph = done("place", _placed(graph, ops, configuration), "chosen")
        if options.stream == "0":  # row by row, nodes are as they are now
            fused = fuse_launches(graph, ops, device, configuration.features)
            graph = done("fuse_launches", fused, "chosen")
    graph = done("spend_flash", spend_flash(graph, ops, _budget(configuration)), "chosen")
    if device is None:
        graph = done("order_nodes", order_nodes(graph, ops), "chosen")
    graph = done("plan_memory", _planned(graph, ops, configuration, where), "planned")
    program = pack_weights(graph if device is None else _at_pages(graph), ops)
    if device is not None and options.require_gpu:
        running = (step.node for step in program.steps if not step.in_place)
        raise_all(required_problems(running, device))
    return replace(program, guards=options.guards, reentrant=options.arena == "caller")


def _done(watch: Watch, step: str, graph: Graph, stage: str) -> Graph:
    """Graph after a step, verified."""
    watch(step, graph)
    return verify(graph, stage)


def rewritten(
    graph: Graph, ops: OpIndex, configuration: Configuration, watch: Watch = unseen
) -> Graph:
    """Legal graph after every rewrite that does not depend on chosen kernels."""
    done = partial(_done, watch)
    options = configuration.options
    features, preferences = configuration.features, configuration.preferences
    budget = _budget(configuration) if graph.flow == STRAIGHT else NOTHING  # of all blocks
    figures = DeclaredFigures(ops, features, preferences, budget)
    streams, cost, room = options.stream != "0", figures.cost, Room(graph)
    by_cost = configuration.device is None or streams  # processor only
    # prefer= names kernels of the nodes that the model has, and opt=size pays no flash for speed
    saves = by_cost and options.opt != "size" and not preferences.prefer

    def of_block(graph: Graph) -> Graph:
        """Rewritten form of a whole graph, or of one block of a graph with control flow."""
        known = KnownRanges()
        graph = done("match_subgraphs", match_subgraphs(graph, ops), "legal")
        decomposed = decompose(graph, ops, features, cost=cost if saves else None)
        graph = done("decompose", decomposed, "legal")
        graph = done("fold_constants", fold_constants(graph, ops, room), "legal")
        graph = done("sink_permutations", sink_permutations(graph, ops), "legal")
        graph = done("merge_permutations", merge_permutations(graph, ops), "legal")
        if by_cost:
            oriented = orient_lines(graph, ops, cost, streams=streams)
            graph = done("orient_lines", oriented, "legal")
        graph = done("remove_identities", remove_identities(graph, ops, known), "legal")
        graph = done("merge_duplicates", merge_duplicates(graph, ops), "legal")
        if by_cost:
            folded = fold_blocks(graph, ops, cost, streams=streams)
            graph = done("fold_blocks", folded, "legal")
        graph = done("fold_borders", fold_borders(graph, ops), "legal")
        folded = fold_affine(graph, ops, exactly=not options.fold_floats)
        graph = done("fold_affine", folded, "legal")
        graph = done("fuse_activation", fuse_activation(graph, ops), "legal")
        if by_cost and not preferences.prefer:
            graph = done("tabulate", tabulate(graph, ops, figures), "legal")
        if configuration.device is None:  # devices read channels in fours and sixteens
            graph = done("remove_channels", remove_channels(graph, ops, known), "legal")
        graph = done("fold_constants", fold_constants(graph, ops, room), "legal")
        graph = done("remove_dead_nodes", remove_dead_nodes(graph), "legal")
        return done("read_variables", read_variables(graph, ops), "legal")

    return verify(by_blocks(graph, of_block), "legal")


def _at_pages(graph: Graph) -> Graph:
    """Graph whose arenas are aligned to pages, so that a device can map them."""
    assert graph.plan is not None
    return replace(graph, plan=replace(graph.plan, alignment=PAGE))


def _placed(graph: Graph, ops: OpIndex, configuration: Configuration) -> Graph:
    """Graph with each node placed on the host or the device, where the runtime has a device."""
    if configuration.device is None:
        return graph
    require, unit = configuration.options.require_gpu, configuration.preferences.unit
    return place(graph, ops, configuration.device, require=require, unit=unit)


def _budget(configuration: Configuration) -> FlashBudget:
    flash = configuration.flash
    if configuration.options.opt != "size":
        return flash
    return replace(NOTHING, room=flash.most, swelling=flash.swelling)


def _planned(graph: Graph, ops: OpIndex, configuration: Configuration, where: str) -> Graph:
    """Graph with a memory plan. Images are streamed by rows where `stream=` asks for that, where it
    makes the plan smaller, or where RAM is short.
    """
    options, ram = configuration.options, configuration.ram
    memory, arena = configuration.memory, configuration.arena

    def planned(graph: Graph, *, search: bool = True) -> Graph:
        search = search and configuration.search
        return plan_memory(graph, ops, memory, arena, guards=options.guards, search=search)

    choose, preferences = choose_once(), configuration.preferences
    if options.stream == "0":  # `tune` measures nodes of whole tensors
        preferences = replace(preferences, measured={})

    def chosen(graph: Graph) -> Graph:
        chosen = select_kernels(graph, ops, configuration.features, preferences, choose)
        return spend_flash(_placed(chosen, ops, configuration), ops, _budget(configuration))

    match options.stream:
        case "rows":
            streams = [chosen(each) for each in row_streams(graph, ops, where)]
            return smallest(streams, planned, ops)
        case "frames":
            return planned(chosen(frame_stream(graph, ops, where)))
    return within(graph, ops, ram, chosen, planned, where)


def used_ops(model: Model, graph: Graph, ops: OpIndex) -> list[str]:
    """Names of all ops that compiling a model may use in any configuration, sorted."""
    used = {node.op for node in graph.nodes}
    for node in model.graph.nodes:
        used |= {claim.found.name for claim in ops.by_source[node.op]}
    matched = by_blocks(graph, lambda block: match_subgraphs(block, ops))
    parts: set[str] = set()
    graphs = (graph,) if matched is graph else (graph, matched)
    decomposed = (decompose(each, ops, None, parts.add) for each in graphs)
    for rewritten in (matched, *decomposed):
        used |= {node.op for node in rewritten.nodes}
        if ops.shaping is not None and line_parts(rewritten, ops):
            used.add(ops.shaping)
        if ops.looking_up is not None and writes_bytes(rewritten, ops):
            used.add(ops.looking_up)
    used |= parts & ops.by_name.keys()
    while more := _named(used, ops) - used:
        used |= more
    return sorted(used)


def _named(used: set[str], ops: OpIndex) -> set[str]:
    """Ops that compute rows of the used ops one by one, and ops that may replace used ops."""
    rows = {other for name in used for other in ops.by_name[name].claims.row_ops}
    return rows | {name for name, found in ops.by_name.items() if found.claims.root in used}
