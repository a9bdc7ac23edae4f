"""`import-layer`: turns a custom layer of OpenVINO's GPU plugin into an op folder."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.discover.discover import discover
from opsmith.errors import Problem, ToolchainError, printable, raise_all
from opsmith.home import HOME
from opsmith.op.index import OpIndex
from opsmith.scaffold.names import op_name_problem, plain_name
from opsmith.scaffold.write import write_all
from runtimes.gpu.openvino.layer import TYPES, CustomLayer
from runtimes.gpu.openvino.operation import example_problem
from runtimes.gpu.openvino.read import Described, read_layers
from runtimes.gpu.openvino.translate import Types, input_count, layer_of
from runtimes.gpu.openvino.write import Folder

ROOT = HOME
COMMAND = "opsmith import-layer"
# Shapes for examples: the first that fits the work sizes is used.
SHAPES = ((1, 4, 3, 8), (1, 4, 4, 8), (1, 16, 16, 16), (1, 32, 32, 32), (1, 64, 64, 64), (1, 2))
_BY_NAME = {dtype.short: dtype for dtype in TYPES}


def main(arguments: list[str]) -> int:
    """Write the op folders and say what to do next; returns 0. Raises OPS03x, OPS08x."""
    options = _parser().parse_args(arguments)
    layers = read_layers(options.layer)
    known = discover(options.ops or [ROOT / "ops"])
    beside = discover([options.into] if options.into.is_dir() else [])
    folders = _folders(layers, options, known, beside)
    write_all({each.name: each.files(_shown(options.layer)) for each in folders}, options.into)
    for each in folders:
        print(_told(each, options.into))
    print(f"next: opsmith check {options.into}")
    print(f"      scons ops/{folders[0].name}/test ops={options.into}    runs its test on Oclgrind")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=COMMAND, description=__doc__, allow_abbrev=False)
    parser.add_argument("layer", type=Path, metavar="LAYER.xml", help="one or more CustomLayer")
    parser.add_argument(
        "--into", type=Path, default=Path("ops"), metavar="DIR", help="default: ops"
    )
    parser.add_argument("--name", help="of the op and its folder, of one layer")
    parser.add_argument(
        "--types",
        nargs="+",
        choices=[*_BY_NAME],
        default=["f32"],
        metavar="TYPE",
        help=f"of all tensors, or of each input and y: {', '.join(_BY_NAME)}; default: f32",
    )
    parser.add_argument("--ops", nargs="+", type=Path, metavar="DIR", help="ops that exist")
    return parser


def _folders(
    layers: Sequence[Described], options: argparse.Namespace, known: OpIndex, beside: OpIndex
) -> list[Folder]:
    """Op folders to write for the layers. Raises OPS030, OPS031, OPS034 and OPS082 together."""
    where = str(options.layer)
    problems: list[Problem] = []
    folders: list[Folder] = []
    if options.name and len(layers) > 1:
        what, fix = f"there are {len(layers)} layers", "leave out --name"
        raise ToolchainError.of("OPS030", what, where=where, fix=fix)
    for each in layers:
        taken = [*known.by_name, *(folder.name for folder in folders)]
        claimed = {f"tflite.CUSTOM.{folder.described.name}" for folder in folders}
        claimed |= {*known.by_source, *beside.by_source}
        name = options.name or plain_name(each.name, taken)
        if wrong := op_name_problem(name) or ("an op has this name" if name in taken else ""):
            problems.append(Problem("OPS030", wrong, where, "name it by --name, in lower case"))
        if f"tflite.CUSTOM.{each.name}" in claimed:
            what, fix = f"an op claims CUSTOM {each.name} already", "keep one of the two"
            problems.append(Problem("OPS034", what, where, fix))
        if (options.into / name).exists():
            what, fix = (
                f"there is something called '{name}' already",
                "move it away, or give --name",
            )
            problems.append(Problem("OPS031", what, str(options.into / name), fix))
        types, wrong = _types(each, options.types)
        if wrong:
            problems.append(Problem("BLD001", wrong, "command line", f"see {COMMAND} -h"))
            continue
        layer = layer_of(each, types)
        shape, wrong = _shape(layer)
        if wrong:
            fix = "correct global= and local=: local sizes divide global ones"
            problems.append(Problem("OPS082", f"WorkSizes fit no example: {wrong}", where, fix))
        folders.append(Folder(name, each, layer, shape))
    raise_all(problems)
    return folders


def _types(layer: Described, names: Sequence[str]) -> tuple[Types, str]:
    """Element types of inputs and output, or the problem of the names."""
    wanted = input_count(layer) + 1
    if len(names) not in (1, wanted):
        what = f"--types has {len(names)} types, and {layer.name} {wanted - 1} inputs and an output"
        return (), what
    types = tuple(_BY_NAME[name] for name in names)
    return (types if len(types) == wanted else types * wanted), ""


def _shape(layer: CustomLayer) -> tuple[tuple[int, ...], str]:
    """Shape that fits the layer's work sizes, or the reason why none does."""
    found = [(shape, example_problem(layer, shape)) for shape in SHAPES]
    return next((each for each in found if not each[1]), found[0])


def _shown(origin: Path) -> str:
    """Name of a file for use in a docstring: printable ASCII on one line."""
    text = printable(origin.name).encode("ascii", "replace").decode()
    return "".join("?" if character in '\\"' else character for character in text)[:60]


def _told(folder: Folder, into: Path) -> str:
    files = ", ".join(sorted(folder.files("")))
    types = ", ".join(f"{each.name} {each.dtype.short}" for each in folder.layer.inputs)
    notes = [f"{types}, y {folder.layer.output.short}: other types by --types"]
    notes += [
        f"{option} allows results that are less exact; nothing makes use of it"
        for option in folder.described.permissions
    ]
    notes.append("y has the shape that the model stores, in the example that of x: see op.py")
    lines = [f"{into / folder.name}: CUSTOM {folder.described.name}: {files}"]
    return "\n".join([*lines, *(f"  note: {note}" for note in notes)])
