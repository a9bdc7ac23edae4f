"""Layers of int8 with kernels that decode weights: less flash, and more time for each weight."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.core.weight_codes import Coding, coding_of, encoded
from runtimes.families.layer import Layer

PER_WEIGHT = 6.3  # instructions that decode a weight


@dataclass(frozen=True)
class CodedTables:
    """Coded weights, and tables of their values."""

    codes: NDArray[np.uint8]  # [channels][bytes of a row]
    values: NDArray[np.int8]  # of one table, or of one for each channel


@dataclass(frozen=True)
class CodedThresholds(CodedTables):
    """Coded weights, tables of their values, and thresholds."""

    requantization: NDArray[np.int32]  # [channels][2]: Threshold; then Exception


def decoding(
    layer: Layer, params: type[Any], tables: type[Any]
) -> Callable[[NodeView], Plan | Refused]:
    """Plan of a kernel that decodes weights, for layers that codes make smaller.

    `params` has the fields of `Coded` and facts, `tables` those of `CodedTables`; the scratch
    `weights` holds one channel's weights.
    """

    def plan(node: NodeView) -> Plan | Refused:
        coding = coding_of(layer.rows(node))
        if isinstance(coding, Refused):
            return coding

        def made() -> Any:
            codes, values = encoded(layer.rows(node), coding)
            return layer.params(tables, node, codes=codes, values=values)

        given = layer.params(params, node, **_fields(coding))
        return Plan(given, made, _scratch(layer, node), growth=_growth(layer, node, coding))

    return plan


def decoding_thresholds(layer: Layer, params: type[Any]) -> Callable[[NodeView], Plan | Refused]:
    """Plan of a kernel that decodes weights and requantises by thresholds; `params` also has the
    fields of `Excepted`, `tables` those of `CodedThresholds`.
    """

    def plan(node: NodeView) -> Plan | Refused:
        coding = coding_of(layer.rows(node))
        if isinstance(coding, Refused):
            return coding

        def tables(found: DspRequantization) -> CodedThresholds:
            return CodedThresholds(*encoded(layer.rows(node), coding), found.table)

        return layer.excepting(
            node,
            params,
            tables,
            _scratch(layer, node),
            origin=node["x"].zero_point,
            growth=_growth(layer, node, coding),
            more=_fields(coding),
        )

    return plan


def decoding_cost(layer: Layer, per_mac: float, per_output: float) -> Callable[[NodeView], float]:
    """Cost of a kernel that decodes each weight once, in instructions."""
    multiplied = layer.cost(per_mac, per_output)
    return lambda node: multiplied(node) + PER_WEIGHT * node[layer.weights].elements


def _fields(coding: Coding) -> dict[str, int]:
    return {"bits": coding.bits, "values_step": coding.values_step}


def _scratch(layer: Layer, node: NodeView) -> dict[str, int]:
    return {"weights": layer.inputs(node)}


def _growth(layer: Layer, node: NodeView, coding: Coding) -> int:
    return coding.bytes - node[layer.weights].elements
