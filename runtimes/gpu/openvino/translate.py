"""Translation of a layer as its file describes it to an op's layer: inputs, attributes, macros."""

from collections.abc import Iterator

from opsmith.ir import DType
from opsmith.scaffold.names import plain_name
from runtimes.gpu.openvino.buffers import DATA, OUTPUT
from runtimes.gpu.openvino.formats import ANY
from runtimes.gpu.openvino.layer import RESERVED, CustomLayer, Define, LayerInput, LayerOption
from runtimes.gpu.openvino.read import Described

Types = tuple[DType, ...]  # of the inputs, in their order, and of the output


def layer_of(described: Described, types: Types) -> CustomLayer:
    """Layer with the data that its op needs."""
    options = _options(described)
    names = {each.source or each.name: each.name for each in options}
    defines = (
        Define(each.name, each.text, names.get(each.option, ""), each.array)
        for each in described.macros
    )
    return CustomLayer(
        described.name,
        tuple(name for name, _ in described.files),
        tuple(_inputs(described, types)),
        types[-1],
        next(each.format for each in described.arguments if each.port == OUTPUT),
        tuple(defines),
        options,
        described.work,
    )


def input_count(described: Described) -> int:
    """Number of inputs of the op: up to the last bound port, and one for each Data."""
    return _ports(described) + len(_data(described))


def given(described: Described, layer: CustomLayer) -> list[str]:
    """Arguments of the kernel's call, in OpenCL C."""
    ports, names = _ports(described), [each.name for each in layer.inputs]
    of_data = dict(zip(_data(described), names[ports:], strict=True))
    place = {OUTPUT: "out.y"} | {port: f"in.{name}" for port, name in enumerate(names[:ports])}
    found = (
        f"in.{of_data[each.data]}" if each.data else place[each.port]
        for each in described.arguments
    )
    return [f"(__global void*){each}" for each in found]


def _ports(described: Described) -> int:
    return max((each.port for each in described.arguments if each.is_tensor), default=-1) + 1


def _data(described: Described) -> list[str]:
    return [each.data for each in described.arguments if each.port == DATA]


def _inputs(described: Described, types: Types) -> Iterator[LayerInput]:
    formats = {each.port: each.format for each in described.arguments if each.is_tensor}
    ports = _ports(described)
    names = ["x"] if ports == 1 else [f"x{port}" for port in range(ports)]
    taken = {"m", "x", "y", *(each.name for each in described.macros)}
    for name in _data(described):
        names.append(plain_name(name, (*taken, *names), "data"))
    for number, (name, dtype) in enumerate(zip(names, types, strict=False)):
        yield LayerInput(name, dtype, formats.get(number, ANY), f"INPUT{number}")


def _options(described: Described) -> tuple[LayerOption, ...]:
    found: dict[str, LayerOption] = {}
    for each in described.macros:
        if each.option and each.option not in found:
            taken = (*(option.name for option in found.values()), *RESERVED)
            name = plain_name(each.option, taken, "option")
            source = each.option if each.option != name else ""
            found[each.option] = LayerOption(name, each.type, each.array, each.default, source)
    return tuple(found.values())
