"""Oracle: LiteRT's interpreter with its reference kernels, one thread, no delegate."""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from opsmith.errors import Problem, ToolchainError, did_you_mean, printable, raise_all
from opsmith.home import GET_PACKAGES
from opsmith.oracle.litert_versions import with_older_operator

Array = npt.NDArray[Any]
COMPLEX = np.dtype(np.complex64)


@dataclass(frozen=True)
class Subgraph:
    """A subgraph of a model, with the numbers of its inputs and outputs."""

    number: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Detail:
    """Properties of a tensor in LiteRT, with scale and zero point if quantised per tensor."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    scale: float | None
    zero_point: int | None


class Reference:
    """A model loaded into LiteRT's reference interpreter.

    `outputs` names inner tensors; they follow the model's own outputs, each once, in the order
    given; a name that is an output already is not repeated. `optimised` takes LiteRT's other
    kernels, for ops that have no reference kernel, and `default` the kernels of
    `Interpreter(model)`, including XNNPACK's, which hide the tensors between their nodes.
    `subgraph` is another than the main one. `shapes` are those of all inputs, where the model
    leaves them open.
    """

    def __init__(
        self,
        model: Path | bytes,
        outputs: Sequence[str] = (),
        optimised: bool = False,
        *,
        default: bool = False,
        subgraph: Subgraph | None = None,
        shapes: Sequence[tuple[int, ...]] = (),
    ) -> None:
        self._where = "the model's bytes" if isinstance(model, bytes) else str(model)
        content = model if isinstance(model, bytes) else _read(model)
        kernels = "default" if default else "optimised" if optimised else "reference"
        self._interpreter = _made(content, self._where, kernels)
        wrapper = self._interpreter._interpreter
        of = subgraph or Subgraph(0, wrapper.InputIndices(), wrapper.OutputIndices())
        self._subgraph = of.number
        self._input_indices = [int(index) for index in of.inputs]
        self._output_indices = [int(index) for index in of.outputs]
        self._allocate(shapes)
        own = {_name(wrapper, index, of.number) for index in self._output_indices}
        self._output_indices += self._inner(outputs, own)
        try:
            self.inputs, self.outputs = (
                tuple(_detail(wrapper, index, of.number) for index in indices)
                for indices in (self._input_indices, self._output_indices)
            )
        except ValueError as failure:
            raise _refused("LiteRT cannot load the model", failure, self._where) from failure

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Values of `outputs` for the given inputs, in order; each is a copy."""
        self._check(inputs)
        wrapper = self._interpreter._interpreter
        for index, value in zip(self._input_indices, inputs, strict=True):
            wrapper.SetTensor(index, self._stored(index, value), self._subgraph)
        try:
            with quiet():
                wrapper.Invoke(self._subgraph)
        except (RuntimeError, ValueError) as failure:
            raise _refused("LiteRT cannot run the model", failure, self._where) from failure
        return [self.tensor(index) for index in self._output_indices]

    def tensor(self, index: int) -> Array:
        """Value of the file's tensor of a number after a run; complex ones are pairs of floats."""
        found = np.asarray(self._interpreter.get_tensor(index, self._subgraph))
        return found if found.dtype != COMPLEX else found[..., np.newaxis].view(np.float32)

    def without_delegate(self) -> set[int]:
        """Numbers of the main subgraph's tensors on which an output depends and that nodes outside
        of every delegate write.
        """
        wrapper = self._interpreter._interpreter
        nodes = range(wrapper.NumNodes())
        delegates = [each for each in nodes if wrapper.NodeName(each) == "DELEGATE"]
        # a delegate's node comes after the nodes that it replaces
        order = [*(each for each in nodes if each not in delegates), *delegates]
        writer = {int(y): each for each in order for y in wrapper.NodeOutputs(each)}
        asked, seen, found = [*self._output_indices], set[int](), set[int]()
        while asked:
            if (tensor := asked.pop()) in seen or tensor not in writer:
                continue
            seen.add(tensor)
            found |= set() if writer[tensor] in delegates else {tensor}
            asked += [int(x) for x in wrapper.NodeInputs(writer[tensor])]
        return found

    def _stored(self, index: int, value: Array) -> Array:
        """Value in the form that LiteRT takes: pairs of floats become complex numbers."""
        found = np.asarray(value, order="C")
        return found.view(COMPLEX)[..., 0] if self._is_complex(index) else found

    def _is_complex(self, index: int) -> bool:
        kind = self._interpreter._interpreter.TensorType(index, self._subgraph)
        return bool(np.dtype(kind) == COMPLEX)

    def reset(self) -> None:
        """Set the model's variable tensors back to their first values."""
        self._interpreter.reset_all_variables()

    def _allocate(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Allocate memory for all tensors, with inputs of the given shapes."""
        wrapper = self._interpreter._interpreter
        try:
            with quiet():
                for index, pairs in zip(self._input_indices, shapes, strict=False):
                    shape = pairs[:-1] if self._is_complex(index) else pairs
                    if tuple(wrapper.TensorSize(index, self._subgraph)) != shape:
                        sizes = np.array(shape, np.int32)
                        wrapper.ResizeInputTensor(index, sizes, False, self._subgraph)
                wrapper.AllocateTensors(self._subgraph)
        except (RuntimeError, ValueError) as failure:
            raise _refused("LiteRT cannot load the model", failure, self._where) from failure

    def _inner(self, names: Sequence[str], own: set[str]) -> list[int]:
        inner = [name for name in dict.fromkeys(names) if name not in own]
        if not inner:
            return []
        wrapper = self._interpreter._interpreter
        by_name: dict[str, list[int]] = {}
        for index in range(wrapper.NumTensors(self._subgraph)):
            with contextlib.suppress(ValueError):  # temporary tensors may have no type
                wrapper.TensorType(index, self._subgraph)
                by_name.setdefault(_name(wrapper, index, self._subgraph), []).append(index)
        raise_all(_named_once(inner, by_name, self._where))
        return [by_name[name][0] for name in inner]

    def _check(self, inputs: Sequence[Array]) -> None:
        """Raise all problems with inputs that do not fit the model at once."""
        if len(inputs) != len(self.inputs):
            what = f"{len(inputs)} inputs given, the model has {len(self.inputs)}"
            raise ToolchainError.of(
                "RIG022", what, where=self._where, fix="give one array per input"
            )
        raise_all(
            Problem(
                "RIG022",
                f"input '{want.name}' is {got.dtype.name}{list(got.shape)}",
                self._where,
                f"give {want.dtype.name}{list(want.shape)}",
            )
            for want, got in zip(self.inputs, inputs, strict=True)
            if (want.dtype, want.shape) != (got.dtype, got.shape)
        )


def _named_once(
    names: Sequence[str], by_name: Mapping[str, list[int]], where: str
) -> Iterator[Problem]:
    """Problem RIG021 for every name that is not the name of exactly one tensor."""
    for name in names:
        count = len(by_name.get(name, ()))
        if count == 0:
            hint = did_you_mean(name, by_name)
            yield Problem("RIG021", f"no tensor is called '{name}'{hint}", where, "name a tensor")
        elif count > 1:
            what = f"{count} tensors are called '{name}'"
            yield Problem("RIG021", what, where, "name a tensor whose name is its own")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as failure:
        raise ToolchainError.of(
            "RIG020",
            f"cannot read the model: {failure.strerror}",
            where=str(path),
            fix="give a .tflite file",
        ) from failure


def _made(content: bytes, where: str, kernels: str) -> Any:
    """Interpreter of the model, or of an equivalent one with older versions of operators."""
    first: Exception | None = None
    while True:
        try:
            return _interpreter(content, kernels)
        except ImportError as failure:
            raise ToolchainError.of(
                "RIG023", f"LiteRT is not installed: {failure}", where=where, fix=GET_PACKAGES
            ) from failure
        except (RuntimeError, ValueError) as failure:
            first = first or failure
            older = with_older_operator(content, str(failure))
            if older is None:
                raise _refused("LiteRT cannot load the model", first, where) from failure
            content = older


def _interpreter(content: bytes, kernels: str) -> Any:
    """Interpreter of LiteRT in which each tensor has memory of its own.

    Otherwise LiteRT 2.3.0 may let an ADD overwrite a tensor that a RESHAPE with shared memory has
    yet to pass on.
    """
    with quiet():
        litert = importlib.import_module("ai_edge_litert.interpreter")
        resolvers = litert.OpResolverType
        resolver = {
            "reference": resolvers.BUILTIN_REF,
            "optimised": resolvers.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
            "default": resolvers.AUTO,
        }[kernels]
        return _unsigned(litert.Interpreter)(
            model_content=content,
            num_threads=1,
            experimental_op_resolver_type=resolver,
            experimental_preserve_all_tensors=kernels != "default",
        )


def _unsigned(interpreter: type) -> type:
    """LiteRT's interpreter without signatures, whose names its constructor reads as UTF-8."""
    return type("Interpreter", (interpreter,), {"get_signature_list": lambda self: {}})


def _refused(what: str, failure: Exception, where: str) -> ToolchainError:
    reason = printable(" ".join(str(failure).split()))
    fix = "check the file with the tool that wrote it; LiteRT's reference kernels must support it"
    if "unresolved custom op" in reason:
        fix = 'compare with numpy: against=numpy, in tests of the op oracle = "numpy"'
    return ToolchainError.of("RIG020", f"{what}: {reason}", where=where, fix=fix)


def _detail(wrapper: Any, index: int, subgraph: int) -> Detail:
    """Details of a tensor by the wrapper, since get_tensor_details() fails for a name that is not
    UTF-8. Raises ValueError where LiteRT gives the tensor no type.
    """
    scales, zero_points, *_ = wrapper.TensorQuantizationParameters(index, subgraph)
    per_tensor = len(scales) == 1 and len(zero_points) == 1
    shape = tuple(int(size) for size in wrapper.TensorSize(index, subgraph))
    dtype = np.dtype(wrapper.TensorType(index, subgraph))
    pairs = dtype == COMPLEX
    return Detail(
        name=_name(wrapper, index, subgraph),
        shape=(*shape, 2) if pairs else shape,
        dtype=np.dtype(np.float32) if pairs else dtype,
        scale=float(scales[0]) if per_tensor else None,
        zero_point=int(zero_points[0]) if per_tensor else None,
    )


def _name(wrapper: Any, index: int, subgraph: int) -> str:
    """Name of a tensor; bytes that are not UTF-8 are escaped."""
    try:
        return str(wrapper.TensorName(index, subgraph))
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "backslashreplace")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Context that drops what C++ writes to standard error; exceptions still tell the cause."""
    sys.stderr.flush()
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)
