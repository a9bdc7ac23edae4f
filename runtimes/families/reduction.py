"""Functions of elements along axes: ops of x and axis that reduce many elements to one of y."""

from __future__ import annotations

import functools

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.single_threshold import Threshold, single_threshold
from runtimes.families.axes import axis_of, merged, strides
from runtimes.families.movement import QUANTISED

NO_HOOKS = Hooks()
MAX_RUNS = 4  # of axes that are kept, and of axes that are reduced: rank 8 has no more
Four = tuple[int, int, int, int]


def reducing(per_element: float, per_result: float) -> Callable[[NodeView], float]:
    """Cost of a reduction: instructions for each element of x and each element of y."""
    return instructions(lambda node: node["x"].elements, per_element, per_result)


def reduction(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    attributes: tuple[Attribute, ...] = (),
    hooks: Hooks = NO_HOOKS,
    **others: Any,
) -> Op:
    """Op that reduces x along constant axes; attributes and hooks are added to those of every
    reduction.

    `others` are further fields of Op, except inputs, outputs, infer and legalize.
    """
    return Op(
        name,
        inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
        infer=_infer,
        variants=variants,
        legalize=(source,),
        attributes=(Attribute("keep_dims", bool, default=False), *attributes),
        hooks=Hooks(channels=Channels(live=_live_channels), lines=_turned) | hooks,
        **others,
    )


@dataclass(frozen=True)
class Folding:
    """Function of two elements, with which LiteRT folds all elements of x for one element of y."""

    function: Callable[[Array, Array], Array]  # of what was found so far, and the next element
    start: Callable[[DType], float]  # what is found before the first element
    name: str = ""  # what backends know the function by, if they do

    def variant(self, dtype: DType) -> Variant:
        """Variant for elements whose quantisation does not matter, with the op's reference.h."""
        scale = 0.1 if dtype in (i8, u8, i16) else None
        x, *outputs = (ExampleTensor(dtype, shape, scale) for shape in ((2, 3, 4), (2, 4), (2, 3)))
        along = (ExampleTensor(i32, (1,), data=np.array([axis])) for axis in (1, 2))
        # of sums 2.8, of the largest 5.8
        cost = reducing(4.0, 7.0)
        definition = reference(fold, cost=cost)
        return Variant(
            {"T": dtype},
            (definition,),
            kind=self._kind(dtype),
            check=_same_quantization,
            evaluate=self.evaluate,
            examples=tuple(
                Example({"x": x, "axis": axis, "y": y})
                for axis, y in zip(along, outputs, strict=True)
            ),
        )

    def _kind(self, dtype: DType) -> Kind | None:
        facts = {"function": self.name, "start": self.start(dtype)}
        return Kind("reduction", "fold", facts) if self.name else None

    def evaluate(self, node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        """Elements of y, in numpy."""
        columns = list(elements_of(node, inputs[0]).T)
        if not columns or not fold(node).from_first:
            start = self.start(node["x"].dtype)
            columns.insert(0, np.full(node["y"].elements, start, node["x"].dtype.numpy))
        with np.errstate(all="ignore"):
            return [functools.reduce(self.function, columns).reshape(node["y"].shape)]


def limit(end: str) -> Callable[[DType], float]:
    """Function that gives the `min` or `max` of an element type."""

    def found(dtype: DType) -> float:
        if dtype == boolean:
            return int(end == "max")
        least_or_greatest: float = getattr(
            (np.iinfo if dtype.is_integer else np.finfo)(dtype.name), end
        )
        return least_or_greatest

    return found


def _same_quantization(node: NodeView) -> Iterator[str]:
    x, y = node["x"], node["y"]
    if x.dtype in QUANTISED and x.quantization != y.quantization:
        yield "x and y must have the same quantisation"


def _infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x without the reduced axes, or with size 1 in their place."""
    x, axes = node["x"], reduced_axes(node)
    if node.attributes["keep_dims"]:
        sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    else:
        sizes = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return [TensorType(x.dtype, tuple(sizes))]


def reduced_axes(node: NodeView) -> frozenset[int]:
    """Set of the axes to reduce, counted from the front; empty for a scalar."""
    if not node["x"].shape:
        return frozenset()
    return frozenset(axis_of(axis, node["x"]) for axis in node["axis"].data.reshape(-1).tolist())


def reduced_elements(node: NodeView) -> int:
    """Number of elements of x that are reduced to one of y."""
    return math.prod(node["x"].shape[axis] for axis in reduced_axes(node))


def reduced_line(node: NodeView, *, mean: bool) -> tuple[float, float]:
    """(factor, addend) by which XNNPACK makes y of a sum or `mean` of int8, in single precision;
    the addend includes zero points.
    """
    x, y, elements = node["x"], node["y"], reduced_elements(node)
    factor = np.float32(x.scale) / np.float32(y.scale)
    if mean:
        factor = factor * (np.float32(1) / np.float32(elements))
    addend = np.float32(y.zero_point) - np.float32(elements * x.zero_point) * factor
    return float(factor), float(addend)


def single_axes(node: NodeView, *, mean: bool) -> SingleAxes:
    """Axes, and the factor and addend of `reduced_line`, of a node."""
    factor, addend = reduced_line(node, mean=mean)
    return SingleAxes(**vars(axes(node)), factor=factor, addend=addend)


def threshold_plan(
    node: NodeView, output: Callable[[NodeView, Array], Array], *, mean: bool
) -> Plan | Refused:
    """Plan of a node whose sums have the clamped `output`: axes and thresholds, or Refused."""
    low, high = (reduced_elements(node) * end for end in node["x"].dtype.limits)
    line, clamp = reduced_line(node, mean=mean), node["y"].dtype.limits
    found = single_threshold(functools.partial(output, node), (low, high), *line, clamp)
    if isinstance(found, Refused):
        return found
    return Plan(ThresholdAxes(**vars(axes(node)), **vars(found)))


def mean_scaling(node: NodeView, elements: int) -> tuple[int, int]:
    """(multiplier, shift) for x.scale / y.scale / elements, divided in TFLite's order."""
    multiplier, shift = quantize_multiplier(node["x"].scale / node["y"].scale)
    headroom = min(elements.bit_length() - 1, 32, 31 + shift)
    return (multiplier << headroom) // elements, shift - headroom


def elements_of(node: NodeView, x: Array) -> Array:
    """Elements of x for each element of y, in their order: [elements of y, elements of x]."""
    gone = sorted(reduced_axes(node))
    last_first = np.moveaxis(x, gone, range(-len(gone), 0)) if gone else x
    return last_first.reshape(node["y"].elements, reduced_elements(node))


def nothing_problems(node: NodeView) -> Iterator[str]:
    """Sentence where no element of x is reduced to an element of y, which LiteRT leaves unset."""
    if not reduced_elements(node):
        yield f"x {node['x'].type} has no elements along axis {sorted(reduced_axes(node))}"


def keeps_channels(node: NodeView) -> bool:
    """True if the last axis of x is not reduced."""
    return len(node["x"].shape) - 1 not in reduced_axes(node)


def _live_channels(node: NodeView, live: Masks, ranges: object) -> Masks:
    """Channels of x and y that are needed: each by itself, or all where channels are reduced."""
    tensors = (node["x"], node["y"])
    return tied(tensors, live) if keeps_channels(node) else all_live(tensors)


def _turned(node: NodeView, axes: ImageAxes) -> Turned:
    """Reduction turned to other axes of the image; if a sequence's positions are reduced, so is the
    axis of pixels that it lacks.
    """
    reduced = {axes[axis] for axis in reduced_axes(node)}
    added = {1, 2} - set(axes) if reduced & {1, 2} else set()
    numbers = np.array(sorted(reduced | added), np.int32)
    axis = constant_of(node["axis"], numbers, i32)
    return Turned({"keep_dims": True}, {"axis": axis})  # so that y is an image, too


@dataclass(frozen=True)
class Axes:
    """Sizes and strides of kept and of reduced axes. Neighbouring axes of one kind are merged."""

    kept: Four  # sizes of the axes that y has, padded with leading ones
    kept_stride: Four  # elements of x
    reduced: Four  # sizes of the axes that go
    reduced_stride: Four


@dataclass(frozen=True, kw_only=True)
class ThresholdAxes(Threshold, Axes):
    """Axes of a reduction, and thresholds for sums that include zero points."""


@dataclass(frozen=True, kw_only=True)
class SingleAxes(Axes):
    """Axes of a reduction, and the float32 factor and addend that make y of a sum."""

    factor: float  # float32
    addend: float


def axes(node: NodeView) -> Axes:
    """Kept and reduced axes of a node."""
    return Axes(*_runs(node, reduced=False), *_runs(node, reduced=True))


@dataclass(frozen=True)
class Fold(Axes):
    """Axes of a fold, and whether it begins with the first element."""

    from_first: bool  # what was found begins with it, rather than with the function's start


def fold(node: NodeView) -> Fold:
    """Axes of a fold. Where y is one element, LiteRT begins with the first element of x."""
    return Fold(**vars(axes(node)), from_first=len(reduced_axes(node)) == len(node["x"].shape))


def _runs(node: NodeView, *, reduced: bool) -> tuple[Four, Four]:
    """Sizes and strides of merged axes: the reduced ones, or those that y keeps."""
    x, gone = node["x"].shape, reduced_axes(node)
    axes = enumerate(zip(x, strides(x), strict=True))
    found = merged(*(axis for i, axis in axes if (i in gone) == reduced))
    (a, b, c, d), (e, f, g, h) = zip(*[(1, 0)] * (MAX_RUNS - len(found)), *found, strict=True)
    return (a, b, c, d), (e, f, g, h)


def lane_problem(node: NodeView) -> str:
    """Reason why four neighbours of x are not those of y along one run of axes, or ""."""
    p = axes(node)
    if p.kept_stride[3] != 1:
        return "the last axis of x is reduced"
    if p.kept[3] < 4:
        return f"{p.kept[3]} neighbours are reduced side by side, fewer than 4"
    return "" if p.reduced[:3] == (1, 1, 1) else "the axes are not side by side"


def run_problem(node: NodeView) -> str:
    """Reason why the elements of x for an element of y are not four or more neighbours, or ""."""
    p = axes(node)
    if p.reduced[:3] != (1, 1, 1) or p.reduced_stride[3] != 1:
        return "elements of x for an element of y are not side by side"
    return "" if p.reduced[3] >= 4 else f"{p.reduced[3]} neighbours are reduced, fewer than 4"
