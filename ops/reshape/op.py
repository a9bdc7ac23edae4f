"""Reshape: the same elements under another shape."""

from opsmith.op import *
from opsmith.op.channels import tied_in_order
from runtimes.families.movement import X, numbers
from runtimes.families.view import view


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape from input `shape`, or else attribute `new_shape`; -1 stands for the elements left."""
    x, wanted = node["x"], _wanted(node)
    if any(size < -1 for size in wanted) or wanted.count(-1) > 1:
        raise OpError(f"{list(wanted)} is no shape")
    known = math.prod(size for size in wanted if size != -1)
    if -1 in wanted and known > 0:
        wanted = tuple(x.elements // known if size == -1 else size for size in wanted)
    if math.prod(wanted) != x.elements:
        raise OpError(f"x {x.type} does not have the elements of shape {list(wanted)}")
    return wanted


def _wanted(node: NodeView) -> tuple[int, ...]:
    """Shape as the model states it; TFLite ignores a `shape` that is no vector."""
    given = node.get("shape")
    if given is not None and len(given.shape) == 1:
        return tuple(int(size) for size in given.data)
    if given is None and node.attributes["new_shape"] == (0,):  # how old converters write a scalar
        return ()
    return tuple(node.attributes["new_shape"])


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: x's range, element by element."""
    return [ranges[node["x"].id].spread(channels_of(node["y"]))]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels of x and y with the same elements are live together."""
    return tied_in_order(node["x"], node["y"], live)


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """Shape constant for the channels of y that stay."""
    y = node["y"]
    sizes = (*y.shape[:-1], int(live[y.id].sum())) if y.shape else ()
    return {"shape": constant_of(node.get("shape"), np.array(sizes), i32)}


def shaped(node: NodeView) -> Mapping[str, tuple[int, ...]]:
    """Shape constant of y; the shape of a scalar as TFLite writes it."""
    return {"new_shape": node["y"].shape or (0,)}


OP = view(
    "reshape",
    Rename("tflite.RESHAPE"),
    shape,
    Example.of(x=(1, 4, 6), shape=[2, 12], y=(2, 12)),
    inputs=(X, numbers("shape", optional=True, shape_of="y")),
    attributes=(Attribute("new_shape", ListOf(int), default=()),),
    hooks=Hooks(
        channels=Channels(value_range, live_channels, keep_channels), views=Views(shaped=shaped)
    ),
)
