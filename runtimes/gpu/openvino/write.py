"""Files of a custom layer's op folder: op.py, the unchanged kernel, gpu.cl and a test."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from opsmith.ir import DType
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal
from runtimes.gpu.openvino.layer import CustomLayer, Define, LayerInput, LayerOption, WorkSizes
from runtimes.gpu.openvino.operation import usual_value
from runtimes.gpu.openvino.read import Described
from runtimes.gpu.openvino.translate import given

_CLASSES = (Define, CustomLayer, LayerOption, LayerInput, WorkSizes)
_KERNEL = """\
// {layer} on the GPU: calls the kernel of {files}, which {are} as imported.
void gpu(const Params p, const In in, const Out out) {{
  {entry}(
      {given});
}}
"""
_OP = '''\
"""{layer}: a custom layer of OpenVINO's GPU plugin, imported from {origin}."""

from runtimes.gpu.openvino.layer import {classes}
from runtimes.gpu.openvino.operation import custom_layer
from opsmith.op import {types}

{remarks}{value}

# Shapes of a node to check and to test with, channels last; that of y is a guess.
{example}

# Further arguments: infer=, where y has another shape than the model stores; evaluate=; options of
# the model to ignore=; cpu=, a Kernel("reference", …) for builds without a GPU.
OP = custom_layer("{name}", LAYER, EXAMPLE)
'''
_PERMISSION = "# {}: allows results that are less exact, and nothing makes use of it.\n"
_TEST = '''\
"""{layer}: its kernel reads and writes its tensors alone, on a simulated device."""

from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.writer import ModelWriter


def build(m: ModelWriter) -> None:
    """A node with tensors of the example's shapes."""
{tensors}
{node}
    m.output(y)


class Test{test}(OpTests):
    oracle = "none"  # "numpy" once op.py has an evaluate=, which says what is right
    cases = (Case("example", build),)
'''


@dataclass(frozen=True)
class Folder:
    """Op folder to be written."""

    name: str
    described: Described
    layer: CustomLayer
    shape: tuple[int, ...]  # of every tensor of the example

    def files(self, origin: str) -> Mapping[str, str]:
        """Texts of the folder's files. `origin` names the file of the layer."""
        return {
            **dict(self.described.files),
            "gpu.cl": self._kernel(),
            "op.py": self._op(origin),
            f"test_{self.name}.py": self._test(),
        }

    @property
    def _types(self) -> dict[str, DType]:
        """Element type of each tensor, y last."""
        return {each.name: each.dtype for each in self.layer.inputs} | {"y": self.layer.output}

    def _kernel(self) -> str:
        return _KERNEL.format(
            layer=self.layer.name,
            files=" and ".join(self.layer.files),
            are="is" if len(self.layer.files) == 1 else "are",
            entry=self.described.entry,
            given=",\n      ".join(given(self.described, self.layer)),
        )

    def _op(self, origin: str) -> str:
        value = "\n".join(layout(_tree(self.layer, "LAYER = ")))
        shapes = [f"{literal(name)}: {literal(self.shape)}" for name in self._types]
        used = [each.__name__ for each in _CLASSES if f"{each.__name__}(" in value]
        return _OP.format(
            layer=self.layer.name,
            origin=origin,
            classes=", ".join(used),
            types=", ".join(sorted({dtype.short for dtype in self._types.values()})),
            remarks="".join(map(_PERMISSION.format, self.described.permissions)),
            value=value,
            example="\n".join(layout(Group("EXAMPLE = {", shapes, "}"))),
            name=self.name,
        )

    def _test(self) -> str:
        shape, layer = literal(self.shape), self.layer
        tensors = [
            f"    {name} = m.{_maker(name)}({literal(name)}, {shape}, {literal(dtype.name)})"
            for name, dtype in self._types.items()
        ]
        inputs = ", ".join(each.name for each in layer.inputs)
        node = ['"CUSTOM"', f"[{inputs}]", "[y]", f'custom="{layer.name}"']
        options = {each.source or each.name: _in_model(each) for each in layer.options}
        node += [f"custom_options={literal(options)}"] if options else []
        return _TEST.format(
            layer=layer.name,
            tensors="\n".join(tensors),
            node="\n".join(layout(Group("m.node(", node), 4)),
            test=class_name(self.name),
        )


def _tree(value: Any, head: str) -> Group:
    """Python of a layer's dataclass, with element types, but no other fields at their default."""
    items: list[Group | str] = []
    for field in fields(value):
        found = getattr(value, field.name)
        start = f"{field.name}="
        if isinstance(found, DType | type):
            items.append(f"{start}{found.short if isinstance(found, DType) else found.__name__}")
        elif found == field.default:
            continue
        elif isinstance(found, WorkSizes):
            items.append(_tree(found, start))
        elif isinstance(found, tuple) and isinstance(found[0], LayerInput | Define | LayerOption):
            items.append(Group(f"{start}(", [_tree(each, "") for each in found]))
        else:
            items.append(f"{start}{literal(found)}")
    return Group(f"{head}{type(value).__name__}(", items)


def _maker(name: str) -> str:
    return "tensor" if name == "y" else "input"


def _in_model(option: LayerOption) -> Any:
    """Value of an option as a model stores it."""
    value = usual_value(option)
    return list(value) if isinstance(value, tuple) else value
