"""Data of a custom layer: the content of an `OpenVINO GPU custom layer configuration`."""

from dataclasses import dataclass

from opsmith.ir import DType
from opsmith.ir.types import f32, i8, i32, i64, u8
from runtimes.gpu.openvino.formats import ANY

# Element types that such kernels know -> what OpenVINO calls them in OpenCL C.
TYPES = {i8: "char", u8: "uchar", i32: "int", i64: "long", f32: "float"}
BOUND = "OUTPUT0"  # the macros of the output begin with it, those of input n with INPUTn
RESERVED = frozenset(("arranged",))  # attributes that a layer's ops have themselves


@dataclass(frozen=True)
class LayerInput:
    """Input of the op: a tensor, or data of the layer."""

    name: str  # of the op's input
    dtype: DType = f32
    format: str = ANY  # the layout that the kernel gets it in
    macros: str = ""  # what those begin with that describe it: INPUT0


@dataclass(frozen=True)
class Define:
    """Macro of the kernel: a text, or the value of an attribute of the op."""

    name: str
    text: str = ""  # without an attribute
    attribute: str = ""
    array: bool = False  # written as OpenVINO does: (float[]) {…}


@dataclass(frozen=True)
class LayerOption:
    """Attribute of the op whose value a macro has."""

    name: str
    type: type  # int or float: of its elements where it is an array
    array: bool = False
    default: object = None
    source: str = ""  # the name of the model's option, where it is another


@dataclass(frozen=True)
class WorkSizes:
    """Index space as formulas of B, F, Y and X of one tensor."""

    items: tuple[str, ...] = ("B*F*Y*X",)
    group: tuple[str, ...] = ()
    of: int | None = None  # the input whose sizes these are; None: the output


@dataclass(frozen=True)
class CustomLayer:
    """Custom layer whose content is checked."""

    name: str  # of the operator in models
    files: tuple[str, ...]  # of the kernel, one after the other
    inputs: tuple[LayerInput, ...]
    output: DType = f32
    output_format: str = ANY
    defines: tuple[Define, ...] = ()
    options: tuple[LayerOption, ...] = ()
    work: WorkSizes = WorkSizes()
