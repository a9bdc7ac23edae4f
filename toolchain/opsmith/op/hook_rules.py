"""Rules for results of the hooks of an op, one for each hook, checked at every call."""

from collections.abc import Mapping

import numpy as np

from opsmith.op.blocks import Cut
from opsmith.op.border import Border
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.channels import Range, channels_of
from opsmith.op.clamp import ACTIVATIONS
from opsmith.op.hook_results import (
    CONSTANTS,
    MOST_ELEMENTS,
    YES,
    HookCall,
    Rule,
    integer,
    number,
    numeric,
    or_none,
)
from opsmith.op.lines import Turned
from opsmith.op.rows import RowWindow


def _attributes(call: HookCall) -> bool:
    return isinstance(call.result, Mapping) and set(call.result) <= call.attributes


def _order(call: HookCall) -> bool:
    first = next(iter(call.tensors().values()))
    items = call.result
    whole = isinstance(items, tuple) and all(integer(axis) for axis in items)
    return whole and sorted(items) == list(range(len(first.shape)))


def _border(call: HookCall) -> bool:
    border = call.result
    if not isinstance(border, Border):
        return False
    sides = (border.before, border.after)
    whole = all(isinstance(side, tuple) and all(map(integer, side)) for side in sides)
    same = whole and len(border.before) == len(border.after)
    return same and integer(border.value, -MOST_ELEMENTS)


def _cut(call: HookCall) -> bool:
    cut = call.result
    if not isinstance(cut, Cut):
        return False
    pairs = ((cut.block, 1), (cut.before, 0), (cut.after, 0))
    return all(
        isinstance(pair, tuple) and len(pair) == 2 and all(integer(size, least) for size in pair)
        for pair, least in pairs
    )


def _turned(call: HookCall) -> bool:
    turned = call.result
    if not isinstance(turned, Turned) or not isinstance(turned.attributes, Mapping):
        return False
    constants = HookCall(call.op, call.given, turned.constants)
    return set(turned.attributes) <= call.attributes and CONSTANTS.broken(constants) is None


def _affine(call: HookCall) -> bool:
    affine = call.result
    if not isinstance(affine, ChannelAffine) or affine.input not in call.inputs:
        return False
    channels = channels_of(call.outputs[0])
    arrays = [each for each in (affine.factor, affine.addend) if each is not None]
    return all(
        numeric(each) and each.dtype == np.float32 and each.shape == (channels,) for each in arrays
    )


def _bounds(call: HookCall) -> bool:
    """True if the result names an activation, or is a pair of bounds within an integer y's type."""
    pair, y = call.result, call.outputs[0].dtype
    if isinstance(pair, str):
        return pair in ACTIVATIONS
    two = isinstance(pair, tuple) and len(pair) == 2 and y.is_integer
    return two and all(integer(end, *y.limits) for end in pair) and pair[0] <= pair[1]


def _ranges(call: HookCall) -> bool:
    found, outputs = call.result, call.outputs
    if not isinstance(found, list | tuple) or len(found) not in (0, len(outputs)):
        return False
    return not found or all(
        isinstance(each, Range) and _range(each, channels_of(tensor))
        for each, tensor in zip(found, outputs, strict=True)
    )


def _range(found: Range, channels: int) -> bool:
    ends = (found.low, found.high)
    whole = all(numeric(end) and end.dtype.kind in "iu" for end in ends)
    return (
        whole and all(end.shape == (channels,) for end in ends) and bool(np.all(ends[0] <= ends[1]))
    )


def _masks(call: HookCall) -> bool:
    tensors = call.tensors()
    return isinstance(call.result, Mapping) and all(
        name in tensors
        and numeric(mask)
        and mask.dtype == np.bool_
        and mask.shape == (channels_of(tensors[name]),)
        for name, mask in call.result.items()
    )


def _rows(call: HookCall) -> bool:
    rows = call.result
    if not isinstance(rows, RowWindow):
        return False
    sizes = integer(rows.window, 1) and integer(rows.stride, 1)
    sizes = sizes and integer(rows.before, -MOST_ELEMENTS)
    value = rows.value is None or number(rows.value)
    named = isinstance(rows.attributes, Mapping) and set(rows.attributes) <= call.attributes
    return sizes and value and named


def _one_by_one(call: HookCall) -> bool:
    if call.result.one_by_one is None:
        return True
    own = call.op.hooks, *(variant.hooks for variant in call.op.variants)
    named = any(hooks.streaming.one_by_one is not None for hooks in own)
    return named and isinstance(call.result.one_by_one, Mapping)


def _parts(call: HookCall) -> bool:
    """True if the result has an offset per input, and inputs fill y without gaps or overlaps."""
    offsets, read = call.result, call.read
    if not isinstance(offsets, list | tuple) or not all(map(integer, offsets)):
        return False
    if len(offsets) != len(read):
        return False
    places = sorted((at, at + tensor.bytes) for at, tensor in zip(offsets, read, strict=True))
    starts, ends = zip(*places, strict=True)
    return (*starts, call.outputs[0].bytes) == (0, *ends)


def _part(call: HookCall) -> bool:
    """True if the result is the offset of y in the first input, with y wholly inside that input."""
    x, y = call.read[0], call.outputs[0]
    return integer(call.result, 0, x.bytes - y.bytes) and call.result % y.dtype.size == 0


_ONE_BY_ONE = Rule(
    "RowWindow with attributes of the op that streaming.one_by_one names", _one_by_one
)
HOOK_RULES: Mapping[str, Rule] = {  # hook, as a path in Hooks -> rule
    "clamp": or_none(Rule("the name of an activation, (least, greatest) of an integer y", _bounds)),
    "permutations.order": Rule("each axis of the first input once, as a tuple", _order),
    "permutations.reorder": CONSTANTS,
    "permutations.along": CONSTANTS,
    "permutations.columns": or_none(CONSTANTS),
    "borders.adds": or_none(Rule("a Border", _border)),
    "borders.absorbs": or_none(Rule("declared attributes by name", _attributes)),
    "blocks.cuts": or_none(Rule("a Cut by positive sizes", _cut)),
    "blocks.joins": or_none(Rule("a Cut by positive sizes", _cut)),
    "blocks.dilates": or_none(Rule("declared attributes by name", _attributes)),
    "looks_up": Rule("declared attributes by name", _attributes),
    "lines": or_none(Rule("a Turned with declared attributes and constants", _turned)),
    "affine.applies": or_none(Rule("a ChannelAffine with float32 arrays of y's channels", _affine)),
    "affine.absorbs": or_none(CONSTANTS),
    "views.identity": YES,
    "views.shaped": Rule("declared attributes by name", _attributes),
    "views.restores": YES,
    "channels.ranges": Rule("a Range of its channels for each output, or nothing", _ranges),
    "channels.live": Rule("a mask of its channels for tensors of the node, by id", _masks),
    "channels.keep": CONSTANTS,
    "macs": Rule("an integer, not negative", lambda call: integer(call.result, 0, 1 << 62)),
    "streaming.rows": or_none(
        Rule("RowWindow with positive sizes and declared attributes", _rows, also=(_ONE_BY_ONE,))
    ),
    "views.parts": or_none(Rule("byte offsets at which the inputs, side by side, are y", _parts)),
    "views.part": or_none(Rule("a byte offset at which y lies within its first input", _part)),
}
