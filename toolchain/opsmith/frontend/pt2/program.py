"""Program of an archive: inputs, constants and calls, whose arguments are checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.frontend.names import shown
from opsmith.frontend.pt2.archive import Archive, error, kind_of
from opsmith.ir import Array

FLOAT, INT8 = 7, 2  # torch's numbers for float32 and int8
MOST = 1 << 31  # size of an axis
_LISTS = ("as_ints", "as_floats", "as_bools", "as_strings")
_SINGLE = ("as_int", "as_float", "as_bool", "as_string", "as_scalar_type")
_IGNORED = ("as_memory_format", "as_layout", "as_device", "as_none")


class Name(str):
    """Name of a tensor, as opposed to an argument that is text."""

    __slots__ = ()


@dataclass(frozen=True)
class TorchCall:
    """A call of an operator, with its arguments by the names of torch's schema."""

    where: str  # its place, for messages
    target: str  # operator: aten.add.Tensor
    arguments: Mapping[str, Any]
    outputs: tuple[str, ...]
    claimed: str = ""  # source op, if an op folder claims it

    def get(self, name: str, default: Any) -> Any:
        """Value of an argument; `default` where it is absent or None."""
        found = self.arguments.get(name)
        return default if found is None else found

    def tensors(self) -> list[Name]:
        """Names of the tensors that the call reads."""
        values = self.arguments.values()
        each = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
        return [value for value in each if isinstance(value, Name)]


@dataclass(frozen=True)
class ExportedProgram:
    """Program of an archive: its inputs, calls, constants and outputs."""

    inputs: Mapping[str, tuple[int, ...]]
    integers: Mapping[str, str]  # element types of inputs other than float32
    outputs: tuple[str, ...]
    calls: tuple[TorchCall, ...]
    constants: Mapping[str, Array]
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # sizes that the file states
    kinds: Mapping[str, str] = field(default_factory=dict)  # names of element types, of all tensors


def program(archive: Archive) -> ExportedProgram:
    """Program of an archive, with its arguments checked. Raises codes MDL."""
    try:
        model, found = archive.program()
        return _program(archive, model, found["graph_module"])
    except (TypeError, ValueError, LookupError, AttributeError) as wrong:
        what = "a field of the program is missing, or of a wrong type"
        raise error("MDL001", what, archive.path) from wrong


def _program(archive: Archive, model: str, module: Mapping[str, Any]) -> ExportedProgram:
    graph, signature = module["graph"], module["signature"]
    _check_widths(archive, graph["tensor_values"])
    calls = tuple(_call(index, node) for index, node in enumerate(graph["nodes"]))
    named = {name for call in calls for name in call.tensors()}
    sizes = {name: _sizes(meta) for name, meta in graph["tensor_values"].items()}
    payloads = archive.payloads(model)
    inputs: dict[str, tuple[int, ...]] = {}
    constants: dict[str, Array] = {}
    for spec in signature["input_specs"]:
        kind, given = _only(spec)
        argument = given["arg"]
        if kind == "user_input":
            name = _only(argument)[1]["name"] if "as_tensor" in argument else None
            if name is None:
                raise error("MDL013", "an input of the program is no tensor", archive.path)
            inputs[name] = _input(archive, name, graph["tensor_values"][name], sizes[name])
        elif kind in ("parameter", "buffer", "tensor_constant"):
            key = given[f"{kind}_name"]
            if argument["name"] in named and key not in payloads:
                raise error("MDL006", f"'{shown(key)}' has no elements", archive.path)
            if argument["name"] in named:
                constants[argument["name"]] = archive.tensor(key, *payloads[key])
        else:
            raise error("MDL013", f"an input of the program is a {shown(kind)}", archive.path)
    outputs = []
    for spec in signature["output_specs"]:
        kind, given = _only(spec)
        if kind != "user_output" or "as_tensor" not in given["arg"]:
            what = f"it writes a {shown(kind)} besides its outputs: only tensors can be outputs"
            raise error("MDL013", what, archive.path, "export the model in eval(), without state")
        outputs.append(given["arg"]["as_tensor"]["name"])
    for text in (*inputs, *outputs):
        if not isinstance(text, str):
            raise TypeError(text)
    found = {name: size for name, size in sizes.items() if size is not None}
    integers = {n: "int8" for n in inputs if graph["tensor_values"][n]["dtype"] == INT8}
    kinds = {name: kind_of(meta["dtype"]) for name, meta in graph["tensor_values"].items()}
    return ExportedProgram(inputs, integers, tuple(outputs), calls, constants, found, kinds)


def _check_widths(archive: Archive, values: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise MDL012 where tensors are of float16 or bfloat16."""
    kinds = {name: kind_of(meta["dtype"]) for name, meta in values.items()}
    found = [name for name, kind in kinds.items() if kind in ("float16", "bfloat16")]
    if found:
        more = f" and {len(found) - 1} more are" if len(found) > 1 else " is"
        what = f"{kinds[found[0]]} is not supported: '{shown(found[0])}'{more} of it"
        fix = "export in float32: torch.export.export(MODEL.float(), INPUTS), INPUTS of float32"
        raise error("MDL012", what, archive.path, fix)


def _only(field_of: Mapping[str, Any]) -> tuple[str, Any]:
    """Key and value of a union in the JSON, which has a single member."""
    [(key, value)] = field_of.items()
    return key, value


def _sizes(meta: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Sizes of a tensor; None if a size is open."""
    sizes = [_only(each) for each in meta["sizes"]]
    if not all(kind == "as_int" for kind, _ in sizes):
        return None
    if not all(isinstance(size, int) and 0 <= size < MOST for _, size in sizes):
        raise ValueError(sizes)
    return tuple(size for _, size in sizes)


def _input(
    archive: Archive, name: str, meta: Mapping[str, Any], sizes: tuple[int, ...] | None
) -> tuple[int, ...]:
    if meta["dtype"] not in (FLOAT, INT8):
        fix = "export it with inputs of float32, or of int8 that dequantize_per_tensor reads"
        what = f"input '{shown(name)}' is of {kind_of(meta['dtype'])}, not of float32 or int8"
        raise error("MDL012", what, archive.path, fix)
    if not sizes or 0 in sizes:
        fix = "export with fixed sizes: without dynamic_shapes"
        raise error(
            "MDL003", f"input '{shown(name)}' has an open or empty shape", archive.path, fix
        )
    return sizes


def _call(index: int, node: Mapping[str, Any]) -> TorchCall:
    target = node["target"]
    kind = target.removeprefix("torch.ops.")
    where = f"operator {index} ({shown(kind)})"
    arguments = {}
    for given in node["inputs"]:
        arguments[given["name"]] = _argument(where, given["arg"])
    outputs: list[str] = []
    for each in node["outputs"]:
        key, value = _only(each)
        outputs += [v["name"] for v in (value if key == "as_tensors" else [value] if value else [])]
    if not all(isinstance(name, str) for name in (*outputs, *arguments)):
        raise TypeError(outputs)
    return TorchCall(where, kind, arguments, tuple(outputs))


def _argument(where: str, given: Mapping[str, Any]) -> Any:
    kind, value = _only(given)
    if kind in _IGNORED:
        return None
    if kind in _SINGLE:
        if kind == "as_float" and isinstance(value, str):
            return float(value)
        if not isinstance(value, int | float | str):
            raise TypeError(value)
        return value
    if kind in _LISTS:
        if not all(isinstance(each, int | float | str) for each in value):
            raise TypeError(value)
        return list(value)
    if kind == "as_tensor":
        return _name(value)
    if kind == "as_tensors":
        return tuple(_name(each) for each in value)
    if kind in ("as_sym_int", "as_sym_ints"):
        numbers = [_only(each) for each in (value if kind == "as_sym_ints" else [value])]
        if all(key == "as_int" and isinstance(number, int) for key, number in numbers):
            found = [number for _, number in numbers]
            return found if kind == "as_sym_ints" else found[0]
    what, fix = f"it has an argument of kind {shown(kind)}", "export with fixed sizes"
    raise ToolchainError.of("MDL013", what, where=where, fix=fix)


def _name(value: Mapping[str, Any]) -> Name:
    if not isinstance(value["name"], str):
        raise TypeError(value)
    return Name(value["name"])
