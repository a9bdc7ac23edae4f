"""Layers: ops that sum constant weights times elements of x, and what follows from the place of the
weights.

An op declares one `Layer`. Its multiplications, its costs, and params of its kernels follow: params
are dataclasses whose fields are named after facts.
"""

from typing import TypeVar

from opsmith.op import *
from opsmith.op.overlap import Overlap
from runtimes.core.byte_layer import Adds, ByteLayer, byte_layer
from runtimes.core.dsp_requantization import (
    ALL_SHIFTS,
    NO_PRODUCT,
    NONE_OWN,
    PAIR_SHIFTS,
    DspRequantization,
    Excepted,
    Owning,
    byte_requantization,
    excepted_requantization,
    long_requantization,
    owned_requantization,
)
from runtimes.core.exceptions import MANY_EXCEPTIONS, PER_ONE, ROWS, most_exceptions
from runtimes.core.per_channel import bias_of
from runtimes.core.rescaling import FixedPoint, Ints, Narrow, OfBytes, Singles, WidthRequantization
from runtimes.core.single_rounding import Rounded, Singled, rule_requantization
from runtimes.core.threshold_requantization import Shift
from runtimes.families.window import Geometry

P = TypeVar("P")

ELEMENT_FACTS: Facts = {
    "input_zero_point": lambda node: node["x"].zero_point,
    "output_zero_point": lambda node: node["y"].zero_point,
    "activation_min": lambda node: clamp_range(node)[0],
    "activation_max": lambda node: clamp_range(node)[1],
    "real_min": lambda node: real_clamp_range(node)[0],
    "real_max": lambda node: real_clamp_range(node)[1],
    "bias": bias_of,
}


@dataclass(frozen=True, kw_only=True)
class Clamped:
    """Params of integer kernels: bounds of y."""

    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class Padded:
    """Zero point of x, and bounds of y; the kernel's constants include y's zero point."""

    input_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class Quantized:
    """Params of int8 kernels: zero points, and bounds of y."""

    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True, kw_only=True)
class RealClamped:
    """Params of float32 kernels: bounds of y."""

    real_min: float  # float32
    real_max: float


def weights_zero_point(weights: Tensor) -> int:
    """Zero point shared by all weights."""
    quantization = weights.quantization
    assert quantization is not None
    return 0 if quantization.per_channel else quantization.zero_points[0]


@dataclass(frozen=True, eq=False)  # compared by identity
class Layer:
    """Place of the weights in an op, and the rule by which its sums become elements of y."""

    weights: str  # the input that holds them
    type_variable: str  # of their element type
    axis: int  # of it, along which output channels lie
    by_channel: Callable[[NodeView], Array]  # [output channels, rows, columns, inputs of a group]
    groups: Callable[[NodeView], int]  # that the channels of x and y are in
    window: Callable[[NodeView], Geometry]  # of the weights over x
    rescaling: Callable[[NodeView], OfBytes | Narrow]  # of integers, by the node's rule
    widths: Callable[[NodeView, Array], WidthRequantization]  # of int16, by the rows of weights
    facts: Facts
    rounds: bool = True  # kernels know the constants of Rounding; else some takes every node

    def rows(self, node: NodeView) -> Array:
        """Weights with a row for each output channel."""
        return self.by_channel(node).reshape(node["y"].shape[-1], -1)

    def lifted_rows(self, node: NodeView) -> Array:
        """Rows of weights less their zero point; int16 for uint8 weights."""
        rows, zero_point = self.rows(node), weights_zero_point(node[self.weights])
        return rows.astype(np.int16) - zero_point if rows.dtype == np.uint8 else rows

    def inputs(self, node: NodeView) -> int:
        """Number of elements of x that are summed for one element of y."""
        return node[self.weights].elements // node["y"].shape[-1]

    def requantized(self, node: NodeView, sums: Ints) -> Ints:
        """Elements of y for sums [..., channels]; a larger sum never gives a smaller element."""
        scaled = self.rescaling(node)(sums) + node["y"].zero_point
        return np.asarray(np.clip(scaled, *clamp_range(node)))

    def int16(self, node: NodeView) -> WidthRequantization:
        """Requantisation constants for kernels of int16."""
        return self.widths(node, self.rows(node))

    def macs(self, node: NodeView) -> int:
        """Number of multiplications: one for each element of y and weight of its channel."""
        return node["y"].elements * self.inputs(node)

    def cost(self, per_mac: float, per_output: float) -> Callable[[NodeView], float]:
        """Cost of a kernel in instructions, per multiplication and per element of y."""
        return instructions(self.macs, per_mac, per_output)

    def cost_by_width(
        self, narrow: tuple[float, float], wide: tuple[float, float]
    ) -> Callable[[NodeView], float]:
        """Cost of an int16 kernel, with separate rates for sums of 32 and 64 bits."""
        return lambda node: self.cost(*(wide if self.int16(node).wide else narrow))(node)

    def params(self, params: type[P], node: NodeView, **more: Any) -> P:
        """Params of a node; each field is a fact, an attribute, or in `more`."""
        return of_facts(params, node, self.facts, **more)

    def reference(
        self,
        params: type[Any],
        tables: type[Any],
        overlap: Overlap,
        cost: tuple[float, float] | None = None,
    ) -> Kernel:
        """Kernel of reference.h, which takes every node; facts fill its tables and params."""
        plan = every_node(partial(self.params, params), partial(self.params, tables), overlap)
        found = None if cost is None else self.cost(*cost)
        return Kernel("reference", params, plan, tables, cost=found)

    def single(self, params: type[Any], tables: type[Any], overlap: Overlap) -> Kernel:
        """Kernel of single.h, which takes every node that rescales by float32 factors."""
        plan = self._of(Singles, params, tables, overlap)
        return Kernel(
            "single", params, plan, tables, numerics=OTHER_RULES, cost=self.cost(8.0, 160.0)
        )

    def by_fixed_point(self, params: type[Any], tables: type[Any], overlap: Overlap) -> Kernel:
        """Kernel of fixed_point.h, which takes every node that rescales by Q31 multipliers."""
        plan = self._of(FixedPoint, params, tables, overlap)
        cost = self.cost(8.0, 30.0)
        return Kernel("fixed_point", params, plan, tables, numerics=OTHER_RULES, cost=cost)

    def _of(
        self, rescaling: type, params: type[Any], tables: type[Any], overlap: Overlap
    ) -> Callable[[NodeView], Plan | Refused]:
        every = every_node(partial(self.params, params), partial(self.params, tables), overlap)

        def plan(node: NodeView) -> Plan | Refused:
            if isinstance(found := self.rescaling(node), rescaling):
                return every(node)
            return Refused(f"sums are rescaled by {type(found).__name__}")

        return plan

    def thresholds(
        self,
        params: type[Any],
        tables: Callable[[NodeView, DspRequantization], Any],
        overlap: Overlap,
        **more: Any,
    ) -> Callable[[NodeView], Plan | Refused]:
        """Plan of a kernel that requantises by thresholds and subtracts x's zero point; `params`
        has the fields of `Excepted`.
        """

        def plan(node: NodeView) -> Plan | Refused:
            origin = node["x"].zero_point
            return self.excepting(
                node, params, partial(tables, node), overlap=partial(overlap, node), origin=origin
            )

        return plan

    def excepting(
        self,
        node: NodeView,
        params: type[Any],
        tables: Callable[[DspRequantization], Any],
        scratch: Mapping[str, int] | None = None,
        overlap: Callable[[], Mapping[str, Distance]] | None = None,
        *,
        shifts: tuple[Shift, ...] = PAIR_SHIFTS,
        origin: int = 0,
        growth: int = 0,
        more: Mapping[str, Any] | None = None,
        adds: Adds | None = None,
    ) -> Plan | Refused:
        """Plan of a kernel whose thresholds may have exceptions; arguments are those of `proved`,
        and `params` has the fields of `Excepted`.
        """
        layer = self._bytes(node, origin, adds)
        found = excepted_requantization(layer, shifts)
        if isinstance(found, Refused):
            return found
        if not self.rounds and found.exceptions > most_exceptions(layer.rows, layer.rescaling):
            return MANY_EXCEPTIONS
        given = {
            "left_shift": found.left,
            "right_shift": found.right,
            "exceptions_at": -(-layer.channels // ROWS) * ROWS,
        }
        made = self.params(params, node, **given, **(more or {}))
        looked_at = PER_ONE * found.exceptions * (node["y"].elements / node["y"].shape[-1])
        return Plan(made, partial(tables, found), scratch or {}, overlap, growth, looked_at)

    def proved(
        self,
        node: NodeView,
        params: type[Any],
        tables: Callable[[DspRequantization], Any],
        scratch: Mapping[str, int] | None = None,
        overlap: Callable[[], Mapping[str, Distance]] | None = None,
        *,
        shifts: tuple[Shift, ...] = ALL_SHIFTS,
        origin: int = 0,
        growth: int = 0,
        more: Mapping[str, Any] | None = None,
        mixed: int = 0,
        adds: Adds | None = None,
    ) -> Plan | Refused:
        """Plan of an int8 kernel whose requantisation is proved for all sums of the node, or
        Refused.

        `params` has the fields of `Shifts`, and others that are facts or in `more`; with the fields
        of `Excepted`, sums may be exceptions; with those of `Owning`, some channels may be
        requantised in another way, also among thresholds in blocks of `mixed` channels. `shifts`
        are pairs to try; the kernel subtracts `origin` from inputs, and `adds` to sums.
        """
        if issubclass(params, Excepted):
            tried = PAIR_SHIFTS if shifts is ALL_SHIFTS else (*shifts, *PAIR_SHIFTS)
            sums: dict[str, Any] = {"shifts": tried, "origin": origin, "adds": adds}
            given = scratch, overlap
            return self.excepting(node, params, tables, *given, growth=growth, more=more, **sums)
        layer = self._bytes(node, origin, adds) if origin or adds else node.once(self._bytes)
        single = issubclass(params, Singled)
        found = rule_requantization(layer, params) if single else byte_requantization(layer, shifts)
        if owning := issubclass(params, Owning):
            if not isinstance(found, Refused) and found.right:
                return NONE_OWN
            found = owned_requantization(layer, shifts, mixed)
        if isinstance(found, Refused) or not (found.right or self.rounds or single):
            return found if isinstance(found, Refused) else NO_PRODUCT
        proved = {"left_shift": found.left, "right_shift": found.right}
        proved |= {"own": found.own} if owning else {}
        made = self.params(params, node, **proved, **(more or {}))
        return Plan(made, partial(tables, found), scratch or {}, overlap, growth)

    def long_products(
        self, node: NodeView, params: type[Any], adds: Adds | None = None
    ) -> DspRequantization | Refused:
        """Constants of 64-bit products, with a shift per channel where `params` has the fields of
        `Owning`, or Refused; of another form, where it has those of `Singled` or `Rounded`.
        """
        layer = self._bytes(node, adds=adds)
        if issubclass(params, Singled | Rounded):
            return rule_requantization(layer, params)
        return long_requantization(layer, own=issubclass(params, Owning))

    def _bytes(self, node: NodeView, origin: int = 0, adds: Adds | None = None) -> ByteLayer:
        """int8 or uint8 layer as requantisation sees it."""
        rescaling = self.rescaling(node)
        assert not isinstance(rescaling, Narrow)
        return byte_layer(node, self.lifted_rows(node), rescaling, origin, adds)
