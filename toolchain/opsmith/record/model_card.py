"""A model as a CycloneDX model card, and its properties."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opsmith.record.facts import Facts
from opsmith.report.energy import ESTIMATE, Energy
from opsmith.text import escaped

Model = Mapping[str, Any]


def model_card(model: Model, facts: Facts) -> dict[str, Any]:
    """Model card: inputs, outputs, results of `run` and `profile`, and figures as properties."""
    card: dict[str, Any] = {
        "modelParameters": {
            "inputs": [{"format": tensor_format(each)} for each in model["inputs"]],
            "outputs": [{"format": tensor_format(each)} for each in model["outputs"]],
        },
        "properties": [{"name": n, "value": value} for n, value in properties(model)],
    }
    if metrics := list(measures(facts)):
        shown = [{"type": kind, "value": value, "slice": part} for kind, value, part in metrics]
        card["quantitativeAnalysis"] = {"performanceMetrics": shown}
    return card


def tensor_format(tensor: Mapping[str, Any]) -> str:
    """Type and shape of a tensor: int8[1,10]."""
    return f"{tensor['dtype']}[{','.join(map(str, tensor['shape']))}]"


def properties(model: Model) -> Iterator[tuple[str, str]]:
    """Names and values of facts for which a model card has no place."""
    yield "opsmith:macs", str(model["macs"])
    yield "opsmith:constant_bytes", str(model["constant_bytes"])
    yield "opsmith:ops", ",".join(sorted(model["ops"]))
    for kind in ("inputs", "outputs"):
        tensors: Sequence[Mapping[str, Any]] = model[kind]
        for tensor in tensors:
            start = f"opsmith:{kind}:{tensor['name']}"
            yield f"{start}:format", tensor_format(tensor)
            if tensor["scale"] is not None:
                yield f"{start}:scale", repr(tensor["scale"])
                yield f"{start}:zero_point", str(tensor["zero_point"])


def measures(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Measured figures of the firmware: kind, value and subject. None for several models."""
    if len(facts.models) != 1:
        return
    if facts.measured:
        yield from _of_data(facts.measured)
    found = facts.profile and facts.profile.get("energy")
    if facts.profile and found and (energy := Energy(**found)).by != ESTIMATE:
        how = f"± {energy.error or 0:.1%} by {energy.by}: {energy.how}"
        part = escaped(f"{facts.profile['target']}, stopped at each node; {how}")
        yield "energy of one inference", f"{energy.microjoules!r} µJ", part


def _of_data(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    part = f"{str(data['set']).rpartition('/')[2]}, {data['samples']} of {data['of']} samples"
    for kind in ("accuracy", "auc"):
        if data[kind] is not None:
            yield kind, repr(data[kind]), part
    yield "exact", repr(data["exact"] / data["samples"]), part
